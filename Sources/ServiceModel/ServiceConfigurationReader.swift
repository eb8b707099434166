// Part of gst-capture. Apache License 2.0, see LICENSE.

import AnalyticsKit
import CaptureBase
import CaptureKit
import ClipStore
import FilmStore
import LedgerKit
import PresetKit
import RecordKit
import SessionKit
import StillKit

/// Reads the configuration of a service from YAML, and collects all errors.
struct ServiceConfigurationReader {
    private(set) var configuration = ServiceConfiguration(addresses: [], cameras: [])
    /// The errors, in the order of the file.
    private(set) var errors: [CaptureError] = []

    private let file: String
    private let presets: PresetLibrary
    private let sessions: SessionLibrary
    private let kinds: RecordKindLibrary
    private var problems: [InvalidValue] = []
    private var analyticsPlace: TextPlace?
    /// The line in which each series first appears.
    private var seriesLines: [String: Int] = [:]
    /// The series that each ledger belongs to.
    private var ledgers: [String: String] = [:]

    /// From the root down to the values in a list of layers of a series.
    private static let levels = 9
    private static let keys =
        ["listen", "cameras", "sessions", "mqtt", "analytics", "buttons", "page", "board", "outbox", "records"]
        + ServiceSafety.keys

    /// Reads the whole file, and the presets, sessions and kinds of records that it names. Blocks.
    ///
    /// - Parameter file: The name of the file in errors.
    init(
        _ bytes: [UInt8], file: String, _ presets: PresetLibrary, _ sessions: SessionLibrary, _ kinds: RecordKindLibrary
    ) {
        (self.file, self.presets, self.sessions, self.kinds) = (file, presets, sessions, kinds)
        attempt { reader throws(InvalidValue) in
            let document = SettingsDocument(try SettingsText(bytes, of: "service").text, levels: Self.levels)
            reader.problems += document.problems
            // Sessions name cameras and kinds of records, and buttons name both, which may stand below them.
            let last = ["sessions", "buttons"]
            let first = document.entries.filter { !last.contains($0.key.text) }
            for entry in first + last.flatMap({ key in document.entries.filter { $0.key.text == key } }) {
                reader.attempt { reader throws(InvalidValue) in try reader.read(entry.key, entry.value) }
            }
        }
        if configuration.addresses.isEmpty { configuration.addresses = [.standard] }
        if problems.isEmpty, configuration.cameras.isEmpty {
            problems.append(
                InvalidValue("cameras: is missing", advice: "name a camera, such as garden, under cameras:", at: .start)
            )
        }
        if let analytics = configuration.analytics, analytics.usesMQTT, configuration.mqtt == nil, problems.isEmpty {
            problems.append(
                InvalidValue("analytics: mqtt needs a broker", advice: "add the section mqtt:", at: analyticsPlace))
        }
        errors = InvalidValue.errors(problems, in: file)
    }

    /// Performs a step, and keeps its problems.
    private mutating func attempt(_ step: (inout Self) throws(InvalidValue) -> Void) {
        do throws(InvalidValue) { try step(&self) } catch { problems += error.all }
    }

    private mutating func read(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        switch key.text {
        case "listen": try readAddresses(key, value)
        case "cameras":
            for (id, node) in try SectionKeys(value, of: key).entries {
                attempt { reader throws(InvalidValue) in try reader.readCamera(id, node) }
            }
        case "sessions":
            for (id, node) in try SectionKeys(value, of: key).entries {
                attempt { reader throws(InvalidValue) in try reader.readSession(id, node) }
            }
        case "buttons":
            guard case .sequence(let nodes, _) = value else {
                throw InvalidValue("buttons: is a list", advice: "begin each button with a dash", at: key.place)
            }
            for node in nodes {
                attempt { reader throws(InvalidValue) in
                    reader.configuration.buttons.append(try reader.button(node, key))
                }
            }
        case "board": configuration.board = try BoardName(key, value)
        case "outbox":
            let path = try SettingsSection.naming(key, try value.input) { () throws(InvalidValue) in
                try SettingSyntax.text("path").parse(try value.input)
            }
            guard path.hasPrefix("/") else {
                throw InvalidValue(
                    "outbox: \(path.quoted) is not absolute", advice: "begin it with /", at: value.place ?? key.place)
            }
            configuration.outbox = path
        case "records": configuration.records = try ServiceRecords(key, value, kinds)
        case "page": configuration.page = try ServicePage(key, value)
        case "mqtt": configuration.mqtt = try ServiceMQTT(key, value)
        case "analytics":
            configuration.analytics = try ServiceAnalytics(key, value)
            analyticsPlace = key.place
        case let name where ServiceSafety.keys.contains(name): try configuration.safety.read(key, value)
        default: throw InvalidValue.unknownKey(key.text, among: Self.keys).at(key.place)
        }
    }

