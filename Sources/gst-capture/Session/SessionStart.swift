// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import HookKit
import OverlayCompositor
import PresetKit
import SessionKit
import TerminalKit

/// Creates a session's configuration and controller from the settings and the cameras, and runs the session.
struct SessionStart: Sendable {
    let command: any SessionRunCommand
    /// The destination of its pictures.
    let output: SessionConfiguration.Output

    private var options: SessionOptions { command.session }
    private var reporting: ReportingOptions { command.reporting }

    /// Runs a session to its end.
    ///
    /// - Throws: ``ExitStatus`` if the session was not accepted, after all errors were reported.
    func run(_ file: SessionFile) async throws {
        var printer = self.printer(of: file.session, isAutomatic: options.auto ?? false)
        var status = ExitStatus.success
        do throws(CaptureError) {
            let settings = try SettingSources.resolve(options: command.assignments, preset: reporting.preset)
            let session = try file.session.applying(settings)
            printer = self.printer(of: session, isAutomatic: settings.auto ?? false)
            status = try await run(session, of: file, settings, printer)
        } catch {
            if SignalListener.status == nil { printer.report(error) }
            status = SignalListener.status ?? ExitStatus(error)
        }
        if status != .success { throw status }
    }

    private func printer(of session: SessionDescription, isAutomatic: Bool) -> any SessionPrinter {
        reporting.json
            ? SessionJSONPrinter(session)
            : SessionLinePrinter(session, isQuiet: reporting.quiet, isAutomatic: isAutomatic)
    }

    private func run(
        _ session: SessionDescription, of file: SessionFile, _ settings: CaptureSettings,
        _ printer: any SessionPrinter
    ) async throws(CaptureError) -> ExitStatus {
        try settings.checkForSession()
        let isAutomatic = settings.auto ?? false
        let library = try LibraryOptions.pictures(settings.library ?? [])
        var configuration = SessionConfiguration(
            cameras: try await cameras(settings, hasLibrary: !library.isEmpty), output: output)
        configuration.library = library
        configuration.storage.mount = settings.mount
        configuration.storage.limits.keepFree = settings.keepFree
        configuration.overlay = try settings.overlayLayers()
        configuration.accelerometer = settings.accelerometer ?? .off
        configuration.sound = settings.sound.map { SoundRequest($0) } ?? .off
        configuration.microphone = settings.audio.map { MicrophoneRequest($0) } ?? .automatic
        configuration.preview = PreviewRequest(settings, isAutomatic: isAutomatic)
        (configuration.isAutomatic, configuration.hasKeys) = (isAutomatic, !isAutomatic)
        configuration.hasButtons = !isAutomatic && configuration.preview.sink.reportsPresses
        configuration.appearance = settings.appearance ?? configuration.appearance
        configuration.cropQuality = settings.quality ?? configuration.cropQuality
        configuration.definition = file
        // The next person has not seen the tutorial.
        if !session.loops { configuration.tutorialMemory = TutorialMemory.standard(Terminal.variable) }
        configuration.form = try settings.form(of: session, isComplete: command.control.control == nil)
        configuration.adjustment = try settings.adjustment()
        // Only a viewer sees the last screen: it is left out if the session is automatic, has no preview, or reports to
        // a program.
        if !isAutomatic, !reporting.json, configuration.preview.sink != .none { configuration.farewell = .seconds(5) }
        if reporting.dryRun {
            for pipeline in try configuration.pipelines() { StandardStream.output.line(pipeline) }
            let count = Wording.count(session.pictureCount, "picture")
            printer.report(Notice(.information, "would take \(count); no camera was opened"))
            return .success
        }
        let reporter = SessionReporter(printer)
        // Features that need the rasterizer report that it is missing.
        let rasterizer = try? RasterProcess.installed()
        if rasterizer == nil {
            let message = "outlines, text and crops are off: gst-capture-raster is not installed"
            reporter.report(Notice(.layerNotDrawn, about: "gst-capture-raster", message))
        }
        await GStreamerStart.finished { reporter.report($0) }
        if !isAutomatic {
            if settings.previewSink == nil, configuration.preview.sink == .none {
                let message = "no window: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
                reporter.report(Notice(.noWindow, message))
            }
            reporter.report(Notice(.information, SessionStroke.words))
        }
        let hooks = HookRunner(HookCommands(settings)) { reporter.report($0) }
        // Files that hooks create beside the pictures are as private as the pictures.
        umask(0o077)
        let requests = try await RequestChannel.open(command.control)
        let loop = SessionLoop(
            reporter, isMirrored: configuration.preview.isMirrored, requests: requests,
            answers: SessionJSONPrinter(session), hooks: hooks, loops: session.loops
        ) { [configuration] in SessionController(session, configuration, rasterizer: rasterizer) }
        guard let signals = SignalListener.listen() else { return SignalListener.status ?? .success }
        let status = await loop.run(signals)
        await BlockingWork.run { requests?.close() }
        return status
    }

