// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import OverlayCompositor
import OverlayRaster

/// Answers requests, one after the other, until the other end closes the socket or sends anything but a request.
struct RasterServer {
    private let channel: RasterChannel

    init(_ channel: RasterChannel) { self.channel = channel }

    func run() {
        while let message = try? channel.receive(), let request = try? RasterRequest(wire: message) {
            // The requesting process kills this one after its limit, which is at most as long as the alarm. The alarm
            // ends a drawing if that process is gone, or too slow to kill this one.
            alarm(UInt32(RasterDeadline.mostWallTime.components.seconds))
            let answer = RasterAnswer(Result { () throws(OverlayError) in try CairoRasterizer.draw(request) })
            alarm(0)
            guard (try? channel.send(answer.wire)) != nil else { return }
        }
    }
}