    private mutating func readAddresses(_ key: SourcedText, _ value: YAMLNode) throws(InvalidValue) {
        let syntax = SettingSyntax<ListenAddress>("address") { text throws(InvalidValue) in
            try ListenAddress.read(text)
        }
        let input = try value.input
        let addresses = try SettingsSection.naming(key, input) { () throws(InvalidValue) in
            try InvalidValue.collecting(input.entries) { input throws(InvalidValue) in [try syntax.parse(input)] }
        }
        guard Set(addresses).count == addresses.count, !addresses.isEmpty else {
            let message = addresses.isEmpty ? "names no address" : "names an address twice"
            throw InvalidValue("\(key.text): \(message)", advice: "give each address once", at: value.place)
        }
        configuration.addresses = addresses
    }
}

// MARK: - Cameras

extension ServiceConfigurationReader {
    private mutating func readCamera(_ id: SourcedText, _ node: YAMLNode) throws(InvalidValue) {
        try Self.checkID(id)
        let (own, preset, sections) = readSection(
            try SectionKeys(node, of: id), also: ["preset"] + Self.sectionsOfCamera)
        let settings = own.settings.merging(over: preset ?? CaptureSettings())
        attempt { _ throws(InvalidValue) in try own.check() }
        attempt { _ throws(InvalidValue) in try Self.check(settings, .snap, own, at: id) }
        var camera = ServiceCamera(id: id.text, settings: settings, series: [])
        attempt { [camera] reader throws(InvalidValue) in try reader.checkRequested(camera, own, at: id) }
        var series: [ServiceSeries] = []
        if let (key, value) = sections["series"] {
            for (id, node) in try SectionKeys(value, of: key).entries {
                attempt { reader throws(InvalidValue) in
                    if let found = try reader.readSeries(id, node, of: settings) { series.append(found) }
                }
            }
        }
        if let (key, value) = sections["clips"] {
            attempt { reader throws(InvalidValue) in camera.clips = try reader.readClips(key, value, of: settings, id) }
        }
        camera.series = series
        configuration.cameras.append(camera)
    }

    private mutating func readClips(
        _ key: SourcedText, _ node: YAMLNode, of camera: CaptureSettings, _ id: SourcedText
    ) throws(InvalidValue) -> ClipSettings {
        let clips = try ClipSettings(key, node, of: camera, file: file)
        if let other = ledgers[clips.account] {
            throw InvalidValue(
                "output: \(clips.names.description.quoted) is also the output of clips of camera \(other)",
                advice: "give each camera its own", at: key.place)
        }
        ledgers[clips.account] = id.text
        return clips
    }

    private mutating func readSeries(
        _ id: SourcedText, _ node: YAMLNode, of camera: CaptureSettings
    ) throws(InvalidValue) -> ServiceSeries? {
        try Self.checkID(id)
        if let line = seriesLines[id.text] { throw .twice(id.text, first: line, at: id.place) }
        seriesLines[id.text] = id.place?.line
        let count = problems.count
        let (own, preset, _) = readSection(try SectionKeys(node, of: id), also: ["preset"], isSeries: true)
        // Further problems would only follow from these.
        guard problems.count == count else { return nil }
        let settings = own.settings.merging(over: preset ?? CaptureSettings()).merging(over: camera.withoutOutput)
        let series = ServiceSeries(id: id.text, settings: settings)
        try checkOutput(settings, own, at: id)
        try Self.check(series.lasting, .timelapse, own, at: id)
        try checkLedger(series, own, at: id)
        try checkFilms(series, own, at: id)
        return series
    }

