// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The cameras of this machine.
///
/// Its calls open device nodes, which blocks: some drivers take a second to wake a sensor. Call them on a thread or
/// executor of your own, never on Swift's cooperative pool.
public struct CameraCatalog: Sendable {
    /// Where devices are looked for.
    public let tree: DeviceTree
    /// What GStreamer found, if it was asked: libcamera's cameras are known from here alone.
    public var discovered: [DiscoveredDevice]

    /// Opens a node and asks what it is; throws where it cannot, gives `nil` where it is no camera.
    typealias Probe = @Sendable (_ path: String) throws(CaptureError) -> NodeReport?
    let probe: Probe

    /// Creates a catalog. Nothing is opened yet.
    public init(tree: DeviceTree = DeviceTree(), discovered: [DiscoveredDevice] = []) {
        self.init(tree: tree, discovered: discovered) { path throws(CaptureError) in try NodeReport(path: path) }
    }

    init(tree: DeviceTree, discovered: [DiscoveredDevice] = [], probe: @escaping Probe) {
        self.tree = tree
        self.discovered = discovered
        self.probe = probe
    }

    /// All cameras: V4L2's by the number of their node, then libcamera's, then the built-in scene.
    ///
    /// A camera that cannot be opened is listed with what is known of it and ``Camera/problem``. Nodes that are no
    /// cameras (metadata, codecs, outputs) are left out.
    public func cameras() -> [Camera] {
        merged(tree.videoNodes().compactMap(camera)) + [.scene]
    }

    func merged(_ cameras: [Camera]) -> [Camera] {
        Self.distinct(Self.merge(cameras, with: discovered))
    }

    /// Opens a node and describes it; `nil` where it is no camera.
    func camera(_ facts: NodeFacts) -> Camera? {
        do throws(CaptureError) {
            guard let report = try probe(facts.path) else { return nil }
            return Camera(facts, report, dev: tree.dev)
        } catch {
            // A path that is not of a device at all is no camera with a problem: it is none.
            guard facts.udev.isCapture != false, error != CaptureError.notACamera(facts.path) else { return nil }
            return Camera(facts, problem: error, dev: tree.dev)
        }
    }

    /// Tells cameras with the same id apart by their nodes: drivers exist that give all the same place.
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

/// What an open node says of itself.
struct NodeReport: Sendable, Hashable {
    var capabilities: V4L2Node.Capabilities
    var formats: [CameraFormat]

    init(capabilities: V4L2Node.Capabilities, formats: [CameraFormat]) {
        self.capabilities = capabilities
        self.formats = formats
    }

    /// Opens a node and asks it; `nil` where it is no camera.
    init?(path: String) throws(CaptureError) {
        let node = try V4L2Node(path: path)
        capabilities = try node.capabilities()
        guard capabilities.isCamera else { return nil }
        formats = node.formats(planar: capabilities.capturesPlanar)
    }
}

extension Camera {
    /// Describes a node that was asked.
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

    /// Describes a node that was not opened, or could not be.
    init(_ facts: NodeFacts, problem: CaptureError?, dev: String) {
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
