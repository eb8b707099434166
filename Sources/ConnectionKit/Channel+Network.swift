// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import NIOCore

extension Channel {
    /// The network of the client, for limits: an IPv4 address, the /64 of an IPv6 address, or `unix`.
    package var network: String {
        switch remoteAddress {
        case .v4: return remoteAddress?.ipAddress ?? ""
        case .v6(let address):
            let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
            if isMapped { return bytes.suffix(4).map { "\($0)" }.joined(separator: ".") }
            return stride(from: 0, to: 8, by: 2).map {
                String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16)
            }.joined(separator: ":") + "::/64"
        default: return "unix"
        }
    }
}
#endif
