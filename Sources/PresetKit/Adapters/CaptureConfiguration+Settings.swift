// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import FrameMeasures
import LedgerKit
import OverlayCompositor
import ScheduleKit
import StillKit

extension CaptureConfiguration {
    /// Checks settings against each other, finds the layers that they name, and fills in the settings that the user
    /// left open. Blocks on file access if the settings name layers.
    ///
    /// - Parameter camera: The camera that the settings name, found by `CameraCatalog.resolve(_:)`; `nil` if they
    ///   name a source or the scene.
    /// - Parameter outlines: The library in which outlines are looked up.
    /// - Throws: `CaptureError` that names the option at fault.
    public init(
        _ settings: CaptureSettings, mode: CaptureMode, camera: Camera? = nil,
        outlines: OutlineLibrary = OutlineLibrary()
    ) throws(CaptureError) {
        self.init(source: try Self.source(settings, camera), output: try Self.output(settings, mode))
        request.width = settings.width
        request.height = settings.height
        request.frameRate = settings.framerate
        request.format = settings.format
        decode = settings.decode
        still = try Self.format(settings)
        quality = settings.quality ?? quality
        orientation = Orientation(rotation: settings.rotate ?? .none, flip: settings.flip ?? .none)
        overwrites = settings.overwrite ?? false
        latest = settings.latest
        ledger = mode == .timelapse ? Self.ledger(settings.ledger, output) : nil
        let policy = try StoragePolicy(settings)
        (mount, limits) = (policy.mount, policy.limits)
        // An outbox sends the pictures of a series. Only its ledger has their lines.
        if mode != .timelapse { (limits.maxAgeSent, limits.keepsUnsent) = (nil, false) }
        heldBytes = settings.hold ?? heldBytes
        // In a preview, the delay belongs to the self-timer, and nothing waits for it.
        delay = mode == .preview ? .zero : settings.delay ?? .zero
        countdown = settings.countdown ?? .zero
        notice = Self.notice(settings, mode)
        burst = settings.burst ?? 1
        settle = settings.settle ?? Self.settle(source)
        controls = settings.controls ?? []
        locks = settings.lock ?? []
        flash = settings.flash ?? .off
        flashControl = settings.flashControl
        leadTime = try Self.leadTime(settings, mode)
        history = settings.history ?? .zero
        schedule = try Schedule(settings, mode)
        // A single picture has no earlier one to match.
        ramps = schedule.isOnePicture ? [] : settings.ramp ?? []
        rampLimits = try RampLimits(settings)
        if let recover = settings.recover { recovery = recover }
        standsBy = settings.standby ?? standsBy
        stallLimit = settings.stallAfter ?? Self.stallLimit(source)
        preview = mode == .preview ? PreviewRequest(settings) : nil
        try checkNames()
        motion = try motion(settings)
        try findLayers(settings, outlines)
    }

    /// Checks for mistakes that show without a camera. Blocks as the initializer does.
    ///
    /// - Throws: `CaptureError` that names the option at fault.
    public static func check(_ settings: CaptureSettings, mode: CaptureMode) throws(CaptureError) {
        var settings = settings
        (settings.camera, settings.source) = (Camera.sceneID, nil)
        _ = try CaptureConfiguration(settings, mode: mode)
    }

    /// The pipeline that delivers frames, in gst-launch syntax.
    ///
    /// - Throws: `CaptureError` if the camera does not offer the requested format.
    public func pipelineDescription() throws(CaptureError) -> String { try SourceDescription(self).launchText }

    private mutating func findLayers(_ settings: CaptureSettings, _ outlines: OutlineLibrary) throws(CaptureError) {
        var finder = LayerFinder(outlines)
        overlay = finder.overlay(settings.overlay ?? [])
        burnIn = finder.burnIn(settings.burnIn ?? [], overlay: overlay)
        appearance = settings.appearance ?? Style()
        if let error = CaptureError.joining(finder.errors) { throw error }
    }

    private static func source(_ settings: CaptureSettings, _ camera: Camera?) throws(CaptureError) -> Source {
        if let fragment = settings.source { return .fragment(fragment) }
        if let camera { return .camera(camera) }
        guard let name = settings.cameraToFind else { return .camera(.scene) }
        throw CaptureError(.usage, "the caller has not looked up this camera", subject: name)
    }

    /// The scene is always steady, and the content of a fragment is unknown: neither waits for exposure by default.
    private static func settle(_ source: Source) -> Settle {
        if case .camera(let camera) = source, camera.kind != .scene { .automatic() } else { .off }
    }

    /// A fragment gets a longer limit: frames from a network arrive in bursts.
    private static func stallLimit(_ source: Source) -> Duration {
        if case .fragment = source { .seconds(5) } else { .seconds(2) }
    }

