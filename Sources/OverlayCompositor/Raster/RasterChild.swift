// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc
import PipelineKit

/// A running process at the other end of a socket. It ends with the last reference.
final class RasterChild: Sendable {
    /// The connection to it.
    let channel: RasterChannel

    private let process: ChildProcess
    private let socket: Int32

    /// Starts an executable with two sockets, its standard input and descriptor 3, and nothing else of ours: one is for
    /// requests, over the other we open files for it.
    init(_ executable: String) throws(OverlayError) {
        let requests = try Self.pair(SOCK_STREAM, executable)
        defer { close(requests.theirs) }
        let files: (ours: Int32, theirs: Int32)
        do throws(OverlayError) {
            files = try Self.pair(SOCK_SEQPACKET, executable)
        } catch {
            close(requests.ours)
            throw error
        }
        defer { close(files.theirs) }
        do throws(ChildProcess.NotStarted) {
            // Libraries print about damaged drawings; these are no messages for the user.
            process = try ChildProcess(
                executable, arguments: [executable], environment: Self.environment,
                streams: [.descriptor(requests.theirs), .null, .null, .descriptor(files.theirs)])
        } catch {
            close(requests.ours)
            close(files.ours)
            throw .notStarted(executable, error.code)
        }
        socket = requests.ours
        channel = RasterChannel(socket: socket)
        // Ends with the process, whose end of the socket no other process has.
        let home = getenv("HOME").map { String(cString: $0) }
        DispatchQueue(label: "gst-capture.raster-files").async {
            var server = RasterFiles(socket: files.ours, home: home)
            server.serve()
        }
    }

    private static func pair(
        _ kind: __socket_type, _ executable: String
    ) throws(OverlayError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .notStarted(executable, errno)
        }
        return (ends[0], ends[1])
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
