// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import PresetKit

extension SessionDescription {
    /// The keys of a session's file. The code has no other list of them; docs/sessions.md describes each.
    static let fields: [SessionField<SessionDescription>] = [
        SessionField("title", \.title, .text("text", most: 200)),
        SessionField("purpose", \.purpose, .text("text", most: 1000)),
        SessionField("start", \.start, .choice),
        SessionField("next-stages", \.nextStages, .choice),
        SessionField("countdown", \.countdown, .wait()),
        SessionField("abort", \.abort, .choice),
        SessionField("keep-aborted", \.keepsAborted, .toggle),
        SessionField("tutorial-once", \.remembersTutorial, .toggle),
        SessionField("gates", \.gates, .gates),
        SessionField("idle", optional: \.idle, .limit(5...3600)),
        SessionField("loop", \.loops, .toggle),
        SessionField("share", optional: \.sharing, .limit(60...30 * 86400)),
        SessionField("results", \.results, .list(of: .choice)),
        SessionField("language", \.language, .languageTag),
        SessionField("consent") { node, session throws(InvalidValue) in
            session.consent = try SessionConsent.read(node)
        },
        SessionField("fields") { node, session throws(InvalidValue) in
            session.form = try node.list("fields", FormField.read)
            try node.checkNames(session.form.map(\.name), of: "fields")
        },
        SessionField("languages") { node, session throws(InvalidValue) in
            session.languages = try SessionWords.readAll(node)
        },
        SessionField("tutorial") { node, session throws(InvalidValue) in
            session.tutorial = try node.list("tutorial", TutorialPage.read)
        },
        SessionField("stages") { node, session throws(InvalidValue) in
            session.stages = try node.list("stages", SessionStage.read)
            try node.checkNames(session.stages.map(\.name), of: "stages")
        },
    ]
}

extension TutorialPage {
    private static let fields: [SessionField<TutorialPage>] = [
        SessionField("text", \.text, .text("text")), SessionField("picture", optional: \.picture, .text("file")),
    ]

    /// Reads a page: a text, or a mapping of text and picture.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> TutorialPage {
        guard case .mapping(let nodes, let place) = node else {
            return TutorialPage(try SettingSyntax<String>.text("text").parse(try node.input))
        }
        var page = TutorialPage("")
        try SessionField.fill(&page, nodes, fields)
        guard !page.text.isEmpty else { throw InvalidValue("a page has no text", advice: "add text:", at: place) }
        return page
    }
}

extension SessionStage {
    /// The keys of a stage. The code has no other list of them; docs/sessions.md describes each.
    static let fields: [SessionField<SessionStage>] = [
        SessionField("name", \.name, .entryName),
        SessionField("title", optional: \.title, .text("text", most: 200)),
        SessionField("start", optional: \.start, .choice),
        SessionField("prompt", \.prompt, .text("text", most: 500)),
        SessionField("outline", \.outline, .optional("none", or: .text("name|file", most: 1000))),
        SessionField("countdown", optional: \.countdown, .wait()),
        SessionField("camera", \.camera, .optional("any", or: .role)),
        SessionField("cameras", \.cameras, .roles),
        SessionField("skippable", \.isSkippable, .toggle),
        SessionField("gates", optional: \.gates, .gates),
        SessionField("pictures", \.pictures, .integer("count", 1...SessionStage.mostPictures)),
        SessionField("interval", \.sequence, .sequence),
        SessionField("ghost", \.ghost, .choice),
        SessionField("crop", \.crop, .choice),
        SessionField("unrectified", \.unrectified, .choice),
        SessionField("corners", \.corners, .choice),
        SessionField("print-width", optional: \.printWidth, .millimeters),
        SessionField("best-of", \.bestOf, .integer("count", 1...100)),
        SessionField("clip") { node, stage throws(InvalidValue) in try Self.readClip(node, &stage) },
        SessionField("audio", \.microphone, .stageMicrophone),
    ]

    /// The keys that have no meaning in a stage with a clip.
    private static let keysOfPictures: Set<String> = [
        "cameras", "pictures", "interval", "crop", "unrectified", "corners", "print-width", "best-of",
    ]