    private mutating func checkFilms(
        _ series: ServiceSeries, _ own: SettingsSection, at id: SourcedText
    ) throws(InvalidValue) {
        let films: DayFilmSettings?
        do throws(CaptureError) {
            films = try series.films()
        } catch {
            throw own.mistake(error, at: id)
        }
        guard let films else { return }
        if let other = ledgers[films.list] {
            throw InvalidValue(
                "film: series \(other) has its films in the same folder", advice: "give each series its own folder",
                at: id.place)
        }
        ledgers[films.list] = id.text
    }

    /// The keys of a camera that have sections below them.
    private static let sectionsOfCamera = ["series", "clips"]

    /// Reads the settings of a section and its preset. Returns also the sections below a camera, by their keys.
    private mutating func readSection(
        _ keys: SectionKeys, also otherKeys: [String], isSeries: Bool = false
    ) -> (own: SettingsSection, preset: CaptureSettings?, sections: [String: (SourcedText, YAMLNode)]) {
        var section = SettingsSection(file: file, otherKeys: otherKeys)
        var (preset, sections): (CaptureSettings?, [String: (SourcedText, YAMLNode)]) = (nil, [:])
        for (key, value) in keys.entries {
            attempt { reader throws(InvalidValue) in
                switch key.text {
                case "preset": preset = try reader.readPreset(key, try value.input, isSeries: isSeries)
                case let name where !isSeries && Self.sectionsOfCamera.contains(name): sections[name] = (key, value)
                default:
                    try section.read(key, try value.input)
                    if let reason = ServiceKey.objection(to: key.text, inSeries: isSeries) {
                        throw InvalidValue(
                            "\(key.text): \(reason.message)", advice: reason.advice, at: key.place)
                    }
                }
            }
        }
        return (section, preset, sections)
    }

    private func readPreset(
        _ key: SourcedText, _ input: SettingInput, isSeries: Bool
    ) throws(InvalidValue) -> CaptureSettings {
        try SettingsSection.naming(key, input) { () throws(InvalidValue) in
            let name = try SettingSyntax.text("name").parse(input)
            let settings: CaptureSettings
            do throws(CaptureError) {
                settings = try presets.preset(name).settings
            } catch {
                let line = error.summary.split(separator: "\n").first.map(String.init) ?? error.summary
                throw InvalidValue(line, advice: error.advice ?? "gst-capture presets check \(name) lists all mistakes")
            }
            for setting in Setting.all where setting.isGiven(settings) {
                guard let reason = ServiceKey.objection(to: setting.key, inSeries: isSeries, isPreset: true) else {
                    continue
                }
                throw InvalidValue(
                    "\(name.quoted) sets \(setting.key), which \(reason.message)", advice: reason.advice)
            }
            return settings
        }
    }
}

// MARK: - Sessions

extension ServiceConfigurationReader {
    /// Reads `cameras: {front: desk, left: side}`.
    private func roles(_ node: YAMLNode, _ key: SourcedText) throws(InvalidValue) -> [CameraRole: String] {
        guard case .mapping(let pairs, _) = node, !pairs.isEmpty else {
            throw InvalidValue(
                "cameras is a mapping", advice: "write cameras: {front: desk, left: side}", at: key.place)
        }
        var cameras: [CameraRole: String] = [:]
        for pair in pairs {
            guard case .scalar(let name) = pair.key else {
                throw InvalidValue("a role is a name", advice: "write front: desk", at: pair.key.place)
            }
            let role = try SettingSyntax<CameraRole>.role.parse(.text(name))
            cameras[role] = try cameraID(try SettingSyntax.text("text").parse(try pair.value.input), name)
        }
        return cameras
    }

