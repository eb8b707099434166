// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CameraCatalog {
    /// Finds a camera that was known before, on any node.
    ///
    /// The result is never another camera, even if that has the same node. The catalog recognizes a USB camera by its
    /// data in sysfs (``USBIdentity``), and opens only that camera's node. To find another kind of camera, it opens and
    /// queries the camera's last node and all nodes that are not on USB. The call blocks.
    ///
    /// - Throws: ``CaptureError`` `.noCamera` if the camera is not connected; the error names the camera that has its
    ///   node now, if there is one. Or the error that keeps the camera from being opened.
    package func find(again known: Camera) throws(CaptureError) -> Camera {
        // libcamera finds its cameras by name when they are opened.
        guard known.kind == .v4l2 else { return known }
        let nodes = tree.videoNodes()
        guard let usb = known.hardware.usb else { return try find(again: known, withoutUSB: nodes) }
        let present = nodes.compactMap { node in node.usb.map { (node, USBIdentity($0, node)) } }
        switch usb.search(present.map(\.1)) {
        case .found(let places):
            let candidates = places.map { present[$0].0 }
            let ordered = candidates.filter { $0.path == known.path } + candidates.filter { $0.path != known.path }
            guard let found = ordered.lazy.compactMap(camera).first(where: { _ in true }) else {
                throw .lostCamera(known, nowThere: nil)
            }
            return try usable(found.known(as: known))
        case .missing:
            throw .lostCamera(known, nowThere: nodes.first { $0.path == known.path }.map(unasked))
        case .uncertain(let places):
            throw .uncertainCamera(known, elsewhere: places.first.map { unasked(present[$0].0) })
        }
    }

    /// Finds a camera that is not a USB device by the identity that its driver reports.
    private func find(again known: Camera, withoutUSB nodes: [NodeFacts]) throws(CaptureError) -> Camera {
        let onNode = nodes.first { $0.path == known.path }.flatMap(camera)
        if let onNode, onNode.isSame(as: known) { return try usable(onNode) }
        let others = nodes.lazy.filter { $0.path != known.path && $0.usb == nil }.compactMap(camera)
        if let moved = others.first(where: { $0.isSame(as: known) }) { return try usable(moved) }
        // A node that cannot be opened does not show which camera it belongs to.
        if let onNode, onNode.hardware.usb == nil, let problem = onNode.problem { throw problem }
        throw .lostCamera(known, nowThere: onNode)
    }

    /// Describes a camera by sysfs alone: it is not the known one, and opening it may take long.
    private func unasked(_ facts: NodeFacts) -> Camera { Camera(facts, problem: nil, dev: tree.dev) }

    private func usable(_ camera: Camera) throws(CaptureError) -> Camera {
        if let problem = camera.problem { throw problem }
        return camera
    }
}

extension Camera {
    /// Returns this camera under its known names, because udev may not have made its links yet, or may have made
    /// others.
    fileprivate func known(as known: Camera) -> Camera {
        var camera = self
        (camera.id, camera.name) = (known.id, known.name)
        if known.hardware.usb?.hasTwin == true { camera.hardware.usb?.hasTwin = true }
        return camera
    }

    /// `true` if this is the same device: by its ID, or else by name, driver and bus info.
    fileprivate func isSame(as known: Camera) -> Bool {
        guard kind == known.kind, hardware.usb == nil else { return false }
        if id == known.id { return true }
        guard busInfo != nil || known.busInfo != nil else { return false }
        return name == known.name && driver == known.driver && busInfo == known.busInfo
    }

    /// The property that distinguishes this camera from another one.
    fileprivate func mark(besides other: Camera) -> String {
        guard let usb = hardware.usb, let theirs = other.hardware.usb else { return id }
        if usb.product != theirs.product { return "USB ID \(usb.product)" }
        if usb.serial == theirs.serial { return "port \(usb.place)" }
        return usb.serial.map { "serial number \($0)" } ?? "no serial number"
    }
}

extension CaptureError {
    /// Returns the error for a camera that is not connected anymore, while `other` may have its node.
    static func lostCamera(_ known: Camera, nowThere other: Camera?) -> CaptureError {
        guard let other, let path = known.path else {
            return CaptureError(
                .noCamera, "is not connected", subject: known.path ?? known.id, advice: "reconnect \(known.name)")
        }
        let (mark, wanted) = (other.mark(besides: known), known.mark(besides: other))
        return CaptureError(
            .noCamera, "is another camera now, \(other.name) (\(mark)), not \(known.name) (\(wanted))",
            subject: path, advice: "reconnect \(known.name), or start with --camera \(other.id)")
    }

    /// Returns the error for a camera that only its port identifies. It is not in its port; `other` could be it in
    /// another port.
    static func uncertainCamera(_ known: Camera, elsewhere other: Camera?) -> CaptureError {
        let place = known.hardware.usb?.place ?? known.id
        let reason =
            known.hardware.usb?.serial == nil
            ? "has no serial number" : "shares its serial number with another camera"
        let there = other?.hardware.usb.map { "; \($0.place) has a camera like it" } ?? ""
        let choice = other.map { ", or start with --camera \($0.path ?? $0.id)" } ?? ""
        return CaptureError(
            .noCamera, "is not in its port \(place), and \(reason), so it is known only by its port\(there)",
            subject: known.path ?? known.id, advice: "plug \(known.name) into its port again\(choice)")
    }
}
