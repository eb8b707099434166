// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// The loss of an X display, or of a window on it, that the sink does not notice.
///
/// Xlib then ends the process without a message and without restoring the terminal, unless the program has handlers
/// (`XSetIOErrorHandler`, `XSetErrorHandler`). If the display is lost, the thread that noticed it cannot continue: it
/// sleeps until the process ends.
enum DisplayLoss: Sendable {
    /// The display is gone.
    case display
    /// The window was destroyed without a request to close it.
    case window

    /// Losses as they occur, for one caller.
    static var losses: AsyncStream<DisplayLoss> { channel.stream }

    /// Installs the handlers if an element has loaded Xlib by now; this program does not link to it.
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

// Free functions: a closure literal could inherit an actor's isolation and trap on another thread.
private func loseDisplay(_ display: OpaquePointer?) -> CInt {
    DisplayLoss.channel.continuation.yield(.display)
    while true { pause() }
}

// Each frame for a destroyed window fails with BadWindow or BadDrawable. Other X errors do not end the preview.
private func takeError(_ display: OpaquePointer?, _ event: UnsafeRawPointer?) -> CInt {
    // XErrorEvent: a type, the display, a resource, a serial number, and the code.
    let code = event?.load(fromByteOffset: 4 * MemoryLayout<CUnsignedLong>.stride, as: UInt8.self)
    if code == 3 || code == 9 { DisplayLoss.channel.continuation.yield(.window) }
    return 0
}

extension CaptureError {
    /// The display that showed the preview no longer responds.
    static let lostDisplay = CaptureError(
        .noDisplay, "the display was lost", subject: "preview",
        advice: "check that the X server still runs; earlier pictures are safe")
}
