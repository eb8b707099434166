// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

/// Finds out why a network camera does not deliver: GStreamer says "Internal data stream error." for nearly all reasons.
///
/// It looks up the host, connects, and requests the stream once, up to the header of the answer. Call it only while no
/// stream of the camera is open: small cameras serve one client.
package enum NetworkProbe {
    /// The answer of a camera.
    enum Answer: Hashable {
        case unknownHost
        /// The connection failed with this error number.
        case notConnected(Int32)
        /// Connected, but nothing was answered in time, or the connection was closed.
        case silent
        /// The answer is not HTTP or RTSP.
        case foreign
        /// The status of HTTP or RTSP, and the media type.
        case status(Int, media: String)
        /// Connected. The protocol is one that is not tried.
        case connected
    }

    /// The time limit of each step. A host that does not answer would otherwise take minutes.
    private static let limit = Duration.seconds(3)

    /// Explains why a source that failed delivers no frames; returns `error` if nothing more can be said.
    package static func explain(_ error: CaptureError, of source: NetworkSource) async -> CaptureError {
        guard let address = source.address, address.port > 0 else { return error }
        let deadline = Deadline(subject: "\(address)", limit: limit * 3)
        let answer = try? await deadline.bound("asking the camera") { () async throws(CaptureError) in
            await BlockingWork.run { ask(address, source.credentials) }
        }
        guard let answer else { return error }
        return self.error(answer, of: source, address) ?? error
    }

    // MARK: Asking

    /// Asks the camera. It blocks.
    static func ask(_ address: NetworkAddress, _ credentials: String?) -> Answer {
        let socket: ProbeSocket
        switch ProbeSocket.connect(to: address, limit) {
        case .success(let connected): socket = connected
        case .failure(let failure): return failure.answer
        }
        guard let request = request(address, credentials) else { return .connected }
        guard let header = socket.answer(to: request, limit) else { return .silent }
        return read(header)
    }

    private static func request(_ address: NetworkAddress, _ credentials: String?) -> String? {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        let authorization = credentials.map { "Authorization: Basic \(base64(Array($0.utf8)))\r\n" } ?? ""
        switch address.scheme {
        case "http":
            return "GET \(address.path) HTTP/1.1\r\nHost: \(host):\(address.port)\r\nUser-Agent: gst-capture\r\n"
                + "Connection: close\r\n\(authorization)\r\n"
        case "rtsp", "rtspt", "rtspu":
            return "DESCRIBE rtsp://\(host):\(address.port)\(address.path) RTSP/1.0\r\nCSeq: 1\r\n"
                + "User-Agent: gst-capture\r\nAccept: application/sdp\r\n\(authorization)\r\n"
        default: return nil
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let text = stride(from: 0, to: bytes.count, by: 3).flatMap { start -> [UInt8] in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            return (0..<4).map { $0 <= group.count ? letters[bits >> (18 - 6 * $0) & 63] : UInt8(ascii: "=") }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the header of an answer.
    static func read(_ header: String) -> Answer {
        let lines = header.split(whereSeparator: \.isNewline)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/") || words[0].hasPrefix("RTSP/"), let status = Int(words[1])
        else { return .foreign }
        let type = lines.first { $0.lowercased().hasPrefix("content-type:") }
        let media = type?.drop { $0 != ":" }.dropFirst().prefix { $0 != ";" }.lowercased() ?? ""
        return .status(status, media: FixedText.clean(media.utf8.prefix(60)))
    }

    // MARK: Explaining

    static func error(_ answer: Answer, of source: NetworkSource, _ address: NetworkAddress) -> CaptureError? {
        func error(_ message: String, _ advice: String, _ code: CaptureError.Code = .noCamera) -> CaptureError {
            CaptureError(code, message, subject: "\(address)", advice: advice)
        }
        switch answer {
        case .unknownHost:
            return error(
                "there is no host \(address.host.quoted)", "check the name, or write the IP address of the camera")
        case .notConnected(ECONNREFUSED):
            return error(
                "the host refuses the connection: nothing listens on port \(address.port)",
                "check the port, and whether the camera has started")
        case .notConnected(ETIMEDOUT), .notConnected(EAGAIN):
            return error("the host does not answer", "check the address, and the camera's power and network")
        case .notConnected(let number):
            return error(
                "cannot be reached: \(CaptureError.systemMessage(number))",
                "check the address, and the network of this machine")
        case .silent:
            return error("connects, but does not answer", "check the port, and restart the camera")
        case .foreign: return error("answers, but not as \(address.scheme.uppercased())", "check the address and port")
        case .status(let status, let media): return self.error(status, media, of: source, address, error)
        case .connected: return nil
        }
    }

    private static func error(
        _ status: Int, _ media: String, of source: NetworkSource, _ address: NetworkAddress,
        _ error: (String, String, CaptureError.Code) -> CaptureError
    ) -> CaptureError? {
        switch status {
        case 401, 403:
            let problem =
                source.credentials == nil ? "asks for a name and a password" : "refuses this name and password"
            return error(
                "\(problem) (\(status))", "set the properties user-id and user-pw of the source element", .permission)
        case 404, 410:
            return error(
                "the camera has nothing at this path (\(status))", "look up the path in the camera's manual", .noCamera)
        case 300..<600:
            return error(
                "the camera answers with the error \(status)", "restart the camera, and look at its log", .noCamera)
        case 200 where source.isMultipart && media == "image/jpeg":
            return error(
                "sends single pictures, not a stream",
                "leave out multipartdemux, as in the preset ip-webcam-mjpeg", .noCamera)
        case 200 where media.hasPrefix("text/") || media.hasPrefix("application/"):
            return error(
                "sends \(media), no pictures", "look up the address of the stream in the camera's manual", .noCamera)
        default: return nil
        }
    }
}
