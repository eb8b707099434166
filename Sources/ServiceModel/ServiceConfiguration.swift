// Part of gst-capture. Apache License 2.0, see LICENSE.

import AnalyticsKit
import CameraKit
import CaptureBase
import CaptureKit
import ClipStore
import FilmStore
import Glibc
import LedgerKit
import PresetKit
import RecordKit
import ScheduleKit
import SessionKit
import StillKit

/// The configuration of a service: its addresses, its cameras with their series, and its sessions.
public struct ServiceConfiguration: Sendable, Equatable {
    /// The addresses of the HTTP server; at least one.
    public var addresses: [ListenAddress]
    /// The cameras, in the order of the file.
    public var cameras: [ServiceCamera]
    /// The sessions, in the order of the file.
    public var sessions: [ServiceSession]
    /// The protection of the addresses.
    public var safety = ServiceSafety()
    /// The MQTT broker; `nil` for none.
    public var mqtt: ServiceMQTT?
    /// The receivers of product events; `nil` for none.
    public var analytics: ServiceAnalytics?
    /// The look of the web page.
    public var page = ServicePage()
    /// The name of the board in the IDs of pictures; `nil` for that of the library. Changes need a restart.
    public var board: BoardName?
    /// The absolute path of the file of an outbox, whose state the service shows; `nil` for none. Changes need a restart.
    public var outbox: String?
    /// The records; `nil` for none. Changes need a restart.
    public var records: ServiceRecords?
    /// The buttons of devices. Changes need a restart.
    public var buttons: [ServiceButton] = []

    /// Creates a configuration.
    public init(addresses: [ListenAddress], cameras: [ServiceCamera], sessions: [ServiceSession] = []) {
        (self.addresses, self.cameras, self.sessions) = (addresses, cameras, sessions)
    }

    /// The configuration of a service without a file: one camera, no series, and port 8080 of this machine alone.
    ///
    /// - Parameters:
    ///   - camera: The name of the camera, as in a preset.
    ///   - title: The name of the camera for people; `nil` for its ID.
    public static func standard(camera: String, title: String? = nil) -> ServiceConfiguration {
        var settings = CaptureSettings()
        settings.camera = camera
        return ServiceConfiguration(
            addresses: [.standard], cameras: [ServiceCamera(id: "camera", title: title, settings: settings, series: [])]
        )
    }

    /// Adds what a service without a file has room for: the pictures that clients request are stored in a folder, and
    /// clients can start the sessions that are found on this machine. Blocks.
    ///
    /// - Parameter folder: The absolute path of a folder for pictures and runs. A missing one is created.
    /// - Throws: The errors of folders.
    package func storing(in folder: String, sessions: SessionLibrary = SessionLibrary()) throws(CaptureError) -> Self {
        var configuration = self
        let runs = folder + "/sessions"
        try PrivateFolder.make(runs)
        configuration.cameras = try cameras.map { camera throws(CaptureError) in
            let pictures = "\(folder)/pictures/\(camera.id)"
            try PrivateFolder.make(pictures)
            var settings = camera.settings
            settings.output = pictures + "/%Y-%m-%d/%H%M%S.jpg"
            var stored = ServiceCamera(id: camera.id, title: camera.title, settings: settings, series: camera.series)
            stored.clips = camera.clips
            return stored
        }
        guard let camera = cameras.first?.id else { return configuration }
        configuration.sessions = sessions.entries.compactMap { entry in
            guard let file = try? entry.file.get(), ServiceID.isValid(entry.name) else { return nil }
            return ServiceSession(id: entry.name, file: file, cameras: [.front: camera], output: runs)
        }
        return configuration
    }

    /// Reads a file of up to 64 KiB, and the presets, sessions and kinds of records that it names. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` or `.permission` if the file cannot be read, or `.configuration` with a
    ///   line for each mistake: `serve.yaml:4:9: interval: "1 minute" is not a duration; …`
    public init(
        path: String, presets: PresetLibrary = PresetLibrary(), sessions: SessionLibrary = SessionLibrary(),
        kinds: RecordKindLibrary = RecordKindLibrary()
    ) throws(CaptureError) {
        // One byte more than the limit shows that a file is too large.
        let bytes = try RegularFile.read(path, most: SettingsText.mostBytes + 1)
        try self.init(path: path, bytes: bytes, presets: presets, sessions: sessions, kinds: kinds)
    }

    /// Reads a configuration from memory, and the presets, sessions and kinds of records that it names from their files.
    /// Blocks.
    ///
    /// - Parameter path: The file that errors name.
    /// - Throws: `CaptureError` `.configuration` with a line for each mistake.
    public init(
        path: String, bytes: [UInt8], presets: PresetLibrary = PresetLibrary(),
        sessions: SessionLibrary = SessionLibrary(), kinds: RecordKindLibrary = RecordKindLibrary()
    ) throws(CaptureError) {
        let reader = ServiceConfigurationReader(bytes, file: RegularFile.display(path), presets, sessions, kinds)
        if let error = CaptureError.joining(reader.errors) { throw error }
        self = reader.configuration
    }

