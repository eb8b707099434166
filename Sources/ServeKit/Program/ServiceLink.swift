// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import ServiceKit

/// The address of the service for other machines, such as `http://192.168.0.7:8080`.
enum ServiceLink {
    /// Returns the address of a configuration: that of its proxy, or of the first port that other machines reach, or else
    /// of the first port.
    ///
    /// - Returns: `nil` without a proxy and a fixed port.
    static func base(_ configuration: ServiceConfiguration) -> String? {
        if let address = configuration.safety.address { return address.description }
        let ports = configuration.addresses.filter { if case .port = $0 { true } else { false } }
        guard case .port(let host, let port)? = ports.first(where: { !$0.isLocal }) ?? ports.first, port > 0 else {
            return nil
        }
        let isAny = ["0.0.0.0", "::"].contains(host)
        let name = configuration.safety.hosts.first ?? (isAny ? networkAddress ?? "localhost" : host)
        let link = ListenAddress.port(host: name, port: port).description
        return configuration.safety.tls == nil ? link : "https" + link.dropFirst("http".count)
    }

    /// `true` if other machines can use an address.
    static func isPublic(_ base: String) -> Bool {
        let host = base.drop { $0 != ":" }.dropFirst("://".count)
        return !["localhost", "127.", "[::1]"].contains { host.hasPrefix($0) }
    }

    /// The first IPv4 address that other machines can reach; `nil` if there is none (`getifaddrs(3)`).
    private static var networkAddress: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let address = entry.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            guard inet_ntop(AF_INET, &number, &text, socklen_t(text.count)) != nil else { continue }
            return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        }
        return nil
    }
}
#endif
