// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PresetKit
import VideoKit

extension SettingSyntax {
    /// The syntax with one more word, which stands for `nil`.
    static func optional<Wrapped>(_ word: String, or syntax: SettingSyntax<Wrapped>) -> Self where Value == Wrapped? {
        Self(list: "\(word)|\(syntax.form.placeholder)", choices: [word] + syntax.form.choices) {
            input throws(InvalidValue) in
            if case .text(let sourced) = input, FixedText.trimmed(sourced.text).lowercased() == word { return nil }
            return try syntax.parse(input)
        }
    }
}

extension SettingSyntax where Value == SessionStage.Sequence {
    /// `trigger`, or the time between two pictures.
    static var sequence: Self {
        let duration = SettingSyntax<Duration>.duration(from: .milliseconds(100))
        return Self("trigger|duration", choices: ["trigger", "2s"]) { text throws(InvalidValue) in
            if text.lowercased() == "trigger" { return .triggered }
            guard text.utf8.first?.isDigit == true else {
                throw InvalidValue("\(text.quoted) is not known", advice: "give trigger or a time such as 2s")
            }
            return .timed(try duration.parse(.text(SourcedText(text: text))))
        }
    }
}

extension SettingSyntax where Value == Int {
    /// A length such as `35mm`, from 5 mm to 2 m.
    static var millimeters: Self {
        Self("length", choices: ["35mm"]) { text throws(InvalidValue) in
            guard text.hasSuffix("mm"), let length = Int(FixedText.trimmed(String(text.dropLast(2)))),
                (5...2000).contains(length)
            else { throw InvalidValue("\(text.quoted) is no length in print", advice: "give 5mm to 2000mm") }
            return length
        }
    }
}

extension SettingSyntax where Value == Duration {
    /// A time for which the user waits, at most 10 minutes.
    static func wait(from least: Duration = .zero) -> Self {
        let duration = duration(from: least)
        return Self("duration") { text throws(InvalidValue) in
            let wait = try duration.parse(.text(SourcedText(text: text)))
            guard wait <= .seconds(600) else {
                throw InvalidValue("\(text.quoted) is too long", advice: "give 10m or less")
            }
            return wait
        }
    }
}

extension SettingSyntax where Value == MicrophoneRequest {
    /// The microphone of a clip, without elements: a session's file must not run any.
    static var stageMicrophone: Self {
        Self("off|auto|device", choices: ["off", "auto"]) { text throws(InvalidValue) in
            let request = MicrophoneRequest(text)
            guard !text.isEmpty, text.utf8.count <= 200 else {
                throw InvalidValue(
                    "\(text.quoted) is not a microphone", advice: "give off, auto, or a device such as hw:1")
            }
            if case .elements = request {
                throw InvalidValue(
                    "elements cannot be given in a session's file",
                    advice: "write audio: auto, and use the option --audio")
            }
            return request
        }
    }
}

extension SettingSyntax where Value == EncoderCatalog.Choice {
    /// The encoder of a clip, by its name.
    static var encoder: Self {
        Self("auto|encoder", choices: ["auto", "camera"]) { text throws(InvalidValue) in
            do throws(CaptureError) {
                return try EncoderCatalog.Choice(text)
            } catch {
                throw InvalidValue("\(text.quoted) is not an encoder of H.264", advice: error.advice)
            }
        }
    }
}

extension SettingSyntax where Value == [GateRequest] {
    /// Kinds of gates, or mappings from one kind to its action on failure: `steady: abort`.
    static var gates: Self {
        Self(list: "gate", choices: GateRequest.Kind.allCases.map(\.rawValue)) { input throws(InvalidValue) in
            var known: Set<GateRequest.Kind> = []
            return try InvalidValue.collecting(items(input)) { item throws(InvalidValue) in
                let requests = try GateReader.requests(item)
                for request in requests where !known.insert(request.kind).inserted {
                    throw InvalidValue("\(request.kind.rawValue) appears twice", at: item.place)
                }
                return requests
            }
        }
    }
}