    /// All series with the IDs of their cameras.
    package var allSeries: [(camera: String, series: ServiceSeries)] {
        cameras.flatMap { camera in camera.series.map { (camera.id, $0) } }
    }

    /// All series, and for each camera with an output its requested pictures as a series with its ID.
    package var allPictures: [(camera: String, series: ServiceSeries)] {
        allSeries + cameras.compactMap { camera in camera.requested.map { (camera.id, $0) } }
    }

    /// Makes an ID stand for another camera. A title that names the device changes, too.
    package mutating func use(_ device: Camera, as id: String) {
        guard let index = cameras.firstIndex(where: { $0.id == id }) else { return }
        let old = cameras[index]
        func changed(_ settings: CaptureSettings) -> CaptureSettings {
            var settings = settings
            (settings.camera, settings.source) = (device.id, nil)
            return settings
        }
        cameras[index] = ServiceCamera(
            id: id, title: old.title.map { _ in device.name.withoutControls }, settings: changed(old.settings),
            series: old.series.map { ServiceSeries(id: $0.id, settings: changed($0.settings)) })
        cameras[index].clips = old.clips?.with(changed)
    }

    /// The configuration in words, one line for each camera, series and session.
    public var summary: String {
        var lines = ["listens at \(addresses.map(\.description).joined(separator: ", "))"]
        for camera in cameras {
            lines.append("camera \(camera.id): \(camera.sourceName)")
            lines += camera.series.map { "  series \($0.id): \($0.words)" }
            if let clips = camera.clips { lines.append("  clips: to \(clips.names)") }
        }
        lines += sessions.map { "session \($0.id): \($0.file.session.title), to \($0.output)" }
        if let records {
            let place = records.folder.map { ", in \($0)" } ?? ""
            lines.append("records: \(records.kinds.map(\.id).joined(separator: ", "))\(place)")
        }
        return lines.joined(separator: "\n")
    }
}

/// A camera of a service.
public struct ServiceCamera: Sendable, Equatable {
    /// Its name in URLs.
    public let id: String
    /// Its name for people; `nil` for the ID.
    public let title: String?
    /// The settings of the camera and of its single pictures. The settings of its series are merged over them.
    public let settings: CaptureSettings
    /// Its series, in the order of the file, followed by those that clients created.
    public package(set) var series: [ServiceSeries]
    /// Its recordings; `nil` for none.
    public var clips: ClipSettings?

    /// Creates a camera.
    public init(id: String, title: String? = nil, settings: CaptureSettings, series: [ServiceSeries]) {
        (self.id, self.title, self.settings, self.series) = (id, title, settings, series)
    }

    /// The name of the camera in the settings, for people.
    package var sourceName: String {
        settings.source.map { _ in "elements" } ?? settings.camera ?? "the first camera of this machine"
    }

    /// `true` if the desk of the camera can continue with other settings: only those of series differ, or their
    /// defaults. All other settings need another desk.
    package func isSameDesk(as other: ServiceCamera) -> Bool {
        settings.withoutSchedule == other.settings.withoutSchedule && clips == other.clips
    }

    /// The requested pictures of the camera as a series with its ID and its limits; `nil` if it has no absolute output,
    /// and stores none.
    package var requested: ServiceSeries? {
        guard let output = settings.output, output.hasPrefix("/") else { return nil }
        var requested = CaptureSettings()
        requested.output = output
        (requested.mount, requested.keepFree) = (settings.mount, settings.keepFree ?? StoragePolicy.floorForClients)
        (requested.maxSize, requested.maxAge) = (settings.maxSize, settings.maxAge)
        (requested.maxCount, requested.onLimit) = (settings.maxCount, settings.onLimit)
        (requested.maxAgeSent, requested.keepUnsent) = (settings.maxAgeSent, settings.keepUnsent)
        return ServiceSeries(id: id, settings: requested)
    }

    /// The format of the requested pictures.
    package var requestedFormat: StillFormat {
        settings.encoding ?? settings.output.flatMap(StillFormat.init(fileName:)) ?? .jpeg
    }

    /// `true` if jobs of both cameras would use the same device or the same files.
    package func shares(with other: ServiceCamera) -> Bool {
        id == other.id || settings.source == other.settings.source && settings.camera == other.settings.camera
            || !ledgers.isDisjoint(with: other.ledgers)
    }

    /// The ledgers of the series and of the requested pictures, and the list of the clips.
    private var ledgers: Set<String> {
        Set((series + [requested].compactMap { $0 }).compactMap(\.ledger) + [clips?.account].compactMap { $0 })
    }

