// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ServiceKit
import Testing

@testable import ServeKit

@Suite("Live video", .timeLimit(.minutes(2)))
struct LiveVideoResponseTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240, framerate: 30 }\n"

    @Test("A movie begins with its format and a key frame at time 0, at every path, and times advance")
    func movie() async throws {
        try await MemoryService.run(Self.cameras) { service in
            let paths = [
                "/api/v1/cameras/garden/stream.mp4?width=160&fps=20", "/cameras/garden/stream.mp4", "/stream.mp4",
            ]
            for path in paths {
                let client = try await MemoryMovie(service, path)
                #expect(client.head.contains("200 OK"))
                #expect(client.head.contains(/Content-Type: video\/mp4; codecs="avc1\.[0-9A-F]{6}"/), "\(path)")
                #expect(try await client.box().type == "ftyp")
                #expect(try await client.box().type == "moov")
                var times: [UInt64] = []
                for index in 0..<10 {
                    let fragment = try await client.fragment()
                    if index == 0 { #expect(fragment.time == 0 && fragment.isKey, "\(path)") }
                    times.append(fragment.time)
                }
                #expect(times == times.sorted() && Set(times).count == 10, "\(path)")
            }
        }
    }

    @Test("Each viewer begins with a key frame, and all with one request share an encoder")
    func shared() async throws {
        try await MemoryService.run(Self.cameras) { service in
            var clients: [MemoryMovie] = []
            for _ in 0..<5 {
                let client = try await MemoryMovie(service, "/stream.mp4?fps=15")
                _ = try await (client.box(), client.box())
                #expect(try await client.fragment().isKey)
                clients.append(client)
            }
            #expect(service.service.streamCount.streams == 1 && service.service.streamCount.viewers == 5)
            for client in clients { #expect(try await client.fragment().time > 0) }
        }
    }

    @Test(
        "Wrong requests are refused",
        arguments: [
            ("/cameras/desk/stream.mp4", 404), ("/stream.mp4?width=9", 400), ("/stream.mp4?bitrate=fast", 400),
            ("/stream.mp4?bitrate=1", 400), ("/stream.mp4?layers=..", 400),
            ("/api/v1/cameras/garden/stream.mp4?x=1", 400),
        ])
    func refused(_ path: String, _ status: Int) async throws {
        try await MemoryService.run(Self.cameras) { service in
            let response = try await service.get(path)
            #expect(response.status == status, "\(response.text)")
        }
    }

    @Test("A camera that is away has a problem in place of a movie")
    func away() async throws {
        try await MemoryService.run("  garden: { source: 'filesrc location=/nowhere ! jpegdec' }\n") { service in
            let response = try await service.get("/stream.mp4")
            #expect(response.status == 503 && response.head.contains("Retry-After: 2"), "\(response.text)")
        }
    }
}

/// A client of live video in memory.
private final class MemoryMovie {
    private let body: MemoryBody

    var head: String { body.head }

    init(_ service: MemoryService, _ path: String) async throws { body = try await MemoryBody(service, path) }

    /// Waits for the next box (ISO/IEC 14496-12, 4.2).
    func box() async throws -> (type: String, content: Data) {
        let header = try await body.take(8)
        let count = header.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return (String(decoding: header.suffix(4), as: UTF8.self), try await body.take(count - 8))
    }

    /// Waits for the next fragment of one picture: its decode time, and whether it is a key frame.
    func fragment() async throws -> (time: UInt64, isKey: Bool) {
        let (moof, mdat) = (try await box(), try await box())
        try #require(moof.type == "moof" && mdat.type == "mdat" && !mdat.content.isEmpty)
        let decode = try #require(moof.content.range(of: Data("tfdt".utf8))).upperBound
        let run = try #require(moof.content.range(of: Data("trun".utf8))).upperBound
        let time = moof.content[decode...].dropFirst(4).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // After the number of samples, the offset of the data, the duration and the size.
        let flags = moof.content[run...].dropFirst(20).prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return (time, flags & 0x1_0000 == 0)
    }
}
#endif