    private mutating func readSession(_ id: SourcedText, _ node: YAMLNode) throws(InvalidValue) {
        try Self.checkID(id)
        var (file, output): (SessionFile?, String?)
        var cameras: [CameraRole: String] = [:]
        var (printer, copies): (ServicePrinter?, Int?)
        var record: String?
        let count = problems.count
        for (key, value) in try SectionKeys(node, of: id).entries {
            attempt { reader throws(InvalidValue) in
                if key.text == "cameras" {
                    cameras = try reader.roles(value, key)
                    return
                }
                let input = try value.input
                let text = try SettingsSection.naming(key, input) { () throws(InvalidValue) in
                    try SettingSyntax.text("text").parse(input)
                }
                switch key.text {
                case "session": file = try reader.sessionFile(text, key)
                case "output": output = try Self.folder(text, key)
                case "printer":
                    printer = try SettingsSection.naming(key, input) { () throws(InvalidValue) in
                        try ServicePrinter.read(text)
                    }
                case "copies":
                    copies = try SettingsSection.naming(key, input) { () throws(InvalidValue) in
                        try SettingSyntax.integer("count", 1...99).parse(input)
                    }
                case "record": record = try reader.kindID(text, key)
                case "camera": cameras = [.front: try reader.cameraID(text, key)]
                case "front": cameras[.front] = try reader.cameraID(text, key)
                case "back": cameras[.back] = try reader.cameraID(text, key)
                default: throw InvalidValue.unknownKey(key.text, among: ServiceSession.keys).at(key.place)
                }
            }
        }
        // Further problems would only follow from these.
        guard problems.count == count else { return }
        guard let output else {
            throw InvalidValue("output: is missing", advice: "name the folder of the pictures", at: id.place)
        }
        guard Set(cameras.values).count == cameras.count else {
            throw InvalidValue(
                "two roles have the same camera", advice: "write camera: for one camera", at: id.place)
        }
        if cameras.isEmpty, let only = configuration.cameras.first?.id, configuration.cameras.count == 1 {
            cameras = [.front: only]
        }
        guard !cameras.isEmpty else {
            throw InvalidValue("camera: is missing", advice: "name a camera of this file", at: id.place)
        }
        // Without the key, the ID is the name of the session.
        if file == nil { file = try sessionFile(id.text, id) }
        guard let file else { return }
        do throws(CaptureError) {
            try file.session.checkRoles(Set(cameras.keys))
        } catch {
            throw InvalidValue("stage \(error.summary)", advice: "name it under cameras:", at: id.place)
        }
        var session = ServiceSession(id: id.text, file: file, cameras: cameras, output: output)
        session.printer = printer
        if let copies { session.printer?.mostCopies = copies }
        guard copies == nil || printer != nil else {
            throw InvalidValue("copies: needs a printer", advice: "add printer:", at: id.place)
        }
        guard record == nil || file.session.consent?.retention == nil else {
            throw InvalidValue(
                "record: its consent says when pictures are removed, and records keep them",
                advice: "remove retention: of the consent, or record:", at: id.place)
        }
        session.record = record
        configuration.sessions.append(session)
    }

    /// Returns the ID of a kind of records of this file.
    private func kindID(_ id: String, _ key: SourcedText) throws(InvalidValue) -> String {
        let known = configuration.records?.kinds.map(\.id) ?? []
        guard known.contains(id) else {
            let near = Spelling.nearest(to: id, among: known).map { "did you mean \($0)?" }
            throw InvalidValue(
                "record: \(id.quoted) is not a kind of this service", advice: near ?? "name it under records:",
                at: key.place)
        }
        return id
    }