    /// Returns one camera for all roles, or one for each.
    private func cameras(
        _ settings: CaptureSettings, hasLibrary: Bool
    ) async throws(CaptureError) -> [CameraRole: CaptureConfiguration] {
        var cameras: [CameraRole: CaptureConfiguration] = [:]
        // An automatic session with a library takes all its pictures from there.
        if settings.auto ?? false, hasLibrary { return [:] }
        if let front = settings.front { cameras[.front] = try await camera(settings, front) }
        if let back = settings.back { cameras[.back] = try await camera(settings, back) }
        for (role, name) in try settings.namedRoles {
            guard cameras[role] == nil else {
                throw CaptureError(.usage, "appears twice", subject: "role \(role.rawValue)", advice: "leave out one")
            }
            cameras[role] = try await camera(settings, name)
        }
        if !cameras.isEmpty {
            try checkDifferent(cameras)
            return cameras
        }
        do throws(CaptureError) {
            return [.front: try await camera(settings, nil)]
        } catch {
            // A session with a library needs no camera.
            guard error.code == .noCamera, hasLibrary else { throw error }
            return [:]
        }
    }

    private func checkDifferent(_ cameras: [CameraRole: CaptureConfiguration]) throws(CaptureError) {
        let roles = cameras.keys.sorted()
        for (index, role) in roles.enumerated() {
            guard let same = roles[..<index].first(where: { cameras[role]?.isSameCamera(as: cameras[$0]) == true })
            else { continue }
            throw CaptureError(
                .usage, "is the same camera as \(same.rawValue)", subject: role.rawValue,
                advice: "leave out one of them: a single camera has both sides")
        }
    }

    private func camera(_ settings: CaptureSettings, _ name: String?) async throws(CaptureError) -> CaptureConfiguration
    {
        var settings = settings
        if let name { (settings.camera, settings.source) = (name, nil) }
        guard [nil, .jpeg, .png].contains(settings.encoding) else {
            throw CaptureError(
                .usage, "is not a format of sessions", subject: "--encoding", advice: "give jpeg or png")
        }
        var camera: Camera?
        if let name = settings.cameraToFind { camera = try await CameraFinder.find(name) }
        return try CaptureConfiguration(settings, mode: .preview, camera: camera)
    }
}

extension SessionDescription {
    /// Returns the session with the settings of this run.
    ///
    /// - Throws: ``CaptureError`` if it has no texts in the language.
    fileprivate func applying(_ settings: CaptureSettings) throws(CaptureError) -> SessionDescription {
        var session = self
        if let language = settings.language {
            guard allLanguages.contains(language.lowercased()) else {
                throw CaptureError(
                    .usage, "the session has no texts in \(language.quoted)", subject: "language",
                    advice: "use \(allLanguages.joined(separator: " or "))")
            }
            session = translated(to: language)
        }
        session.loops = settings.loop ?? loops
        session.idle = settings.idle ?? idle
        return session
    }
}

extension CaptureSettings {
    /// The cameras of ``role``, by their roles.
    ///
    /// - Throws: ``CaptureError`` if a text is not `role=camera`.
    fileprivate var namedRoles: [(CameraRole, String)] {
        get throws(CaptureError) {
            var roles: [(CameraRole, String)] = []
            for text in role ?? [] {
                guard let (name, camera) = text.nameAndValue, let role = CameraRole(rawValue: name), !camera.isEmpty
                else {
                    throw CaptureError(
                        .usage, "\(text.quoted) is not role=camera", subject: "role", advice: "write it as left=2")
                }
                roles.append((role, camera))
            }
            return roles
        }
    }

    /// Returns the values of a session's fields.
    ///
    /// - Parameter isComplete: `true` if the required fields must have values: the keys cannot fill them in.
    /// - Throws: ``CaptureError`` with the field as its subject.
    fileprivate func form(of session: SessionDescription, isComplete: Bool) throws(CaptureError) -> [String: String] {
        var (session, values) = (session, [String: String]())
        // The camera can read these later.
        for index in session.form.indices where session.form[index].isScanned { session.form[index].isRequired = false }
        for text in field ?? [] {
            guard let (name, value) = text.nameAndValue else {
                throw CaptureError(
                    .usage, "\(text.quoted) is not name=value", subject: "field", advice: "write it as name=Ada")
            }
            values[name] = value
        }
        do throws(CaptureError) {
            return try session.checkedForm(values, isComplete: isComplete)
        } catch {
            throw CaptureError(
                .usage, error.summary, subject: "field", advice: error.advice ?? "give --field name=value")
        }
    }
}

extension SessionConfiguration {
    /// Returns the pipeline of each camera in gst-launch syntax, the camera in front first.
    ///
    /// - Throws: ``CaptureError`` if a camera does not offer the requested format.
    func pipelines() throws(CaptureError) -> [String] {
        var pipelines: [String] = []
        for (_, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            var camera = camera
            camera.preview = preview
            pipelines.append(try camera.pipelineDescription())
        }
        return pipelines
    }
}

extension CaptureConfiguration {
    /// `true` if both are the same device. The built-in scene can be opened several times.
    fileprivate func isSameCamera(as other: CaptureConfiguration?) -> Bool {
        guard case .camera(let camera) = source, case .camera(let otherCamera)? = other?.source else { return false }
        return camera.kind != .scene && camera.id == otherCamera.id
    }
}
