// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The files in which the kernel and udev describe devices. Reading them opens no device.
public struct DeviceTree: Sendable, Hashable {
    /// The mount point of sysfs.
    public var sysfs: String
    /// The folder of device nodes.
    public var dev: String
    /// The folder of udev's database.
    public var udev: String

    /// Creates a view of this machine, or of another tree for tests.
    public init(sysfs: String = "/sys", dev: String = "/dev", udev: String = "/run/udev/data") {
        self.sysfs = sysfs
        self.dev = dev
        self.udev = udev
    }

    /// Returns the video nodes, by number.
    package func videoNodes() -> [NodeFacts] {
        let links = links()
        let found = nodes(prefix: "video").map { facts(of: $0, links) }
        return found.map { node in
            var node = node
            node.hasTwin = found.contains { $0.isTwin(of: node) }
            node.sharesLinks = found.contains { $0.hasSameLinks(as: node) }
            return node
        }
    }

    /// Returns the nodes of sub-devices such as flash LEDs, by number.
    func subdeviceNodes() -> [String] {
        nodes(prefix: "v4l-subdev").map { "\(dev)/\($0)" }
    }

    /// Describes the node at a path, and follows links; `nil` if the path does not exist.
    func node(at path: String) -> NodeFacts? {
        guard let canonical = DeviceFiles.canonical(path) else { return nil }
        let known = videoNodes().first { DeviceFiles.canonical($0.path) == canonical }
        return known ?? NodeFacts(node: DeviceFiles.name(of: canonical), path: canonical)
    }

    /// Returns the path of udev's link with this name, in by-id or by-path; `nil` if there is none.
    func link(named name: String) -> String? {
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return ["by-id", "by-path"].map { "\(dev)/v4l/\($0)/\(name)" }.first { DeviceFiles.exists($0) }
    }

    private func nodes(prefix: String) -> [String] {
        let numbers = DeviceFiles.names(in: dev).compactMap { name -> Int? in
            guard name.hasPrefix(prefix) else { return nil }
            let digits = name.dropFirst(prefix.count)
            return digits.utf8.allSatisfy(\.isDigit) ? Int(digits) : nil
        }
        return numbers.sorted().map { "\(prefix)\($0)" }
    }

    private func facts(of node: String, _ links: Links) -> NodeFacts {
        var facts = NodeFacts(node: node, path: "\(dev)/\(node)")
        let folder = "\(sysfs)/class/video4linux/\(node)"
        facts.title = DeviceFiles.line("\(folder)/name")
        facts.index = DeviceFiles.line("\(folder)/index").flatMap { Int($0) }
        facts.devicePath = DeviceFiles.canonical("\(folder)/device")
        facts.driver = DeviceFiles.canonical("\(folder)/device/driver").map(DeviceFiles.name)
        facts.usb = facts.devicePath.flatMap { USBFacts(interfacePath: $0) }
        facts.byID = links.byID[node, default: []]
        facts.byPath = links.byPath[node, default: []]
        facts.deviceNumber = deviceNumber(of: facts.path)
        facts.udev = DeviceFiles.line("\(folder)/dev").map(record) ?? UdevRecord()
        return facts
    }

    private func record(of number: String) -> UdevRecord {
        DeviceFiles.content("\(udev)/c\(number)").map(UdevRecord.init) ?? UdevRecord()
    }

    private func deviceNumber(of path: String) -> UInt64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
        return UInt64(status.st_rdev)
    }
}

extension DeviceTree {
    /// The names of udev's links, by the name of their target node.
    private struct Links {
        let byID: [String: [String]]
        let byPath: [String: [String]]
    }

    private func links() -> Links {
        Links(byID: links(in: "\(dev)/v4l/by-id"), byPath: links(in: "\(dev)/v4l/by-path"))
    }

    private func links(in folder: String) -> [String: [String]] {
        var links: [String: [String]] = [:]
        for name in DeviceFiles.names(in: folder).sorted() {
            guard let target = DeviceFiles.canonical("\(folder)/\(name)") else { continue }
            links[DeviceFiles.name(of: target), default: []].append(name)
        }
        return links
    }
}
