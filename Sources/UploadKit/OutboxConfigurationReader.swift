// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit
import ScheduleKit
import SystemBase

extension OutboxConfiguration {
    /// Reads a file. Blocks.
    ///
    /// - Throws: `CaptureError` with all mistakes, one line each: `outbox.yaml:4:5: …`.
    package init(path: String) throws(CaptureError) {
        try self.init(try RegularFile.read(path, most: SettingsText.mostBytes), file: path)
    }

    /// Reads the bytes of a file.
    package init(_ bytes: [UInt8], file: String) throws(CaptureError) {
        let reader = OutboxConfigurationReader(bytes)
        if let error = CaptureError.joining(InvalidValue.errors(reader.problems, in: file)) { throw error }
        self = reader.configuration
    }
}

/// Reads the configuration of an outbox from YAML, and collects all mistakes.
private struct OutboxConfigurationReader {
    private(set) var configuration = OutboxConfiguration(board: .ofHost())
    private(set) var problems: [InvalidValue] = []

    private static let levels = 6
    /// The sections that name targets.
    private static let naming = ["send", "records"]
    /// The keys that name the folder of a route.
    private static let places: KeyValuePairs<String, OutboxConfiguration.Route.Kind> = [
        "from": .series, "sessions": .sessions, "clips": .clips,
    ]
    private static let routeKeys = places.map(\.key) + ["to", "series", "camera", "order", "skip-older", "what"]

    init(_ bytes: [UInt8]) {
        attempt { reader throws(InvalidValue) in
            let document = SettingsDocument(try SettingsText(bytes, of: "file").text, levels: Self.levels)
            reader.problems += document.problems
            // Routes and records name targets, which may stand below them.
            let (first, last) = (
                document.entries.filter { !Self.naming.contains($0.key.text) },
                document.entries.filter { Self.naming.contains($0.key.text) }
            )
            for entry in first + last {
                reader.attempt { reader throws(InvalidValue) in try reader.read(entry.key, entry.value) }
            }
        }
        guard problems.isEmpty else { return }
        if isForRecords { return }
        if configuration.targets.isEmpty { problems.append(Self.missing("targets", "name a target, such as archive:")) }
        if configuration.routes.isEmpty { problems.append(Self.missing("send", "write - from: FOLDER below it")) }
    }

    /// `true` if the file is only for records: the only target has their pictures.
    private var isForRecords: Bool {
        guard let records = configuration.records, configuration.routes.isEmpty else { return false }
        return configuration.targets.allSatisfy { records.blobs == .target($0.id) }
    }

    private static func missing(_ key: String, _ advice: String) -> InvalidValue {
        InvalidValue("\(key): is missing", advice: advice, at: TextPlace(line: 1, column: 1))
    }

    private mutating func attempt(_ step: (inout Self) throws(InvalidValue) -> Void) {
        do throws(InvalidValue) { try step(&self) } catch { problems += error.all }
    }

    private mutating func read(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        switch key.text {
        case "board": configuration.board = try BoardName(key, value)
        case "targets":
            for (id, node) in try SectionKeys(value, of: key).entries {
                attempt { reader throws(InvalidValue) in
                    reader.configuration.targets.append(try UploadTargetReader(id, node).target())
                }
            }
        case "send":
            guard case .sequence(let nodes, _) = value else {
                throw InvalidValue(
                    "send: is a list", advice: "begin each entry with - from:", at: value.place ?? key.place)
            }
            for node in nodes {
                attempt { reader throws(InvalidValue) in
                    reader.configuration.routes.append(try reader.route(node, key))
                }
            }
        case "records":
            configuration.records = try RecordsTarget(key, value) { entry throws(InvalidValue) in
                let id = try target(try entry.value.input, of: entry.key)
                return configuration.targets.first { $0.id == id }?.place
            }
        default:
            throw InvalidValue.unknownKey(key.text, among: ["board", "targets", "send", "records"]).at(key.place)
        }
    }

    private func route(_ node: YAMLNode, _ owner: SourcedText) throws(InvalidValue) -> OutboxConfiguration.Route {
        let keys = try TargetKeys(node, of: owner, known: Self.routeKeys)
        let (kind, place) = try Self.place(keys)
        let folder = LedgerPlace.absolute(try keys.path(place))
        let targets = try targets(try keys.required("to", "name a target, or several as [a, b]"))
        let name = try keys.text("series") ?? (kind == .sessions ? "" : DeviceFiles.name(of: folder))
        var route = OutboxConfiguration.Route(folder: folder, targets: targets, series: name)
        route.kind = kind
        if let size: UploadSize = try keys.value("what", .choice) { route.isSmall = size == .small }
        if route.isSmall, kind == .clips {
            throw InvalidValue(
                "what: there are no small copies of clips", advice: "remove it", at: keys.entry("what")?.key.place)
        }
        route.camera = try keys.text("camera") ?? ""
        if let order: UploadOrder = try keys.value("order", .choice) { route.options.order = order }
        route.options.skipOlder = try keys.value("skip-older", .span)
        return route
    }

    /// Returns the kind of a route, and the entry that names its folder.
    private static func place(
        _ keys: TargetKeys
    ) throws(InvalidValue) -> (OutboxConfiguration.Route.Kind, TargetKeys.Entry) {
        let given = places.compactMap { name, kind in keys.entry(name).map { (kind, $0) } }
        if given.count > 1 {
            throw InvalidValue(
                given.map(\.1.key.text).joined(separator: " and ") + " are given", advice: "make an entry for each",
                at: given[1].1.key.place)
        }
        if let only = given.first { return only }
        return (.series, try keys.required("from", "name the folder of a series"))
    }

    private func targets(_ entry: TargetKeys.Entry) throws(InvalidValue) -> [String] {
        let inputs = try entry.value.input.entries
        return try InvalidValue.collecting(inputs) { input throws(InvalidValue) in [try target(input, of: entry.key)] }
    }

    /// Returns the ID of a target.
    private func target(_ input: SettingInput, of key: SourcedText) throws(InvalidValue) -> String {
        let id = try SettingSyntax.text("target").parse(input)
        let known = configuration.targets.map(\.id)
        // A target with a mistake is not known, but its mistake is enough.
        guard known.contains(id) || !problems.isEmpty else {
            let near = Spelling.nearest(to: id, among: known).map { "did you mean \($0.quoted)?" }
            throw InvalidValue(
                "\(key.text): \(id.quoted) is not a target", advice: near ?? "name one of targets:", at: input.place)
        }
        return id
    }
}

/// Whether whole pictures are sent, or small copies.
private enum UploadSize: String, CaseIterable, Sendable { case picture, small }

extension SettingSyntax where Value == Duration {
    /// A duration such as `1h`.
    static var span: Self { Self("duration") { text throws(InvalidValue) in try Duration.parse(text) } }
}
