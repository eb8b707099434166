// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The cameras of this machine.
///
/// The methods that list or resolve cameras open device nodes and block: some drivers take a second to wake a sensor.
/// Call them on a separate thread or executor, never on Swift's cooperative pool.
public struct CameraCatalog: Sendable {
    /// The folders in which the catalog searches for devices.
    public let tree: DeviceTree
    /// The devices that GStreamer found, if it was queried. They are the only source of libcamera's cameras.
    public let discovered: [DiscoveredDevice]

    /// Opens a node and queries it. Returns `nil` if it is not a camera; throws if the node cannot be opened or
    /// queried.
    typealias Probe = @Sendable (_ path: String) throws(CaptureError) -> NodeReport?
    let probe: Probe

    /// Creates a catalog without opening any node.
    public init(tree: DeviceTree = DeviceTree(), discovered: [DiscoveredDevice] = []) {
        self.init(tree: tree, discovered: discovered) { path throws(CaptureError) in try NodeReport(path: path) }
    }

    init(tree: DeviceTree, discovered: [DiscoveredDevice] = [], probe: @escaping Probe) {
        self.tree = tree
        self.discovered = discovered
        self.probe = probe
    }

    /// Returns all cameras: V4L2's by the number of their node, then those that only GStreamer found, then libcamera's,
    /// and the built-in scene last.
    ///
    /// A camera that cannot be opened is listed with its known properties and ``Camera/problem``. Nodes of other kinds
    /// (metadata, codecs, outputs) are left out.
    public func cameras() -> [Camera] {
        merged(tree.videoNodes().compactMap(camera)) + [.scene]
    }

    func merged(_ cameras: [Camera]) -> [Camera] {
        Self.distinct(Self.merge(cameras, with: discovered))
    }

    /// Opens a node and describes it; `nil` if it is not a camera.
    package func camera(_ facts: NodeFacts) -> Camera? {
        do throws(CaptureError) {
            guard let report = try probe(facts.path) else { return nil }
            return Camera(facts, report, dev: tree.dev)
        } catch {
            // A path that is not a V4L2 device is not listed as a camera with a problem.
            guard facts.udev.isCapture != false, error != CaptureError.notACamera(facts.path) else { return nil }
            return Camera(facts, problem: error, dev: tree.dev)
        }
    }

    /// Makes equal IDs unique by appending the node's name, because some drivers report the same place for all cameras.
    static func distinct(_ cameras: [Camera]) -> [Camera] {
        var seen: Set<String> = [Camera.sceneID]
        return cameras.map { camera in
            guard !seen.insert(camera.id).inserted else { return camera }
            var number = 2
            var camera = camera
            let (base, node) = (camera.id, camera.path.map(DeviceFiles.name(of:)))
            camera.id = "\(base)-\(node ?? "2")"
            while !seen.insert(camera.id).inserted {
                number += 1
                camera.id = "\(base)-\(number)"
            }
            return camera
        }
    }
}

/// The capabilities and formats that an open node reports.
package struct NodeReport: Sendable, Hashable {
    let capabilities: V4L2Node.Capabilities
    let formats: [CameraFormat]

    package init(capabilities: V4L2Node.Capabilities, formats: [CameraFormat]) {
        self.capabilities = capabilities
        self.formats = formats
    }

    /// Opens a node and queries it; `nil` if it is not a camera.
    init?(path: String) throws(CaptureError) {
        let node = try V4L2Node(path: path)
        capabilities = try node.capabilities()
        guard capabilities.isCamera else { return nil }
        formats = node.formats(planar: capabilities.capturesPlanar)
    }
}

extension Camera {
    /// Describes a node that was queried.
    init(_ facts: NodeFacts, _ report: NodeReport, dev: String) {
        let capabilities = report.capabilities
        let identity = CameraIdentity(facts, busInfo: capabilities.busInfo, dev: dev)
        let card = capabilities.card.isEmpty ? facts.title ?? facts.node : capabilities.card
        let name = CameraIdentity.withoutRepetition(card)
        self.init(
            id: identity.id, name: name, kind: .v4l2, path: facts.path, driver: capabilities.driver,
            busInfo: capabilities.busInfo, serial: facts.usb?.serial,
            aliases: identity.aliases + (card == name ? [] : [card]),
            formats: report.formats, needsMediaController: capabilities.needsMediaController)
        (make, model) = (facts.make, facts.model ?? name)
        hardware = HardwareAddress(facts)
    }