    /// Reads a stage.
    static func read(_ node: YAMLNode) throws(InvalidValue) -> SessionStage {
        guard case .mapping(let nodes, let place) = node else {
            throw InvalidValue("a stage is a mapping", advice: "begin it with name:", at: node.place)
        }
        var stage = SessionStage(name: "")
        try SessionField.fill(&stage, nodes, fields)
        guard
            Set(nodes.map(\.key.text)).isDisjoint(with: ["cameras"])
                || !nodes.contains(where: { $0.key.text == "camera" })
        else { throw InvalidValue("camera and cameras exclude each other", advice: "leave out one of them", at: place) }
        guard !stage.name.isEmpty else { throw InvalidValue("a stage has no name", advice: "add name:", at: place) }
        guard stage.crop == .none || stage.outline != nil else {
            throw InvalidValue("\(stage.name): crop needs an outline", advice: "add outline:", at: place)
        }
        guard stage.printWidth == nil || stage.crop != .none else {
            throw InvalidValue("\(stage.name): print-width needs a crop", advice: "add crop: outline", at: place)
        }
        try checkClip(of: stage, nodes)
        return stage
    }

    /// The keys of a clip's mapping. Those of the video are the options of `gst-capture record`.
    private static let clipFields: [SessionField<SessionStage>] = [
        clipLength("length"),
        SessionField("size", optional: \.videoSize, .videoSize),
        SessionField("fps", optional: \.video.frameRate, .frameRate),
        SessionField("bitrate", optional: \.video.bitRate, .bitRate),
        SessionField("codec", \.video.encoder, .encoder),
    ]

    private static func clipLength(_ key: String) -> SessionField<SessionStage> {
        SessionField(key, optional: \.clip, .wait(from: shortestClip))
    }

    /// Reads `clip: 5s`, or a mapping with the length and the video: `clip: {length: 5s, size: 1280x720}`.
    private static func readClip(_ node: YAMLNode, _ stage: inout SessionStage) throws(InvalidValue) {
        guard case .mapping(let nodes, let place) = node else { return try clipLength("clip").read(node, &stage) }
        try SessionField.fill(&stage, nodes, clipFields)
        guard stage.clip != nil else {
            throw InvalidValue("clip: has no length", advice: "add length: 5s", at: place)
        }
    }

    /// Checks the keys of a stage with a clip, and that a stage without one has no key that needs it.
    private static func checkClip(of stage: SessionStage, _ nodes: [YAMLNode.Pair]) throws(InvalidValue) {
        guard stage.clip != nil else {
            guard let audio = nodes.first(where: { $0.key.text == "audio" }) else { return }
            throw InvalidValue("\(stage.name): audio needs a clip", advice: "add clip: 5s", at: audio.key.place)
        }
        let keys = nodes.map(\.key).filter { key in key.text.map(keysOfPictures.contains) ?? false }
        _ = try InvalidValue.collecting(keys) { key throws(InvalidValue) -> [Never] in
            let name = key.text ?? ""
            throw InvalidValue(
                "\(stage.name): \(name) has no meaning for a clip", advice: "leave out \(name):", at: key.place)
        }
        guard let gates = nodes.first(where: { $0.key.text == "gates" }), let own = stage.gates else { return }
        guard !own.contains(where: \.rejectsPictures) else {
            throw InvalidValue(
                "\(stage.name): gates cannot reject a clip", advice: "leave out reject:", at: gates.key.place)
        }
    }
}

extension SessionStage {
    /// All cameras that capture a picture; empty for any.
    package var cameras: [CameraRole] {
        get { camera.map { [$0] + besides } ?? [] }
        set { (camera, besides) = (newValue.first, Array(newValue.dropFirst())) }
    }
}

extension SessionStage {
    /// The requested size of the clip; `nil` for that of the camera.
    fileprivate var videoSize: VideoSize? {
        get { VideoSize(width: video.width, height: video.height) }
        set { (video.width, video.height) = (newValue?.width, newValue?.height) }
    }
}

extension SettingSyntax where Value == String {
    /// A name that is part of file names: letters, digits, `-` and `_`.
    package static var entryName: Self {
        Self("name") { text throws(InvalidValue) in
            guard text.utf8.count <= 64, text.utf8.allSatisfy(\.isWordCharacter), !text.hasPrefix("-") else {
                throw InvalidValue("\(text.quoted) is not a name", advice: "give letters, digits, - and _")
            }
            return text
        }
    }
}

extension SessionField {
    /// Reads all keys of a mapping; throws all mistakes at once.
    package static func fill(
        _ target: inout Target, _ nodes: [YAMLNode.Pair], _ fields: [SessionField]
    ) throws(InvalidValue) {
        let problems = read(try pairs(nodes), fields, into: &target)
        if let problem = InvalidValue.joining(problems) { throw problem }
    }
}
