// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import UploadKit

extension TransferFault {
    /// Creates the fault of a response; `nil` for a success. A protocol that has a better meaning for a status, such as
    /// 412, looks at it first.
    ///
    /// - Parameters:
    ///   - item: What the request sends, in the words of the fault; it begins with a consonant.
    ///   - place: The place of it at the server.
    init?(_ response: CurlResponse, item: String = "file", place: String = "folder") {
        let status = response.status
        switch status {
        case 200...299: return nil
        case 300...399: self = .access("the server redirects to another address (\(status)): correct the address")
        case 401: self = .access("the server refuses the user or the password (401)")
        case 403: self = .access("the server denies access (403)")
        case 404, 410: self = .missing("the \(place) does not exist at the server (\(status))")
        case 405, 411: self = .access("the server accepts no \(item)s here (\(status)): correct the address")
        case 407: self = .access("the proxy refuses the user or the password (407)")
        case 408, 425: self = .unreachable("the server asks to send it again (\(status))", pause: response.pause)
        case 409: self = .unreachable("another request is in conflict (409)", pause: response.pause)
        case 423: self = .unreachable("the \(item) is locked at the server (423)", pause: response.pause)
        case 412: self = .nameTaken("the server has another \(item) of this name")
        case 413: self = .refused("the server refuses a \(item) of this size (413)")
        case 415: self = .refused("the server refuses this kind of \(item) (415)")
        case 429: self = .unreachable("the server asks for fewer requests (429)", pause: response.pause)
        case 507: self = .full("the server has no room (507)")
        case 500...599:
            self = .unreachable("the server reports an internal fault (\(status))", pause: response.pause)
        default: self = .refused("the server refuses the \(item) (\(status))")
        }
    }
}
#endif