    /// The configuration of a single picture, whose bytes go to the caller.
    ///
    /// - Parameter camera: The camera that the settings name; `nil` if they name elements or the scene.
    package func snap(_ camera: Camera?) throws(CaptureError) -> CaptureConfiguration {
        var settings = settings
        // A request gets the picture itself, now.
        (settings.output, settings.latest, settings.delay, settings.countdown) = (nil, nil, nil, nil)
        settings.encoding = self.settings.encoding ?? self.settings.output.flatMap(StillFormat.init(fileName:))
        settings.burst = nil
        var configuration = try CaptureConfiguration(settings, mode: .snap, camera: camera)
        configuration.output = .caller
        // A picture that opens the camera must not keep the camera's series from it.
        configuration.ramps = settings.ramp ?? []
        return configuration
    }

    /// The configuration of live pictures: that of a single picture, which waits for a lost camera.
    ///
    /// - Parameter camera: The camera that the settings name; `nil` if they name elements or the scene.
    package func live(_ camera: Camera?) throws(CaptureError) -> CaptureConfiguration {
        var configuration = try snap(camera)
        configuration.recovery = .always
        return configuration
    }
}

/// A series of a camera.
public struct ServiceSeries: Sendable, Equatable {
    /// Its name in URLs, unique in the service.
    public let id: String
    /// All its settings, with those of its camera.
    public let settings: CaptureSettings

    /// Creates a series.
    public init(id: String, settings: CaptureSettings) { (self.id, self.settings) = (id, settings) }

    /// The configuration of the series.
    ///
    /// - Parameter camera: The camera that the settings name; `nil` if they name elements or the scene.
    package func configuration(_ camera: Camera?) throws(CaptureError) -> CaptureConfiguration {
        try CaptureConfiguration(settings, mode: .timelapse, camera: camera)
    }

    /// The settings of its films; `nil` if it has none.
    ///
    /// - Throws: `CaptureError` `.usage` that names the option at fault.
    package func films() throws(CaptureError) -> DayFilmSettings? {
        let names = try settings.output.map { text throws(CaptureError) in try FileNameTemplate(parsing: text) }
        return try DayFilmSettings(settings, pictures: names, ledger: ledger)
    }

    /// The request for the pictures that an outbox has sent; `nil` if the series needs no outbox.
    package func sentPicturesRequest(hasOutbox: Bool) throws(CaptureError) -> SentPicturesRequest? {
        let names = try settings.output.map { text throws(CaptureError) in try FileNameTemplate(parsing: text) }
        return try settings.sentPicturesRequest(names, ledger: ledger, isGiven: hasOutbox)
    }

    /// Finds the pictures that an outbox has sent; `nil` if the series needs none. Blocks.
    package func sentPictures(_ outbox: SentPicturesSource?) throws(CaptureError) -> (any SentPictures)? {
        try sentPicturesRequest(hasOutbox: outbox != nil)?.pictures(in: outbox)
    }

    /// `true` if the series has ended by its own settings.
    package var isPast: Bool { settings.until.map { $0.remaining(from: .now()) <= .zero } ?? false }

    /// The settings of the series without an end that may have passed: they are correct even after that.
    package var lasting: CaptureSettings {
        var settings = settings
        settings.until = nil
        return settings
    }

    /// Its schedule, for people.
    package var scheduleWords: String {
        var settings = lasting
        (settings.camera, settings.source) = (Camera.sceneID, nil)
        return (try? CaptureConfiguration(settings, mode: .timelapse))?.schedule.words ?? ""
    }

    /// Its schedule and file names, for people.
    package var words: String { "\(scheduleWords), to \(settings.output ?? "")" }
}

extension ServiceSeries {
    /// The path of the ledger; `nil` if the series has none.
    package var ledger: String? {
        settings.ledger ?? settings.output.flatMap { try? FileNameTemplate(parsing: $0) }.map(Ledger.standardPath(for:))
    }
}

extension ServiceConfiguration {
    /// Checks that an outbox sends the pictures of all series, and the clips of all cameras, that need it. Blocks.
    ///
    /// - Throws: `CaptureError` `.configuration` with a line for each series and camera.
    package func checkOutbox(_ source: SentPicturesSource?) throws(CaptureError) {
        var errors: [CaptureError] = []
        func check(_ subject: String, _ find: () throws(CaptureError) -> (any SentPictures)?) {
            do throws(CaptureError) {
                _ = try find()
            } catch {
                errors.append(CaptureError(.configuration, error.summary, subject: subject, advice: error.advice))
            }
        }
        for (_, series) in allPictures {
            check("series \(series.id)") { () throws(CaptureError) in try series.sentPictures(source) }
        }
        for camera in cameras {
            check("clips of \(camera.id)") { () throws(CaptureError) in try camera.clips?.sentPictures(source) }
        }
        if let error = CaptureError.joining(errors) { throw error }
    }
}
