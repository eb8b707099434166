// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// A running process at the other end of a socket. It ends with the last reference.
final class RasterChild: Sendable {
    /// The connection to it.
    let channel: RasterChannel

    private let process: ChildProcess
    private let socket: Int32

    /// Starts an executable with the socket as its standard input, and nothing else of ours.
    init(_ executable: String) throws(OverlayError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .notStarted(executable, errno) }
        defer { close(ends[1]) }
        do throws(ChildProcess.NotStarted) {
            // What libraries grumble about a damaged drawing is no line of ours.
            process = try ChildProcess(
                executable, arguments: [executable], environment: Self.environment,
                streams: [.descriptor(ends[1]), .null, .null])
        } catch {
            close(ends[0])
            throw .notStarted(executable, error.code)
        }
        socket = ends[0]
        channel = RasterChannel(socket: socket)
    }

    deinit {
        _ = end()
        close(socket)
    }

    /// The number of the process.
    var identifier: pid_t { process.identifier }

    /// Ends the process, whatever it does, and waits until it is gone: about a millisecond. Again, it says the same.
    func end() -> ChildProcess.Ending {
        process.signal(SIGKILL)
        return process.reap()
    }

    /// What finds fonts and chooses letters; the rest of our environment is none of a drawing's business.
    private static var environment: [String] {
        let names = [
            "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
            "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
        ]
        return names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }
}

extension OverlayError {
    fileprivate static func notStarted(_ executable: String, _ code: Int32) -> OverlayError {
        OverlayError(
            .rasteriser, "cannot be started: \(String(cString: strerror(code)))", subject: executable,
            advice: "install gst-capture anew, or name the executable in GST_CAPTURE_RASTER")
    }
}
