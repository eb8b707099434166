// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import PipelineKit

/// A running process at the other end of a socket. It ends with the last reference to this object.
final class RasterChild: Sendable {
    /// The connection to the process.
    let channel: RasterChannel

    private let process: ChildProcess
    private let socket: Int32

    /// Starts an executable that inherits two sockets and no other file; its output goes to `/dev/null`. Standard input
    /// is the socket for requests. Over descriptor 3, this process opens files for the child.
    init(_ executable: String) throws(OverlayError) {
        let filesSocket: Int32
        do throws(ChildProcess.NotStarted) {
            let requests = try SocketPair()
            let files = try SocketPair(SOCK_SEQPACKET)
            // Libraries print messages about damaged drawings, which are not for the user.
            process = try ChildProcess(
                executable, arguments: [executable], environment: Self.environment,
                streams: [.descriptor(requests.theirs), .null, .null, .descriptor(files.theirs)])
            (socket, filesSocket) = (requests.keepOurs(), files.keepOurs())
        } catch {
            throw .notStarted(executable, error.code)
        }
        channel = RasterChannel(socket: socket)
        // Ends with the process: no other process has its end of the socket.
        let home = getenv("HOME").map { String(cString: $0) }
        DispatchQueue(label: "gst-capture.raster-files").async {
            var server = RasterFiles(socket: filesSocket, home: home)
            server.serve()
        }
    }

    deinit {
        _ = end()
        close(socket)
    }

    /// The process ID.
    var identifier: pid_t { process.identifier }

    /// The processor time of all threads of the process since its start; 0 if it has ended.
    var processorTime: Duration {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Kills the process and waits until it has ended, about a millisecond. Later calls return the same ending.
    func end() -> ChildProcess.Ending {
        process.signal(SIGKILL)
        return process.reap()
    }

    /// The variables with which libraries find fonts and choose letters. A drawing needs no other variable.
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
            .rasterizer, "cannot be started: \(String(cString: strerror(code)))", subject: executable,
            advice: "reinstall gst-capture, or name the executable in GST_CAPTURE_RASTER",
            isTransient: [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(code))
    }
}
