// Part of gst-capture. Apache License 2.0, see LICENSE.

extension CameraCatalog {
    /// Finds a camera again that was known before, whatever node it has now.
    ///
    /// Another camera is never taken for it, be it on the same node. This opens the node it had, and the others where it
    /// is not there any more.
    ///
    /// - Throws: ``CaptureError`` `.noCamera` where it is not there, which tells of another one on its node; or what keeps
    ///   it from being opened.
    func find(again known: Camera) throws(CaptureError) -> Camera {
        // What has no node is found by its name when it is opened.
        guard known.kind == .v4l2 else { return known }
        let nodes = tree.videoNodes()
        let onNode = nodes.first { $0.path == known.path }.flatMap(camera)
        if let onNode, onNode.isSame(as: known) { return try usable(onNode) }
        let others = nodes.lazy.filter { $0.path != known.path }.compactMap(camera)
        if let moved = others.first(where: { $0.isSame(as: known) }) { return try usable(moved) }
        // A node that cannot be opened does not tell whose it is.
        if let problem = onNode?.problem { throw problem }
        throw .lostCamera(known, nowThere: onNode)
    }

    private func usable(_ camera: Camera) throws(CaptureError) -> Camera {
        if let problem = camera.problem { throw problem }
        return camera
    }
}

extension Camera {
    /// True where this is the same device, by what stays: its own names, else its maker, its serial number and its place.
    ///
    /// udev's links may come later than the node, so the names need not be the same.
    func isSame(as known: Camera) -> Bool {
        guard kind == known.kind, hardware.usb == known.hardware.usb, serial == known.serial else { return false }
        // The serial number is the device's own, in whatever port it is; twins share it, and are told apart by place.
        if id == known.id { return true }
        guard busInfo != nil || known.busInfo != nil else { return false }
        return name == known.name && driver == known.driver && busInfo == known.busInfo
    }
}

extension CaptureError {
    /// A camera that is not there any more.
    static func lostCamera(_ known: Camera, nowThere other: Camera?) -> CaptureError {
        guard let other, let path = known.path else {
            return CaptureError(
                .noCamera, "is not connected", subject: known.path ?? known.id, advice: "reconnect \(known.name)")
        }
        return CaptureError(
            .noCamera, "is another camera now, \(other.name) (\(other.id)), and not \(known.id)", subject: path,
            advice: "reconnect \(known.name), or start with --camera \(other.id)")
    }

    /// A driver that does not return from a call.
    static func wedged(_ subject: String, _ call: String, _ deadline: Duration) -> CaptureError {
        CaptureError(
            .wedged, "the driver hangs: \(call) has not returned within \(deadline.components.seconds) s",
            subject: subject, advice: "start gst-capture again; if that does not help, reconnect the camera")
    }
}
