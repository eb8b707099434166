// Part of gst-capture. Apache License 2.0, see LICENSE.

import CConfinement
import Foundation
import Testing

@testable import RasterConfinement

@Suite(.timeLimit(.minutes(2))) struct `Files of fonts` {
    private let ours: Int32, theirs: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        (ours, theirs) = (ends[0], ends[1])
    }

    @Test func `The drawing process sends the folders of fonts, and seals the list`() async throws {
        let messages = Task.detached { [ours] in Self.messages(of: ours) }
        #expect(FontFiles.send(to: theirs))
        close(theirs)
        let sent = await messages.value
        close(ours)
        #expect(sent.dropLast().allSatisfy { $0.kind == CCONF_ROOT && $0.path.hasPrefix("/") })
        #expect(sent.last?.kind == CCONF_SEAL)
        #expect(sent.last?.path == "")
        #expect(sent.contains { $0.path == "/usr/share/fonts" })
    }

    @Test func `The drawing process does not continue if the other end is gone`() {
        close(ours)
        #expect(!FontFiles.send(to: theirs))
        close(theirs)
    }

    private static func messages(of socket: Int32) -> [(kind: UInt8, path: String)] {
        var (messages, message) = ([(kind: UInt8, path: String)](), [UInt8](repeating: 0, count: 8192))
        while case let count = recv(socket, &message, message.count, 0), count > 0 {
            messages.append((message[0], String(decoding: message[1..<count], as: UTF8.self)))
        }
        return messages
    }
}
