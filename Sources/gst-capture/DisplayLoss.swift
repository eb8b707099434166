// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// The end of an X display while a window is open on it.
///
/// Xlib ends the process then, without a word of ours and with the terminal as it is, unless a handler of the program
/// does not return (`XSetIOErrorHandler`). The thread that found out is lost; it sleeps to the end of the process.
enum DisplayLoss {
    /// Comes when the display is lost; for one caller.
    static var losses: AsyncStream<Void> { channel.stream }

    /// Watches, where an element has loaded Xlib by now; it is no library of ours.
    static func watch() {
        guard let library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD),
            let symbol = dlsym(library, "XSetIOErrorHandler")
        else { return }
        typealias Handler = @convention(c) (OpaquePointer?) -> CInt
        typealias Setter = @convention(c) (Handler?) -> Handler?
        _ = unsafeBitCast(symbol, to: Setter.self)(loseDisplay)
    }

    fileprivate static let channel = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
}

// A free function: a closure literal could inherit an actor's isolation and die on another thread.
private func loseDisplay(_ display: OpaquePointer?) -> CInt {
    DisplayLoss.channel.continuation.yield()
    while true { pause() }
}

extension CaptureError {
    /// The display that the preview was shown on does not answer any more.
    static let lostDisplay = CaptureError(
        .noDisplay, "the display went away", subject: "preview",
        advice: "see whether the X server still runs; pictures taken before are safe")
}
