// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Draws in a child process, `gst-capture-raster`, which confines itself before it reads a drawing. Even a drawing that
/// takes over the libraries that draw it cannot reach this process or the user's files.
///
/// A seccomp filter that allows a list of system calls and refuses all others guarantees on every kernel:
/// - The child opens no file itself. This process opens files for it, read-only, if they are regular files below a
///   system's folders of libraries, fonts and their data, or below a folder that fontconfig names. The child can learn
///   whether another file exists, how large and how old it is (`stat(2)`), and the target of a symbolic link
///   (`readlink(2)`), but cannot read the file.
/// - The child sends no signal to another process, reads no other process's memory, and traces and starts no process.
///   It does not use io_uring.
/// - The child creates no socket. It has two, both connected to this process. It inherits no other file except
///   `/dev/null`, and few variables.
/// - The child's memory, its open files and the time for a drawing are limited. It gains no privileges, and other
///   processes of the user cannot look into it.
///
/// With Landlock (Linux 5.13), the kernel refuses files a second time, TCP from Linux 6.7 on, and signals and abstract
/// sockets from 6.12 on. On kernels without Landlock, such as that of Raspberry Pi OS, the list above still holds. A
/// child that cannot install its filter draws nothing.
///
/// This process checks the child's answers, which can only be pixels of the overlay or an error.
///
/// The child starts with the first request. If it fails to answer a request, this process ends it, and the next request
/// starts another. The child ends when this object is released. All methods may be called from any thread. Requests run
/// one after the other, on a separate thread.
public final class RasterProcess: Rasterizer {
    /// The path of the executable.
    public let executable: String

    private let worker: RasterWorker

    /// Creates a rasterizer without a child; the first request starts it.
    ///
    /// - Parameters:
    ///   - executable: The path of `gst-capture-raster`.
    ///   - limit: The processor time that a request may use. On a busy machine, it may take twelve times as long, but
    ///     never longer than 60 seconds. After that it fails.
    public init(executable: String, limit: Duration = .seconds(5)) {
        self.executable = executable
        worker = RasterWorker(executable, limit: limit)
    }

    deinit {
        // `end()` waits for the process, and `deinit` can run on any thread.
        Task { [worker] in await worker.end() }
    }

    /// Draws a layer. If the task is canceled, a request that has begun is finished, and a pending one is not begun.
    ///
    /// - Throws: ``OverlayError`` if the content cannot be read; with `tooMuch` if drawing takes too long or ends the
    ///   process; with `rasterizer` if no process can draw, or if the task was canceled before the request began.
    public func rasterize(_ request: RasterRequest) async throws(OverlayError) -> RasterImage {
        try await worker.draw(request)
    }

    /// Ends the process after all pending requests. A later request starts another.
    public func close() async {
        await worker.end()
    }

    /// The ID of the running process; `nil` if none runs.
    package var processIdentifier: Int32? { worker.processIdentifier }
}
