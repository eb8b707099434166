// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PresetKit
import SessionKit
import StillKit

/// A guided session that clients of a service can start.
public struct ServiceSession: Sendable, Equatable {
    /// Its name in URLs, unique in the service.
    public let id: String
    /// The file of the session, as it was when the configuration was read.
    public let file: SessionFile
    /// The IDs of its cameras by role. A single camera plays `front` and `back`.
    public let cameras: [CameraRole: String]
    /// The folder in which each run makes its folder; it exists, and its path is absolute.
    public let output: String
    /// The printer of its pictures; `nil` for none.
    public var printer: ServicePrinter?

    /// The ID of the kind of records of which each accepted run makes one; `nil` for none.
    public var record: String?

    /// Creates a session.
    public init(id: String, file: SessionFile, cameras: [CameraRole: String], output: String) {
        (self.id, self.file, self.cameras, self.output) = (id, file, cameras, output)
    }

    /// The conditions under which its runs are stored: the mount and the free space of its cameras. A mount that does not
    /// contain ``output`` does not bind it.
    ///
    /// - Parameter cameras: The cameras of the service.
    package func storage(of cameras: [ServiceCamera]) -> StoragePolicy {
        let own = cameras.filter { self.cameras.values.contains($0.id) }.map(\.settings)
        let mounts = own.compactMap(\.mount).map { StoragePolicy(mount: $0).applied(to: output).mount }
        var limits = StorageLimits()
        limits.keepFree = own.compactMap(\.keepFree).first ?? StoragePolicy.floorForClients
        return StoragePolicy(mount: mounts.compactMap(\.self).first, limits: limits)
    }

    /// The limit of idle time at a kiosk, for sessions without an own one.
    public static let kioskIdle = Duration.seconds(60)

    /// The keys of a session in a configuration.
    static let keys = ["session", "camera", "cameras", "front", "back", "output", "printer", "copies", "record"]
}

/// A printer for the pictures of a session.
public struct ServicePrinter: Sendable, Hashable {
    /// The name of its queue in CUPS.
    public var name: String
    /// The most copies for each run.
    public var mostCopies = 1

    /// Creates a printer.
    public init(name: String) { self.name = name }

    /// Reads a name, of the characters that CUPS allows.
    static func read(_ text: String) throws(InvalidValue) -> ServicePrinter {
        let isName = (1...127).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isName, !text.contains(where: { "/#?'\"".contains($0) }), !text.hasPrefix("-") else {
            throw InvalidValue("\(text.quoted) is not the name of a printer", advice: "lpstat -e lists the printers")
        }
        return ServicePrinter(name: text)
    }
}

extension ServiceCamera {
    /// The configuration of the camera for a session.
    ///
    /// - Parameter camera: The camera that the settings name; `nil` if they name elements or the scene.
    package func session(_ camera: Camera?) throws(CaptureError) -> CaptureConfiguration {
        var settings = settings
        // A session names its files and decides when to capture.
        (settings.output, settings.latest, settings.delay, settings.countdown) = (nil, nil, nil, nil)
        (settings.burst, settings.ledger) = (nil, nil)
        settings.encoding = self.settings.encoding ?? self.settings.output.flatMap(StillFormat.init(fileName:))
        guard [nil, .jpeg, .png].contains(settings.encoding) else {
            throw CaptureError(
                .configuration, "is not a format of sessions", subject: "encoding", advice: "use jpeg or png")
        }
        return try CaptureConfiguration(settings, mode: .preview, camera: camera)
    }
}