    /// Describes a node that was not opened, or could not be opened.
    package init(_ facts: NodeFacts, problem: CaptureError?, dev: String) {
        let identity = CameraIdentity(facts, busInfo: nil, dev: dev)
        let name = CameraIdentity.withoutRepetition(facts.title ?? facts.node)
        self.init(
            id: identity.id, name: name, kind: .v4l2, path: facts.path, driver: facts.driver,
            serial: facts.usb?.serial, aliases: identity.aliases, problem: problem)
        (make, model) = (facts.make, facts.model ?? name)
        hardware = HardwareAddress(facts)
    }
}

extension HardwareAddress {
    init(_ facts: NodeFacts) {
        self.init(deviceNumber: facts.deviceNumber, usb: facts.usb.map { USBIdentity($0, facts) })
    }
}

extension CameraCatalog {
    /// Returns a catalog that includes the devices that GStreamer's device providers find (`GstDeviceMonitor`).
    ///
    /// The providers query all capabilities of each driver, which takes a second with some drivers. If they fail or
    /// exceed `deadline`, the catalog still finds V4L2's cameras.
    ///
    /// - Parameter deadline: The timeout of the whole search. It excludes loading the providers' plugins, and ending a
    ///   search that has used up its time, which takes at most a second more.
    public static func discovering(deadline: Duration = .seconds(10)) async -> CameraCatalog {
        // It loads the plugins of the providers.
        let created = await BlockingWork.run { try? DeviceMonitor() }
        guard let monitor = created else { return CameraCatalog() }
        let devices = await findDevices(with: monitor, deadline: deadline, clock: SuspendingClock())
        return CameraCatalog(discovered: devices.map(DiscoveredDevice.init))
    }

    /// Returns the devices that a monitor finds within `deadline`; none if it fails.
    ///
    /// - Parameter clock: Stands still while the machine is suspended, as the timeouts of the monitor's calls do.
    static func findDevices(
        with monitor: some DeviceSearching, deadline: Duration, clock: some Clock<Duration>
    ) async -> [Device] {
        let end = clock.now.advanced(by: deadline)
        guard (try? await monitor.start(deadline: deadline)) != nil else { return [] }
        let devices = (try? await monitor.devices(deadline: max(clock.now.duration(to: end), .zero))) ?? []
        // A monitor that is not stopped keeps its providers running until it is released.
        try? await monitor.stop(deadline: max(clock.now.duration(to: end), .seconds(1)))
        return devices
    }

    /// Returns the cheapest catalog in which ``resolve(_:)`` can find the camera that `text` names.
    ///
    /// Queries the providers only if they can have more cameras than V4L2: if libcamera's plugin is installed, and
    /// `text` is not a number, a path in `/dev` or the scene.
    ///
    /// - Parameter deadline: The timeout of the search, as in ``discovering(deadline:)``.
    public static func finding(_ text: String, deadline: Duration = .seconds(10)) async -> CameraCatalog {
        guard needsProviders(text) else { return CameraCatalog() }
        // The first call initializes GStreamer, which may take seconds.
        let hasLibcamera = await BlockingWork.run { GStreamer.hasElement("libcamerasrc") }
        guard hasLibcamera else { return CameraCatalog() }
        return await discovering(deadline: deadline)
    }

    /// `false` if ``resolve(_:)`` finds the camera that `text` names without GStreamer's device providers.
    static func needsProviders(_ text: String) -> Bool {
        let text = FixedText.trimmed(text)
        return !(text == Camera.sceneID || text.hasPrefix("/dev/") || isNumber(text))
    }
}

/// The calls of a `DeviceMonitor`. Tests replace them.
protocol DeviceSearching: Sendable {
    func start(deadline: Duration) async throws(PipelineError)
    func devices(deadline: Duration) async throws(PipelineError) -> [Device]
    func stop(deadline: Duration) async throws(PipelineError)
}

extension DeviceMonitor: DeviceSearching {}

extension DiscoveredDevice {
    /// Describes a device that GStreamer found.
    init(_ device: Device) {
        let details = device.details?.fields ?? [:]
        self.init(
            name: device.displayName, deviceClass: device.deviceClass,
            formats: CameraFormat.formats(device.caps?.structures ?? []),
            properties: details.mapValues(\.plainText))
    }
}

extension Value {
    /// The string itself, or GStreamer's text form of any other value.
    fileprivate var plainText: String {
        if case .string(let text) = self { text } else { description }
    }
}
