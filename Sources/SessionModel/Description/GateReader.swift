// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit

/// Reads gates: `steady, light`, or a mapping such as `present: wait` with keys such as `limit` and `threshold`.
enum GateReader {
    /// Reads the gates of one list entry.
    static func requests(_ item: SettingInput) throws(InvalidValue) -> [GateRequest] {
        switch item {
        case .text(let sourced): try words(sourced)
        case .mapping(let pairs, let place): [try request(pairs, at: place)]
        case .list(_, let place): throw InvalidValue("a list cannot be inside of another", at: place)
        }
    }

    private static func words(_ sourced: SourcedText) throws(InvalidValue) -> [GateRequest] {
        var requests: [GateRequest] = []
        for word in sourced.text.split(separator: ",", omittingEmptySubsequences: false) {
            requests.append(GateRequest(try kind(SourcedText(text: String(word), place: sourced.place))))
        }
        return requests
    }

    private static func request(_ pairs: [SettingInput.Pair], at place: TextPlace?) throws(InvalidValue) -> GateRequest
    {
        guard let head = pairs.first(where: { !attributes.contains($0.key.text) }) else {
            throw InvalidValue("a gate has no kind", advice: "write one of \(kinds)", at: place)
        }
        var request = GateRequest(try kind(head.key))
        request.failure = try SettingSyntax<GateRequest.Failure>.choice.parse(.text(head.value))
        var known: Set<String> = [head.key.text]
        for pair in pairs where pair.key.place != head.key.place {
            guard known.insert(pair.key.text).inserted else {
                throw InvalidValue("\(pair.key.text.quoted) appears twice", advice: "remove one", at: pair.key.place)
            }
            try read(pair, into: &request)
        }
        return request
    }

    private static let attributes = [
        "limit", "then", "threshold", "largest", "sharpness", "glare", "only-one", "reject",
    ]

    private static func read(_ pair: SettingInput.Pair, into request: inout GateRequest) throws(InvalidValue) {
        let value = SettingInput.text(pair.value)
        switch pair.key.text {
        case "limit": request.limit = try SettingSyntax<Duration>.wait(from: .seconds(1)).parse(value)
        case "then": request.expiry = try SettingSyntax<GateRequest.Expiry>.choice.parse(value)
        case "threshold": request.threshold = try SettingSyntax<Double>.score.parse(value)
        case "largest" where request.kind == .present:
            request.largest = try number(value, "part", 1...10) { LayerValue.fraction($0) }
        case "sharpness" where request.kind == .focus:
            request.sharpness = try number(value, "sharpness", 0...10_000) { Double(decimal: $0) }
        case "glare" where request.kind == .light:
            request.glare = try number(value, "part", 0.001...1) { LayerValue.fraction($0) }
        case "only-one" where request.kind == .present: request.isAlone = try SettingSyntax<Bool>.toggle.parse(value)
        case "reject" where request.kind != .steady:
            request.rejectsPictures = try SettingSyntax<Bool>.toggle.parse(value)
        case "largest", "only-one", "sharpness", "glare", "reject":
            throw InvalidValue(
                "\(request.kind.rawValue) does not take \(pair.key.text)", advice: owners, at: pair.key.place)
        case let key where GateRequest.Kind(rawValue: key) != nil:
            throw InvalidValue(
                "a gate cannot be \(request.kind.rawValue) and \(key)", advice: "make two entries", at: pair.key.place)
        case let key:
            let near = Spelling.nearest(to: key, among: attributes).map { "did you mean \($0)?" }
            throw InvalidValue(
                "unknown key \(key.quoted)", advice: near ?? "use one of \(attributes.joined(separator: ", "))",
                at: pair.key.place)
        }
    }

    private static let owners =
        "largest and only-one belong to present, sharpness to focus, glare to light, and reject to all but steady"

    private static func number(
        _ value: SettingInput, _ name: String, _ range: ClosedRange<Double>,
        _ read: @escaping @Sendable (String) -> Double?
    ) throws(InvalidValue) -> Double {
        try SettingSyntax<Double>(name) { text throws(InvalidValue) in
            guard let number = read(text), range.contains(number) else {
                throw InvalidValue(
                    "\(text.quoted) is not a valid \(name)", advice: "give \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }.parse(value)
    }

    private static func kind(_ sourced: SourcedText) throws(InvalidValue) -> GateRequest.Kind {
        try SettingSyntax<GateRequest.Kind>.read(sourced) { text throws(InvalidValue) in
            if let kind = GateRequest.Kind(rawValue: text.lowercased()) { return kind }
            let near = Spelling.nearest(to: text, among: GateRequest.Kind.allCases.map(\.rawValue))
            throw InvalidValue(
                "\(text.quoted) is not a gate", advice: near.map { "did you mean \($0)?" } ?? "use one of \(kinds)")
        }
    }

    private static var kinds: String { GateRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ") }
}

extension SettingSyntax where Value == Double {
    /// A score from 0 to 1, or in percent.
    fileprivate static var score: Self {
        Self("score") { text throws(InvalidValue) in
            guard let score = LayerValue.fraction(text), score <= 1 else {
                throw InvalidValue("\(text.quoted) is not a score", advice: "give 0 to 1, or 50%")
            }
            return score
        }
    }
}