    private func button(_ node: YAMLNode, _ owner: SourcedText) throws(InvalidValue) -> ServiceButton {
        var texts: [String: String] = [:]
        for (key, value) in try SectionKeys(node, of: owner).entries {
            guard ServiceButton.keys.contains(key.text) else {
                throw InvalidValue.unknownKey(key.text, among: ServiceButton.keys).at(key.place)
            }
            texts[key.text] = try SettingsSection.naming(key, try value.input) { () throws(InvalidValue) in
                try SettingSyntax.text("text").parse(try value.input)
            }
        }
        do throws(InvalidValue) { return try button(texts) } catch { throw error.at(node.place ?? owner.place) }
    }

    private func button(_ texts: [String: String]) throws(InvalidValue) -> ServiceButton {
        guard let device = texts["device"] else {
            throw InvalidValue("a button has no device", advice: "add device: with its name or its node")
        }
        var button = ServiceButton(device: device, action: try action(texts))
        if let key = texts["key"] { button.key = try ServiceButton.code(key) }
        if let grab = texts["grab"] {
            button.isGrabbed = try SettingSyntax.toggle.parse(.text(SourcedText(text: grab)))
        }
        return button
    }

    private func action(_ texts: [String: String]) throws(InvalidValue) -> ServiceButton.Action {
        switch (texts["camera"], texts["session"], texts["do"]) {
        case (let camera?, nil, nil), (let camera?, nil, "snap"):
            return .snap(camera: try cameraID(camera, SourcedText(text: "camera")))
        case (let camera?, nil, "record"):
            return .record(camera: try cameraID(camera, SourcedText(text: "camera")))
        case (let camera?, nil, "trigger"):
            return .trigger(camera: try cameraID(camera, SourcedText(text: "camera")))
        case (nil, let session?, let input):
            guard configuration.sessions.contains(where: { $0.id == session }) else {
                throw InvalidValue("there is no session \(session.quoted)", advice: "use one of this file")
            }
            guard let input, input != "capture" else { return .capture(session: session) }
            guard SessionRequest.Action.inputs[input] != nil else {
                let all = SessionRequest.Action.inputs.keys.sorted().joined(separator: ", ")
                throw InvalidValue("do: \(input.quoted) is not an input", advice: "use one of \(all)")
            }
            return .input(input, session: session)
        case (_?, _?, _): throw InvalidValue("camera and session exclude each other", advice: "leave out one of them")
        case (_?, nil, let input?):
            throw InvalidValue(
                "do: \(input.quoted) is not a request of a camera", advice: "give snap, record or trigger")
        case (nil, nil, _): throw InvalidValue("a button does nothing", advice: "add camera: or session:")
        }
    }

    private func sessionFile(_ name: String, _ key: SourcedText) throws(InvalidValue) -> SessionFile {
        do throws(CaptureError) {
            return try sessions.file(name)
        } catch {
            let line = error.summary.split(separator: "\n").first.map(String.init) ?? error.summary
            throw InvalidValue(
                "\(key.text): \(line)", advice: error.advice ?? "gst-capture session check \(name) lists all mistakes",
                at: key.place)
        }
    }

    private func cameraID(_ text: String, _ key: SourcedText) throws(InvalidValue) -> String {
        let known = configuration.cameras.map(\.id)
        guard known.contains(text) else {
            throw InvalidValue(
                "\(key.text): there is no camera \(text.quoted)", advice: "use one of \(known.joined(separator: ", "))",
                at: key.place)
        }
        return text
    }

    private static func folder(_ text: String, _ key: SourcedText) throws(InvalidValue) -> String {
        guard text.hasPrefix("/"), !text.utf8.contains(0) else {
            throw InvalidValue(
                "\(key.text): \(text.quoted) is not absolute",
                advice: "begin it with /: a service has no working folder", at: key.place)
        }
        var folder = text
        while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        return folder
    }
}

// MARK: - Checks

extension ServiceConfigurationReader {
    /// Checks an ID, which becomes a part of URLs.
    private static func checkID(_ id: SourcedText) throws(InvalidValue) {
        guard ServiceID.isValid(id.text) else {
            throw InvalidValue("\(id.text.quoted) is not an ID", advice: ServiceID.advice, at: id.place)
        }
    }