    private static func output(_ settings: CaptureSettings, _ mode: CaptureMode) throws(CaptureError) -> Output {
        if settings.output == "-" { return .standardOutput }
        // Galleries look for live photos by this part of their names.
        let ending = (settings.live == true ? "MP." : "") + (settings.encoding ?? .jpeg).fileExtension
        let name = settings.output ?? (mode != .timelapse ? "%Y-%m-%d_%H-%M-%S_%n" : "%Y-%m-%d_%05n") + ".\(ending)"
        return .files(try FileNameTemplate(parsing: name))
    }

    private static func ledger(_ setting: String?, _ output: Output) -> String? {
        if let setting { return setting == "off" ? nil : setting }
        guard case .files(let template) = output else { return nil }
        return Ledger.standardPath(for: template)
    }

    private static let otherEndings: Set = [
        "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl", "jp2", "ppm", "pgm", "pnm", "dng", "mp4", "avi",
        "mkv",
    ]

    private static func format(_ settings: CaptureSettings) throws(CaptureError) -> StillFormat {
        let ending = settings.output?.split(separator: ".").last?.lowercased() ?? ""
        guard settings.encoding != nil || !otherEndings.contains(ending) else {
            throw CaptureError(
                .usage, "\(ending) is not a supported picture format", subject: "--output",
                advice: "use jpg, png, webp or raw, or give the encoding with -e")
        }
        let byName = settings.output.flatMap(StillFormat.init(fileName:))
        if let asked = settings.encoding, let byName, asked != byName {
            throw CaptureError(
                .usage, "the file name \(settings.output ?? "") means \(byName), but --encoding is \(asked)",
                advice: "leave out one of them")
        }
        return settings.encoding ?? byName ?? .jpeg
    }

    /// Returns the movie that joins each picture; `nil` for plain pictures.
    ///
    /// - Throws: `CaptureError` if a picture cannot have one.
    private func motion(_ settings: CaptureSettings) throws(CaptureError) -> MotionSpan? {
        guard settings.live == true else { return nil }
        if still != .jpeg { throw .noLivePhoto("is for JPEG pictures, not for \(still)", "leave out one of them") }
        guard case .files = output else { throw .noLivePhoto("needs a file for each picture", "give a file name") }
        if burst > 1 { throw .noLivePhoto("and --burst exclude each other", "leave out one of them") }
        return MotionSpan()
    }

    /// Returns how long before a trigger its frame was captured.
    ///
    /// - Throws: `CaptureError` if no trigger can have one.
    private static func leadTime(_ settings: CaptureSettings, _ mode: CaptureMode) throws(CaptureError) -> Duration {
        guard let at = settings.at else { return .zero }
        func error(_ problem: String, _ advice: String) -> CaptureError {
            CaptureError(.usage, problem, subject: "--at", advice: advice)
        }
        if mode == .snap {
            throw error("has no effect without a trigger", "use preview, or timelapse and SIGUSR1")
        }
        if settings.burst ?? 1 > 1 { throw error("and --burst exclude each other", "leave out one of them") }
        if settings.standby ?? false {
            throw error("needs a camera that stays open", "leave out --standby")
        }
        if (settings.flash ?? .off) != .off {
            throw error("takes a frame that no flash has lit", "leave out --flash")
        }
        return .zero - at
    }

    /// The notice is as long as the command before a picture may take, and at most one interval. A single picture has
    /// no time for a notice.
    private static func notice(_ settings: CaptureSettings, _ mode: CaptureMode) -> Duration {
        guard settings.execBefore != nil, mode != .snap else { return .zero }
        let limit = settings.execLimit ?? CaptureSettings.standardExecLimit
        return min(limit, settings.interval ?? limit)
    }

    private func checkNames() throws(CaptureError) {
        guard case .files(let template) = output, !schedule.isOnePicture || burst > 1 else { return }
        let hasTime = template.parts.contains { if case .time = $0 { true } else { false } }
        guard !template.usesSequence, !overwrites, !hasTime || burst > 1 else { return }
        throw CaptureError(
            .usage, "\"\(template)\" gives all pictures the same name", subject: "--output",
            advice: "put %n into the name, or use --overwrite")
    }
}

extension CaptureError {
    fileprivate static func noLivePhoto(_ problem: String, _ advice: String) -> CaptureError {
        CaptureError(.usage, problem, subject: "--live", advice: advice)
    }
}

extension CaptureSettings {
    /// Returns the layers over the preview, with the outlines and files that they name. It blocks.
    ///
    /// - Throws: `CaptureError` if an outline or a file is missing.
    public func overlayLayers(_ outlines: OutlineLibrary = OutlineLibrary()) throws(CaptureError) -> [Layer] {
        var finder = LayerFinder(outlines)
        let layers = finder.overlay(overlay ?? [])
        if let error = CaptureError.joining(finder.errors) { throw error }
        return layers
    }
}

extension PreviewRequest {
    /// Creates a request from the settings of the preview.
    init(_ settings: CaptureSettings) {
        self.init()
        (width, height) = (settings.previewWidth, settings.previewHeight)
        frameRate = settings.previewFramerate
        sink = settings.previewSink ?? sink
        isMirrored = settings.mirror ?? isMirrored
    }
}
