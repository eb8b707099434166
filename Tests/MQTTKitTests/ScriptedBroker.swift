// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Glibc
import Synchronization

/// A broker of MQTT 3.1.1 on its own thread, which accepts connections one after the other and answers each packet as a
/// script says. It refuses MQTT 5.
final class ScriptedBroker: Sendable {
    /// A packet of a client.
    struct Packet: Sendable, Equatable {
        let type: UInt8
        let body: [UInt8]

        /// The topic of a publication.
        var topic: String {
            guard body.count >= 2 else { return "" }
            return String(decoding: body.dropFirst(2).prefix(Int(body[0]) << 8 | Int(body[1])), as: UTF8.self)
        }

        /// The number of a publication with an acknowledgment, or of a subscription.
        var number: [UInt8] {
            let start = type == 3 ? 2 + topic.utf8.count : 0
            return Array(body.dropFirst(start).prefix(2))
        }
    }

    enum Answer: Sendable {
        /// The usual one: an acknowledgment.
        case acknowledge
        case send([UInt8])
        case close
    }

    let port: Int
    /// All packets but requests to connect with MQTT 5, and `nil` at the end of each connection.
    let packets: AsyncStream<Packet?>
    private let inlet: AsyncStream<Packet?>.Continuation
    private let listener: Int32
    private let isEnding = Mutex(false)

    init(_ script: @escaping @Sendable (Packet) -> Answer) throws {
        (packets, inlet) = AsyncStream.makeStream()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw CancellationError() }
        port = Int(UInt16(bigEndian: address.sin_port))
        let thread = Self.Thread { [self] in serve(script) }
        thread.start()
    }

    func end() {
        isEnding.withLock { $0 = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private struct Thread {
        let body: @Sendable () -> Void

        func start() {
            var thread = pthread_t()
            let box = Unmanaged.passRetained(Box(body))
            pthread_create(
                &thread, nil,
                { pointer in
                    if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body() }
                    return nil
                }, box.toOpaque())
            pthread_detach(thread)
        }

        private final class Box: Sendable {
            let body: @Sendable () -> Void

            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
    }

    private func serve(_ script: @Sendable (Packet) -> Answer) {
        while !isEnding.withLock({ $0 }) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            serve(connection, script)
            close(connection)
        }
        close(listener)
        inlet.finish()
    }

    private func serve(_ connection: Int32, _ script: @Sendable (Packet) -> Answer) {
        while let packet = Self.read(connection) {
            if packet.type == 1, packet.body.dropFirst(6).first == 5 {
                // The version is not supported.
                return Self.write(connection, [0x20, 2, 0, 1])
            }
            inlet.yield(packet)
            switch script(packet) {
            case .acknowledge: Self.write(connection, Self.acknowledgment(of: packet))
            case .send(let bytes): Self.write(connection, bytes)
            case .close:
                inlet.yield(nil)
                return
            }
        }
        inlet.yield(nil)
    }

    private static func acknowledgment(of packet: Packet) -> [UInt8] {
        switch packet.type {
        case 1: [0x20, 2, 0, 0]
        case 3: [0x40, 2] + packet.number
        case 8: [0x90, 3] + packet.number + [1]
        case 12: [0xD0, 0]
        default: []
        }
    }

    private static func read(_ connection: Int32) -> Packet? {
        guard let type = bytes(connection, 1)?.first else { return nil }
        var (count, shift) = (0, 0)
        repeat {
            guard let byte = bytes(connection, 1)?.first, shift < 28 else { return nil }
            count |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        } while true
        return bytes(connection, count).map { Packet(type: type >> 4, body: $0) }
    }

    private static func bytes(_ connection: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                recv(connection, buffer.baseAddress.map { $0 + position }, count - position, 0)
            }
            guard read > 0 else { return nil }
            position += read
        }
        return bytes
    }

    private static func write(_ connection: Int32, _ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    connection, buffer.baseAddress.map { $0 + position }, bytes.count - position, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            position += count
        }
    }
}
#endif
