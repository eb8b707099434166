// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// The end of an X display, or of a window on it, that the sink does not hear of.
///
/// Xlib ends the process then, without a word of ours and with the terminal as it is, unless the program has handlers
/// (`XSetIOErrorHandler`, `XSetErrorHandler`). Where the display is lost, the thread that found out is lost with it: it
/// sleeps to the end of the process.
enum DisplayLoss: Sendable {
    /// The display went away.
    case display
    /// Somebody destroyed the window, rather than asking to close it.
    case window

    /// What is lost, as it is lost; for one caller.
    static var losses: AsyncStream<DisplayLoss> { channel.stream }

    /// Watches, where an element has loaded Xlib by now; it is no library of ours.
    static func watch() {
        guard let library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD) else { return }
        if let symbol = dlsym(library, "XSetIOErrorHandler") {
            typealias Handler = @convention(c) (OpaquePointer?) -> CInt
            typealias Setter = @convention(c) (Handler?) -> Handler?
            _ = unsafeBitCast(symbol, to: Setter.self)(loseDisplay)
        }
        if let symbol = dlsym(library, "XSetErrorHandler") {
            typealias Handler = @convention(c) (OpaquePointer?, UnsafeRawPointer?) -> CInt
            typealias Setter = @convention(c) (Handler?) -> Handler?
            _ = unsafeBitCast(symbol, to: Setter.self)(takeError)
        }
    }

    fileprivate static let channel = AsyncStream.makeStream(of: DisplayLoss.self, bufferingPolicy: .bufferingNewest(1))
}

// Free functions: a closure literal could inherit an actor's isolation and die on another thread.
private func loseDisplay(_ display: OpaquePointer?) -> CInt {
    DisplayLoss.channel.continuation.yield(.display)
    while true { pause() }
}

// BadWindow and BadDrawable are what a window that is gone gives for each frame; other errors are not worth the end.
private func takeError(_ display: OpaquePointer?, _ event: UnsafeRawPointer?) -> CInt {
    // XErrorEvent: a type, the display, a resource, a serial number, and the code.
    let code = event?.load(fromByteOffset: 4 * MemoryLayout<CUnsignedLong>.stride, as: UInt8.self)
    if code == 3 || code == 9 { DisplayLoss.channel.continuation.yield(.window) }
    return 0
}

extension CaptureError {
    /// The display that the preview was shown on does not answer any more.
    static let lostDisplay = CaptureError(
        .noDisplay, "the display went away", subject: "preview",
        advice: "see whether the X server still runs; pictures taken before are safe")
}
