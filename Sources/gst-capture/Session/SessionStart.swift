// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import OverlayCompositor

/// Puts settings, cameras and controller of a session together, and runs it.
struct SessionStart: Sendable {
    let options: SessionOptions
    let reporting: ReportingOptions
    /// Where its pictures go.
    let output: SessionConfiguration.Output

    /// Runs a session to its end.
    ///
    /// - Throws: ``ExitStatus`` where it was not accepted, after all has been told.
    func run(_ file: SessionFile) async throws {
        let printer: any SessionPrinter =
            reporting.json
            ? SessionJSONPrinter(file.session)
            : SessionLinePrinter(file.session, isQuiet: reporting.quiet, isAutomatic: options.auto)
        var status = ExitStatus.success
        do throws(CaptureError) {
            status = try await run(file, printer)
        } catch {
            if SignalListener.status == nil { printer.report(error) }
            status = SignalListener.status ?? ExitStatus(error)
        }
        if status != .success { throw status }
    }

    private func run(_ file: SessionFile, _ printer: any SessionPrinter) async throws(CaptureError) -> ExitStatus {
        let settings = try SettingSources.resolve(options: options.assignments, preset: reporting.preset)
        try settings.checkForSession()
        let library = try LibraryOptions.pictures(settings.library ?? [])
        var configuration = SessionConfiguration(
            cameras: try await cameras(settings, hasLibrary: !library.isEmpty), output: output)
        configuration.library = library
        configuration.disk = SessionDisk(mount: settings.mount, keepFree: settings.keepFree)
        configuration.overlay = try settings.overlayLayers()
        configuration.accelerometer = settings.accelerometer ?? .off
        configuration.sound = settings.sound.map { SoundRequest($0) } ?? .off
        configuration.preview = PreviewRequest(settings, isAutomatic: options.auto)
        configuration.appearance = settings.appearance ?? configuration.appearance
        configuration.cropQuality = settings.quality ?? configuration.cropQuality
        configuration.definition = file
        configuration.tutorialMemory = TutorialMemory.standard(Terminal.variable)
        try options.apply(to: &configuration)
        // A program that reads events is not held up, nor is a session that nobody sees.
        if !options.auto, !reporting.json, configuration.preview.sink != .none { configuration.farewell = .seconds(5) }
        if reporting.dryRun {
            for var camera in configuration.cameras.values {
                camera.preview = configuration.preview
                StandardStream.output.line(try camera.pipelineDescription())
            }
            printer.tell("would take \(Wording.count(file.session.pictureCount, "picture")); no camera was opened")
            return .success
        }
        // What needs it says so where it is not there.
        let rasteriser = try? RasterProcess.installed()
        if rasteriser == nil { printer.tell("no outlines, words and crops: gst-capture-raster is not installed") }
        await GStreamerStart.finished()
        let controller = SessionController(file.session, configuration, rasteriser: rasteriser)
        if !options.auto {
            if settings.previewSink == nil, configuration.preview.sink == .none {
                printer.tell("no window: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)")
            }
            printer.tell(SessionStroke.words)
        }
        let source = (configuration.cameras[.front] ?? configuration.cameras[.back])?.source ?? .camera(.scene)
        let hooks = HookRunner(HookCommands(settings, source)) { printer.tell($0) }
        // What hooks write beside the pictures is as private as those are.
        umask(0o077)
        let loop = SessionLoop(
            controller, printer, isMirrored: configuration.preview.isMirrored, isControlled: options.control != nil,
            hooks: hooks)
        guard let signals = SignalListener.listen() else { return SignalListener.status ?? .success }
        return await loop.run(signals)
    }

    /// One camera for both roles, or one for each.
    private func cameras(
        _ settings: CaptureSettings, hasLibrary: Bool
    ) async throws(CaptureError) -> [CameraRole: CaptureConfiguration] {
        var cameras: [CameraRole: CaptureConfiguration] = [:]
        // Without anybody, pictures of a library are all there is.
        if options.auto, hasLibrary { return [:] }
        if let front = settings.front { cameras[.front] = try await camera(settings, front) }
        if let back = settings.back { cameras[.back] = try await camera(settings, back) }
        if let front = cameras[.front], front.isSameCamera(as: cameras[.back]) {
            throw CaptureError(
                .usage, "is the camera of --front, too", subject: "--back",
                advice: "leave one of them out: it plays both roles")
        }
        if !cameras.isEmpty { return cameras }
        do throws(CaptureError) {
            return [.front: try await camera(settings, nil)]
        } catch {
            // With pictures of a library no camera is needed.
            guard error.code == .noCamera, hasLibrary else { throw error }
            return [:]
        }
    }

    private func camera(_ settings: CaptureSettings, _ name: String?) async throws(CaptureError) -> CaptureConfiguration
    {
        var settings = settings
        if let name { (settings.camera, settings.source) = (name, nil) }
        guard [nil, .jpeg, .png].contains(settings.encoding) else {
            throw CaptureError(
                .usage, "pictures of a session are jpeg or png", subject: "--encoding", advice: "give one of these")
        }
        var camera: Camera?
        if let name = settings.cameraToFind { camera = try await CameraFinder.resolve(name) }
        return try CaptureConfiguration(settings, mode: .preview, camera: camera)
    }
}

extension CaptureConfiguration {
    /// True for one and the same device; of the scene there are as many as wanted.
    fileprivate func isSameCamera(as other: CaptureConfiguration?) -> Bool {
        guard case .camera(let camera) = source, case .camera(let otherCamera)? = other?.source else { return false }
        return camera.kind != .scene && camera.id == otherCamera.id
    }
}