    private func checkOutput(
        _ settings: CaptureSettings, _ own: SettingsSection, at id: SourcedText
    ) throws(InvalidValue) {
        let place = own.places["output"] ?? id.place
        guard let output = settings.output else {
            throw InvalidValue(
                "output: is missing", advice: "give file names such as /srv/garden/%Y/%m/%d/%H%M%S.jpg", at: place)
        }
        guard output.hasPrefix("/") else {
            throw InvalidValue(
                "output: \(output.quoted) is not absolute", advice: "begin it with /: a service has no working folder",
                at: place)
        }
        guard settings.ledger != "off" else {
            throw InvalidValue(
                "ledger: is off", advice: "leave it out: a service resumes its series from their ledgers",
                at: own.places["ledger"] ?? id.place)
        }
    }

    /// Checks the output of a camera: the names of the pictures that clients request.
    private mutating func checkRequested(
        _ camera: ServiceCamera, _ own: SettingsSection, at id: SourcedText
    ) throws(InvalidValue) {
        let place = own.places["output"] ?? id.place
        guard let requested = camera.requested else {
            // A preset may have an output for the command, in its working folder.
            guard own.places["output"] != nil, let output = camera.settings.output else { return }
            throw InvalidValue(
                "output: \(output.quoted) is not absolute", advice: "begin it with /: a service has no working folder",
                at: place)
        }
        let output = requested.settings.output ?? ""
        guard !output.utf8.contains(where: { $0 < 0x20 }), output.contains("%") else {
            throw InvalidValue(
                "output: \(output.quoted) gives all pictures the same name", advice: "put %n into the name", at: place)
        }
        if let line = seriesLines[id.text] { throw .twice(id.text, first: line, at: id.place) }
        seriesLines[id.text] = id.place?.line
        try checkLedger(requested, own, at: id)
    }

    /// Checks that no other series uses the same ledger, which belongs to one series at a time.
    private mutating func checkLedger(
        _ series: ServiceSeries, _ own: SettingsSection, at id: SourcedText
    ) throws(InvalidValue) {
        guard let output = series.settings.output, let template = try? FileNameTemplate(parsing: output) else { return }
        let ledger = series.settings.ledger ?? Ledger.standardPath(for: template)
        if let other = ledgers[ledger] {
            throw InvalidValue(
                "output: \(output.quoted) is also the output of series \(other)", advice: "give each series its own",
                at: own.places["output"] ?? id.place)
        }
        ledgers[ledger] = id.text
    }

    /// Checks how the settings fit together.
    private static func check(
        _ settings: CaptureSettings, _ mode: CaptureMode, _ own: SettingsSection, at id: SourcedText
    ) throws(InvalidValue) {
        var checked = settings
        // The output of a camera is that of its series; `checkOutput` checks it there.
        if mode == .snap { (checked.output, checked.latest, checked.ledger) = (nil, nil, nil) }
        do throws(CaptureError) {
            try CaptureConfiguration.check(checked, mode: mode)
        } catch {
            throw own.mistake(error, at: id)
        }
    }
}

/// The keys of presets that a section of a service's configuration does not accept.
private enum ServiceKey {
    /// Returns the reason why a key is refused; `nil` if it is accepted.
    static func objection(
        to key: String, inSeries isSeries: Bool, isPreset: Bool = false
    ) -> (message: String, advice: String)? {
        guard let setting = Setting.named(key) else { return nil }
        if isSeries, Setting.ofCamera.contains(key) {
            let advice = isPreset ? "give the preset to the camera" : "move it to the camera"
            return ("belongs to the camera, which all its series share", advice)
        }
        if ["outbox", "outbox-state"].contains(key) {
            return ("belongs to the service, which all its series share", "write outbox: beside cameras:")
        }
        switch setting.section {
        case .session where key.hasPrefix("exec-"), .hooks:
            return ("is a command, and a service runs none", "remove it, and follow the service's events")
        case .session where !isPreset: return ("is a key of sessions", "write it below sessions:, or remove it")
        default: return nil
        }
    }
}
