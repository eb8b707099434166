// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import Glibc
import SystemBase
import UploadKit

/// The state of one request while libcurl runs it: gives the body, and receives the response.
final class CurlExchange {
    /// The most bytes of a body that are kept unless the request says more, and those of a head.
    static let mostText = 65_536

    private(set) var response = CurlResponse()
    /// Why a callback ended the transfer.
    private(set) var cause: CurlFailure.Cause?
    /// `true` if libcurl has asked for the body of the request.
    private(set) var didRead = false
    private let request: CurlRequest
    private let cancellation: Cancellation
    private let stallLimit: Int
    private var offset = 0
    private var headCount = 0
    private var sum: SHA256?
    private var progress = Progress()

    /// How far a transfer was, and when it last moved.
    private struct Progress {
        var (received, sent, head) = (0, 0, 0)
        var second = Progress.now()

        static func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec
        }
    }

    init(_ request: CurlRequest, _ cancellation: Cancellation, stallLimit: Int) {
        (self.request, self.cancellation, self.stallLimit) = (request, cancellation, stallLimit)
        if case .digest = request.answer { sum = SHA256() }
    }

    /// Returns the response with what libcurl knows of it.
    func finish(_ handle: UnsafeMutableRawPointer) -> CurlResponse {
        response.status = ccurl_status(handle)
        response.sentCount = Int(ccurl_sent(handle))
        let pause = ccurl_retry_after(handle)
        response.pause = pause > 0 ? min(.seconds(pause), CurlResponse.longestPause) : nil
        if let sum = sum.take() { response.sha256 = sum.digits() }
        return response
    }

    // MARK: The request

    /// Sets the functions of libcurl to those of this object, which must outlive the transfer.
    func attach(to handle: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_receive(
            handle, context, { CurlExchange.of($3)?.receiveHead($0, $1 * $2) ?? 0 },
            { CurlExchange.of($3)?.receiveBody($0, $1 * $2) ?? 0 },
            { context, _, received, _, sent in CurlExchange.of(context)?.move(Int(received), Int(sent)) ?? 1 })
        guard count != nil else { return }
        ccurl_send(
            handle, context, { CurlExchange.of($3)?.send($0, $1 * $2) ?? ccurl_abort_read },
            { context, offset, origin in CurlExchange.of(context)?.seek(Int(offset), origin) ?? CURL_SEEKFUNC_FAIL })
    }

    /// Makes this object give the picture of a form.
    func attach(to part: OpaquePointer?, count: Int) {
        curl_mime_data_cb(
            part, curl_off_t(count), { CurlExchange.of($3)?.send($0, $1 * $2) ?? ccurl_abort_read },
            { context, offset, origin in CurlExchange.of(context)?.seek(Int(offset), origin) ?? CURL_SEEKFUNC_FAIL },
            nil, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The size of the body, in bytes; `nil` if libcurl does not ask this object for it.
    var count: Int? {
        switch request.body {
        case .none: nil
        case .bytes(let bytes): bytes.count
        case .file(_, let range): range.count
        case .form(let form): form.file.byteCount
        }
    }

    /// Copies the next bytes of the body (`CURLOPT_READFUNCTION`).
    private func send(_ target: UnsafeMutablePointer<CChar>?, _ most: Int) -> Int {
        didRead = true
        guard let count, let target else { return ccurl_abort_read }
        let piece = UnsafeMutableRawBufferPointer(start: target, count: min(most, count - offset))
        guard !piece.isEmpty else { return 0 }
        switch request.body {
        case .none: return 0
        case .bytes(let bytes):
            bytes[offset..<offset + piece.count].withUnsafeBytes { piece.copyMemory(from: $0) }
        case .file(let file, let range): guard fill(piece, file, range.lowerBound) else { return ccurl_abort_read }
        case .form(let form): guard fill(piece, form.file, 0) else { return ccurl_abort_read }
        }
        offset += piece.count
        return piece.count
    }

    private func fill(_ piece: UnsafeMutableRawBufferPointer, _ file: PictureFile, _ start: Int) -> Bool {
        let isFilled = file.fill(piece, at: start + offset)
        if !isFilled { cause = .changed }
        return isFilled
    }

    /// Continues at another place of the body: to send it once more, or to resume (`CURLOPT_SEEKFUNCTION`). The end is
    /// the place if the file of the server is longer than the body.
    private func seek(_ place: Int, _ origin: Int32) -> Int32 {
        guard origin == SEEK_SET, let count, place >= 0 else { return CURL_SEEKFUNC_FAIL }
        offset = min(place, count)
        return CURL_SEEKFUNC_OK
    }

    // MARK: The response

    private func receiveHead(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headCount += count
        guard headCount <= Self.mostText else { return fail(.tooLong) }
        response.addHead(FixedText.clean(UnsafeRawBufferPointer(start: bytes, count: count)))
        return count
    }

    private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let piece = UnsafeRawBufferPointer(start: bytes, count: count)
        response.byteCount += count
        switch request.answer {
        case .text(let most):
            guard response.byteCount <= most else { return fail(.tooLong) }
            response.body += piece
        case .digest(let most):
            guard response.byteCount <= most else { return fail(.tooLong) }
            sum?.add(piece)
        case .file(let file):
            // The body of a refusal is not the file. Only HTTP has refusals with a body.
            let isFile = request.method == nil || response.isSuccess
            guard response.byteCount <= (isFile ? file.byteCount : Self.mostText) else { return fail(.tooLong) }
            guard isFile else {
                response.body += piece
                break
            }
            if let number = file.add(piece) { return fail(.unstored(number)) }
        }
        return count
    }

    private func fail(_ cause: CurlFailure.Cause) -> Int {
        self.cause = cause
        return 0
    }

    /// Ends the transfer if the task was canceled, or nothing moved for too long (`CURLOPT_XFERINFOFUNCTION`; libcurl
    /// calls it once a second at least). `CURLOPT_LOW_SPEED_TIME` would not see a server that is silent in a handshake
    /// or in a command of SFTP.
    private func move(_ received: Int, _ sent: Int) -> Int32 {
        if cancellation.isCanceled {
            cause = .canceled
            return 1
        }
        let now = Progress.now()
        if (received, sent, headCount) != (progress.received, progress.sent, progress.head) {
            progress = Progress(received: received, sent: sent, head: headCount, second: now)
        } else if now - progress.second > stallLimit {
            cause = .stalled
            return 1
        }
        return 0
    }
}
#endif
