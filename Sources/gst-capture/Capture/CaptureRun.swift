// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import ClipKit
import FilmStore
import Glibc
import HookKit
import OverlayCompositor
import PipelineKit
import PresetKit
import TerminalKit
import UploadKit

/// One run of a capture command: it connects settings, controller, reports and signals.
struct CaptureRun: Sendable {
    let mode: CaptureMode
    let options: [SettingAssignment]
    let reporting: ReportingOptions
    /// How programs send requests; `nil` if they cannot.
    var control: ControlOptions?

    /// Runs the capture to its end.
    ///
    /// - Throws: ``ExitStatus`` if the capture was not successful, after all errors were reported. Without `--json`
    ///   also ``CaptureError``, which the caller reports.
    func run() async throws {
        let status = reporting.json ? await runReportingErrors() : try await runToEnd()
        if status != .success { throw status }
    }

    private func runReportingErrors() async -> ExitStatus {
        do throws(CaptureError) {
            return try await runToEnd()
        } catch {
            if let status = SignalListener.status { return status }
            let (options, preset) = (options, reporting.preset)
            // It reads the preset, whose disk may hang.
            let isStreaming = await BlockingWork.run { SettingSources.isStreaming(options: options, preset: preset) }
            JSONEventPrinter(stream: isStreaming ? .error : .output).report(.error(error))
            return ExitStatus(error)
        }
    }

    private func runToEnd() async throws(CaptureError) -> ExitStatus {
        var (settings, configuration) = try await resolve()
        if mode == .timelapse, settings.resume ?? false {
            try await Ledger.resumeSeries(in: &configuration)
        } else {
            try await Ledger.countEarlierStills(in: &configuration)
        }
        if configuration.output == .standardOutput, !reporting.dryRun, isatty(STDOUT_FILENO) != 0 {
            throw CaptureError(
                .usage, "is a terminal, which shows no pictures", subject: "standard output",
                advice: "redirect it, or give a file name")
        }
        if reporting.dryRun {
            try DryRun(configuration).report(asJSON: reporting.json)
            return .success
        }
        let reporter = EventReporter(printer(for: configuration))
        // If it is missing, `resolve()` has refused the captures that need it.
        let rasterizer = try? RasterProcess.installed()
        let films = try makeFilms(settings, configuration, rasterizer) { reporter.report($0) }
        let desk = mode == .preview ? makeDesk(settings, configuration) : nil
        if let desk, control?.control == nil { reportKeys(desk, canDraw: rasterizer != nil, reporter) }
        let hooks = HookRunner(HookCommands(settings, configuration.source)) { notice in
            reporter.show(.notice(notice))
        }
        let requests = try await RequestChannel.open(control)
        let service = ServiceManager().map { ServiceNotifier($0, configuration.schedule) }
        let loop = CaptureLoop(
            configuration, reporter: reporter, reload: mode == .timelapse ? configure : nil, rasterizer: rasterizer,
            desk: desk, requests: requests, hooks: hooks, service: service, films: films)
        if mode == .timelapse, !reporter.isLive, !reporting.json {
            reporter.report(.line(Self.beginning(configuration)))
        }
        await GStreamerStart.finished { reporter.show(.notice($0)) }
        if configuration.motion != nil { try await LiveMotion.prepare() }
        try await films?.check()
        guard let signals = SignalListener.listen() else { return SignalListener.status ?? .success }
        let status = await loop.run(signals)
        await BlockingWork.run { requests?.close() }
        return status
    }

