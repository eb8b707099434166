// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import SystemBase
import UploadKit

/// Runs rclone once, and waits for its end.
struct RcloneProcess {
    /// The output of rclone, and its end.
    struct Result {
        /// The exit status; -1 if a signal ended it.
        var status: Int32 = -1
        var byteCount = 0
        /// The SHA-256 of its output.
        var sha256 = ""
        /// The end of its messages.
        var messages: [UInt8] = []
        /// `true` if it printed more than allowed, and was ended.
        var isTooLong = false
        /// The number of the system error if its output could not be stored, and it was ended.
        var storeError: Int32?
    }

    private static let mostMessages = 4096
    /// The time after which a process that does not end is killed, in turns of ``turn``.
    private static let patience = 20
    /// How often the process looks at the cancellation, in milliseconds.
    private static let turn: Int32 = 250

    private let process: ChildProcess
    private let output: Int32
    private let errors: Int32

    /// Starts a program, without a shell.
    init(_ program: String, _ arguments: [String]) throws(TransferFault) {
        do throws(ChildProcess.NotStarted) {
            let output = try SocketPair()
            let errors = try SocketPair()
            process = try ChildProcess(
                program, arguments: [program] + arguments, environment: OwnEnvironment.lines,
                streams: [.null, .descriptor(output.theirs), .descriptor(errors.theirs)])
            (self.output, self.errors) = (output.keepOurs(), errors.keepOurs())
        } catch {
            throw .unreachable("rclone cannot be started: \(CaptureError.systemMessage(error.code))", pause: nil)
        }
    }

    /// Reads the output of the program until it ends.
    ///
    /// - Parameters:
    ///   - most: The most bytes that it may print.
    ///   - file: Receives its output.
    /// - Throws: ``TransferFault/canceled``, after the program has ended.
    func wait(
        most: Int, into file: FetchedFile? = nil, _ cancellation: Cancellation
    ) throws(TransferFault) -> Result {
        var result = Result()
        var sum = SHA256()
        var (turnsLeft, isEnding) = (Self.patience, false)
        var streams = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // poll(2) ignores a negative descriptor.
        while streams.contains(where: { $0.fd >= 0 }) {
            if cancellation.isCanceled || result.isTooLong || result.storeError != nil {
                if !isEnding { process.signal(SIGTERM) }
                isEnding = true
                turnsLeft -= 1
                if turnsLeft <= 0 { process.signal(SIGKILL) }
            }
            guard poll(&streams, nfds_t(streams.count), Self.turn) > 0 else { continue }
            for (index, stream) in streams.enumerated() where stream.revents != 0 {
                let bytes = Self.read(stream.fd)
                if bytes.isEmpty {
                    close(stream.fd)
                    streams[index].fd = -1
                } else if index == 0 {
                    result.byteCount += bytes.count
                    result.isTooLong = result.byteCount > most
                    bytes.withUnsafeBytes { piece in
                        sum.add(piece)
                        if !result.isTooLong, result.storeError == nil { result.storeError = file?.add(piece) }
                    }
                } else {
                    result.messages = (result.messages + bytes).suffix(Self.mostMessages)
                }
            }
        }
        if case .exited(let status) = process.reap() { result.status = status }
        result.sha256 = sum.digits()
        try cancellation.check()
        return result
    }
}

// MARK: - System calls

extension RcloneProcess {
    /// Returns the next bytes; empty at the end.
    private static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            while received < 0, errno == EINTR {
                received = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            count = max(0, received)
        }
    }
}
#endif
