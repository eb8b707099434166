// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import Glibc
import UploadKit

/// A request of any protocol of libcurl.
struct CurlRequest {
    /// The body of a request.
    enum Body {
        case none
        case bytes([UInt8])
        /// A range of a picture. libcurl reads it in pieces.
        case file(PictureFile, Range<Int>)
        /// A form, whose last part is a picture.
        case form(CurlForm)
    }

    /// The use of the body of the response.
    enum Answer {
        /// The body is kept, up to a number of bytes.
        case text(most: Int)
        /// The body is hashed, up to a number of bytes.
        case digest(most: Int)
        /// The body of a success is written to a file, up to its size. That of a refusal is kept.
        case file(FetchedFile)
    }

    var address: String
    /// The method of HTTP; `nil` for other protocols.
    var method: String?
    /// The lines of the head.
    var headers: [String] = []
    var body = Body.none
    var answer = Answer.text(most: CurlExchange.mostText)
    /// Requests no body of the response.
    var isHeadOnly = false
    var options: [CurlOption] = []
    /// How long the server may be silent, in seconds; `nil` for the limit of the client.
    var stallLimit: Int?

    /// Creates a request of HTTP.
    init(_ method: String, _ address: String, headers: [String] = [], body: Body = .none) {
        (self.method, self.address, self.headers, self.body) = (method, address, headers, body)
        isHeadOnly = method == "HEAD"
    }

    /// Creates a request of another protocol.
    init(_ address: String, options: [CurlOption]) { (self.address, self.options) = (address, options) }
}

/// An option of libcurl with its value.
enum CurlOption: Sendable {
    case text(CURLoption, String)
    case number(CURLoption, Int)
    /// A number of 64 bits (`curl_off_t`).
    case size(CURLoption, Int)
    case list(CURLoption, [String])
}

/// A form (`multipart/form-data`).
struct CurlForm {
    var fields: [UploadTarget.Field]
    /// The name of the part with the picture.
    var fileField: String
    var fileName: String
    var mediaType: String
    var file: PictureFile
}

/// The response to a request.
struct CurlResponse {
    /// The status of HTTP; 0 for other protocols.
    var status = 0
    /// The pause that the server asks for, at most ``longestPause``.
    var pause: Duration?
    /// The first bytes of the body; empty if it was hashed.
    var body: [UInt8] = []
    /// The number of bytes of the body.
    var byteCount = 0
    /// The SHA-256 of the body, if the request asked for it.
    var sha256: String?
    /// The number of bytes that were sent.
    var sentCount = 0
    private var fields: [(name: String, value: String)] = []

    /// The longest pause that a server can ask for.
    static let longestPause = Duration.seconds(6 * 3600)

    /// `true` for a status from 200 to 299.
    var isSuccess: Bool { 200...299 ~= status }

    /// Returns the first value of a header.
    ///
    /// - Parameter name: The name in lowercase.
    func header(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// How far the clock of the server is from that of this machine, in seconds; `nil` if it does not tell its time.
    var clockDifference: Int? {
        header("date").map { curl_getdate($0, nil) }.flatMap { $0 < 0 ? nil : abs($0 - time(nil)) }
    }

    /// Adds a line of the head. A line with a status begins a new head: libcurl also reports that of `100 Continue`.
    mutating func addHead(_ line: String) {
        if line.hasPrefix("HTTP/") {
            fields = []
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append((line[..<colon].lowercased(), String(value)))
        }
    }
}

/// Why a request got no response.
struct CurlFailure: Error {
    enum Cause {
        case canceled
        /// The picture changed while it was sent.
        case changed
        /// The server did not send or receive anything for some time.
        case stalled
        /// The body of the response is longer than the request allows.
        case tooLong
        /// The body cannot be stored on this machine: a number of a system error.
        case unstored(Int32)
        case code(CURLcode)
    }

    let cause: Cause
    /// The reason in the words of libcurl.
    let message: String
    /// The reason why a certificate is refused (`X509_V_ERR_*`); 0 if there is none.
    let certificateFault: Int
    /// The number of bytes that were sent.
    let sentCount: Int
    /// `true` if libcurl has asked for the body of the request.
    let didRead: Bool

    /// Returns `true` if libcurl ended with one of these codes.
    func isOne(of codes: CURLcode...) -> Bool {
        if case .code(let code) = cause { codes.contains(code) } else { false }
    }
}
#endif