    /// Returns the films of a series; `nil` if its settings name none.
    private func makeFilms(
        _ settings: CaptureSettings, _ configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)?,
        _ report: @escaping @Sendable (Remark) -> Void
    ) throws(CaptureError) -> DayFilms? {
        guard mode == .timelapse, let films = try configuration.films(settings) else { return nil }
        return DayFilms(films, rasterizer) { change in
            switch change {
            case .made(let film): report(.film(film))
            case .removed: break
            case .notice(let notice): report(.notice(notice))
            }
        }
    }

    /// Returns the first line of a log: the destination of pictures, the schedule, and the first moment if it is far
    /// away.
    private static func beginning(_ configuration: CaptureConfiguration) -> String {
        let now = PipelineClock.system.now
        let first = configuration.schedule.firstDue(goingOn: configuration.position, from: now)
        let text = "pictures go to \(configuration.destination), \(configuration.schedule.words)"
        guard let first, first - now >= Wording.longWait else { return text }
        return text + "; next \(Wording.moment(first, at: now))"
    }

    private func makeDesk(_ settings: CaptureSettings, _ configuration: CaptureConfiguration) -> PreviewDesk {
        PreviewDesk(
            overlay: configuration.overlay,
            library: OutlineLibrary().entries.map { Outline(name: $0.name, path: $0.path) },
            timer: settings.delay, interval: settings.interval,
            isMirrored: configuration.preview?.isMirrored ?? false)
    }

    /// Prints the keys, and a notice if layers cannot be drawn. A preview without layers is better than none if the
    /// user requested no layers.
    private func reportKeys(_ desk: PreviewDesk, canDraw: Bool, _ reporter: EventReporter) {
        reporter.report(.notice(Notice(.information, desk.keys)))
        guard !canDraw else { return }
        let message = "outlines, ghost and seconds are off: gst-capture-raster is not installed"
        reporter.report(.notice(Notice(.layerNotDrawn, about: "gst-capture-raster", message)))
    }

    /// Reads the settings again after SIGHUP, and checks that pictures can be stored with them.
    @Sendable
    private func configure() async throws(CaptureError) -> CaptureLoop.Successor {
        await BlockingWork.run { Zone.refresh() }
        let (settings, configuration) = try await resolve()
        // A configuration that cannot store pictures is refused now, before the running capture ends.
        try await configuration.checkOutput()
        return (configuration, HookCommands(settings, configuration.source))
    }

    /// Reads the settings and finds the camera. Files are read on threads that may block: during a reload, a signal
    /// must not wait for a file system that hangs.
    private func resolve() async throws(CaptureError) -> (
        settings: CaptureSettings, configuration: CaptureConfiguration
    ) {
        let settings = try await BlockingWork.run { () throws(CaptureError) in try readSettings() }
        var camera: Camera?
        if let name = settings.cameraToFind { camera = try await CameraFinder.find(name) }
        let configuration = try await BlockingWork.run { [camera] () throws(CaptureError) in
            try makeConfiguration(settings, camera)
        }
        return (settings, configuration)
    }

    /// Reads the settings, and reports mistakes before the search for the camera, which asks drivers.
    private func readSettings() throws(CaptureError) -> CaptureSettings {
        let settings = try SettingSources.resolve(options: options, preset: reporting.preset)
        if settings.cameraToFind != nil { try CaptureConfiguration.check(settings, mode: mode) }
        return settings
    }

    /// Checks the settings, and finds the layers that they name.
    private func makeConfiguration(
        _ settings: CaptureSettings, _ camera: Camera?
    ) throws(CaptureError) -> CaptureConfiguration {
        var configuration = try CaptureConfiguration(settings, mode: mode, camera: camera)
        if mode == .timelapse { try configuration.findOutbox(settings) }
        let films = mode == .timelapse ? try configuration.films(settings) : nil
        let isDrawing = !configuration.burnIn.isEmpty || configuration.preview != nil && !configuration.overlay.isEmpty
        // Missing layers are reported before the first picture.
        if isDrawing || films?.needsRasterizer == true { _ = try RasterProcess.installed() }
        return configuration
    }

    private func printer(for configuration: CaptureConfiguration) -> any EventPrinter {
        let isStreaming = configuration.output == .standardOutput
        if reporting.json { return JSONEventPrinter(stream: isStreaming ? .error : .output) }
        let console = Console()
        if reporting.quiet { return LineEventPrinter(configuration.schedule, verbosity: .quiet, console: console) }
        if console.terminal.isLive { return LiveEventPrinter(configuration.schedule, console: console) }
        return LineEventPrinter(configuration.schedule, verbosity: .normal, console: console)
    }
}

extension CaptureConfiguration {
    /// Returns the settings of the films of a series; `nil` if it has none.
    fileprivate func films(_ settings: CaptureSettings) throws(CaptureError) -> DayFilmSettings? {
        let names: FileNameTemplate? = if case .files(let template) = output { template } else { nil }
        return try DayFilmSettings(settings, pictures: names, ledger: ledger)
    }

    /// Finds the outbox that the settings of a series need.
    ///
    /// - Throws: `CaptureError` if there is none, or it does not send these pictures as they need it.
    mutating func findOutbox(_ settings: CaptureSettings) throws(CaptureError) {
        let names: FileNameTemplate? = if case .files(let template) = output { template } else { nil }
        guard let request = try settings.sentPicturesRequest(names, ledger: ledger) else { return }
        let path = try OutboxConfiguration.path(settings.outbox, option: "--outbox")
        let folder = try OutboxConfiguration.folder(state: settings.outboxState, option: "--outbox-state")
        sentPictures = try OutboxConfiguration(path: path).sentPictures(request, file: path, store: folder)
    }

    /// Checks settings without a camera, with the outbox that they need.
    static func checkWithOutbox(_ settings: CaptureSettings, mode: CaptureMode) throws(CaptureError) {
        try check(settings, mode: mode)
        guard mode == .timelapse else { return }
        var settings = settings
        (settings.camera, settings.source) = (Camera.sceneID, nil)
        var configuration = try CaptureConfiguration(settings, mode: mode)
        try configuration.findOutbox(settings)
    }
}
