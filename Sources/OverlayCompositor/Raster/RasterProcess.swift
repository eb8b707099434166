// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Synchronization

/// Draws in another process, `gst-capture-raster`, which confines itself before it reads a drawing: even a drawing
/// that takes over the libraries which draw it cannot reach this process or the user's files.
///
/// Guaranteed on every kernel, by a seccomp filter that allows a list of system calls and refuses all others:
/// - It opens no file itself. This process opens files for it, for reading, if they are regular and below a system's folders
///   of libraries, fonts and their data, or below a folder that fontconfig names. It can learn whether another file exists
///   and how large it is (`stat(2)`), not read it.
/// - It sends no signal to another process, reads no other process' memory, traces none and starts none; it uses no io_uring.
/// - It makes no socket. It has two, both to this process; it inherits no other file, and few variables.
/// - Its memory, its open files and the time for a drawing are limited; it gains no privileges, and other processes of the
///   user cannot look into it.
///
/// With Landlock (Linux 5.13), the kernel refuses files a second time, TCP from Linux 6.7 on, and signals and abstract
/// sockets from 6.12 on. Kernels without Landlock, such as that of Raspberry Pi OS, keep the list above. A process that
/// cannot install its filter draws nothing.
///
/// Its answers are checked here and can only be pixels of the overlay or an error.
///
/// The process starts with the first request. One that fails its request is ended, and the next request starts another.
/// It ends when this object goes. Everything may be called from any thread; requests run one after the other, on a
/// thread of their own.
public final class RasterProcess: Rasteriser {
    /// The path of what is started.
    public let executable: String

    private let worker: RasterWorker
    private let queue = DispatchQueue(label: "gst-capture.raster-process")

    /// Starts nothing yet.
    ///
    /// - Parameters:
    ///   - executable: The path of `gst-capture-raster`.
    ///   - deadline: What takes longer is given up.
    public init(executable: String, deadline: Duration = .seconds(5)) {
        self.executable = executable
        worker = RasterWorker(executable, deadline: deadline)
    }

    deinit {
        // It waits for the process, and this may be any thread.
        queue.async { [worker] in worker.end() }
    }

    /// Draws a layer. Where the task is cancelled, what was begun is finished, and the rest is not begun.
    ///
    /// - Throws: ``OverlayError`` where the content cannot be read; with `tooMuch` where it took too long or ended the
    ///   process, with `rasteriser` where there is no process to draw with.
    public func rasterise(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        let isCancelled = CancellationFlag()
        let result: Result<RasterImage, OverlayError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [worker] in
                    let result = Result { () throws(OverlayError) in
                        guard !isCancelled.isRaised else { throw .cancelled }
                        return try worker.draw(request)
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            isCancelled.raise()
        }
        return try result.get()
    }

    /// Ends the process, after the requests so far; a later request starts another.
    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [worker] in
                worker.end()
                continuation.resume()
            }
        }
    }

    /// The running process, if there is one.
    package var processIdentifier: Int32? { worker.processIdentifier }
}

/// Says once, from any thread, that a task was cancelled.
private final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}

extension OverlayError {
    fileprivate static var cancelled: OverlayError { OverlayError(.rasteriser, "drawing was cancelled") }
}
