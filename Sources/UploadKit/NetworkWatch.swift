// Part of gst-capture. Apache License 2.0, see LICENSE.

import Dispatch
import Glibc

/// Reports when the addresses and routes of this machine change, without polling (rtnetlink(7)).
package enum NetworkWatch {
    /// Addresses and routes of both families (RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR,
    /// RTMGRP_IPV6_ROUTE).
    private static let groups: UInt32 = 0x10 | 0x40 | 0x100 | 0x400
    /// NETLINK_ROUTE.
    private static let routes: Int32 = 0

    /// Returns a stream of changes; several that come together are one. It ends at once if the kernel has no such
    /// socket, or this process may not use it.
    package static func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let descriptor = open() else {
            continuation.finish()
            return stream
        }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "gst-capture.network"))
        source.setEventHandler {
            discard(descriptor)
            continuation.yield()
        }
        source.setCancelHandler { close(descriptor) }
        // Dispatch sources may be used by any thread.
        nonisolated(unsafe) let watch = source
        continuation.onTermination = { _ in watch.cancel() }
        source.activate()
        return stream
    }

    private static func open() -> Int32? {
        let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, kind, routes)
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl: the family, two bytes of padding, no process, and the groups.
        let words: [UInt32] = [UInt32(AF_NETLINK).littleEndian, 0, groups]
        let isBound = words.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                bind(descriptor, address.baseAddress, socklen_t(bytes.count)) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func discard(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, 0) > 0 {}
        }
    }
}
