// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import OverlayCompositor
import Testing

@Suite struct `A request to the drawing process` {
    private static let requests: [RasterRequest] = [
        .filling(
            .drawing(
                svg: Array("<svg><rect id='subject' width='60' height='60'/></svg>".utf8),
                DrawingStyle(area: .subject, color: red, stroke: 1.5, halo: 0.25, haloColor: green))),
        .filling(
            .text(
                "Äffchen 🐒\n",
                TextStyle(
                    font: "DejaVu Sans Bold", lineHeight: 20, color: .white,
                    background: Color(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)))),
        RasterRequest(
            .text("", TextStyle(font: "DejaVu Sans Bold", lineHeight: 20, color: .white)), width: 200, height: 100,
            point: (-1e300, 50), anchor: .center, extent: (200, 100), fit: .cover, opacity: 0.5),
        .filling(.picture([1, 2, 3], tint: green)), .filling(.picture([], tint: nil)),
    ]
    private static let red = Color(red: 1, green: 0, blue: 0)
    private static let green = Color(red: 0, green: 1, blue: 0)

    @Test(arguments: requests)
    func `A request is the same after encoding and decoding`(request: RasterRequest) throws {
        #expect(try RasterRequest(wire: request.wire) == request)
    }

    @Test(arguments: requests)
    func `A request that is truncated or too long is refused`(request: RasterRequest) {
        let wire = request.wire
        for end in wire.indices {
            #expect(throws: WireReader.Malformed.self) { try RasterRequest(wire: Array(wire[..<end])) }
        }
        #expect(throws: WireReader.Malformed.self) { try RasterRequest(wire: wire + [0]) }
    }

    @Test(arguments: requests)
    func `A damaged request is decoded or refused`(request: RasterRequest) {
        var random = SeededGenerator(5)
        for _ in 0..<2000 {
            var wire = request.wire
            for _ in 0..<3 {
                wire[Int.random(in: wire.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? RasterRequest(wire: wire)
        }
    }
}

@Suite struct `An answer of the drawing process` {
    private let image = RasterImage(x: 10, y: 20, width: 2, height: 1, pixels: [0xFF00_FF00, 0x8080_0000])

    @Test func `An answer is the same after encoding and decoding`() throws {
        for answer in [image, .empty] {
            #expect(try RasterAnswer(wire: RasterAnswer(.success(answer)).wire, to: .good).result.get() == answer)
        }
        for code: OverlayError.Code in [.noInput, .permission, .damaged, .tooMuch, .format, .rasterizer] {
            let sent = OverlayError(code, "what", advice: "what to do")
            let came = try RasterAnswer(wire: RasterAnswer(.failure(sent)).wire, to: .good)
            let received = #expect(throws: OverlayError.self) { try came.result.get() }
            #expect(received?.code == code)
            #expect("\(came.result)" == "\(Result<RasterImage, OverlayError>.failure(sent))")
        }
    }

    @Test func `An answer that is truncated or too long is refused`() {
        for wire in [RasterAnswer(.success(image)).wire, RasterAnswer(.failure(OverlayError(.damaged, "a"))).wire] {
            for end in wire.indices {
                #expect(throws: WireReader.Malformed.self) { try RasterAnswer(wire: Array(wire[..<end]), to: .good) }
            }
            #expect(throws: WireReader.Malformed.self) { try RasterAnswer(wire: wire + [0], to: .good) }
        }
    }

    @Test func `The error of an answer is a short line without control characters`() throws {
        let long = String(repeating: "x", count: 100_000)
        let sent = OverlayError(.damaged, "is \u{1B}[2Jnot\r\na drawing" + long, advice: "draw\u{7}\u{9B}again" + long)
        let came = try RasterAnswer(wire: RasterAnswer(.failure(sent)).wire, to: .good)
        let received = #expect(throws: OverlayError.self) { try came.result.get() }
        #expect(received?.message.hasPrefix("is  [2Jnot  a drawingx") == true)
        #expect(received?.advice?.hasPrefix("draw  againx") == true)
        #expect([received?.message, received?.advice].allSatisfy { $0?.count == 400 })
    }

    @Test func `An image that extends beyond the frame or is not premultiplied is refused`() {
        for image in [
            RasterImage(x: 199, y: 0, width: 2, height: 1, pixels: [0, 0]),
            RasterImage(x: 0, y: 100, width: 1, height: 1, pixels: [0]),
            RasterImage(x: 0x7FFF_FFFF, y: 0, width: 1, height: 1, pixels: [0]),
            RasterImage(x: 0, y: 0, width: 1, height: 1, pixels: [0x7F00_8000]),
        ] {
            let wire = RasterAnswer(.success(image)).wire
            #expect(throws: WireReader.Malformed.self) { try RasterAnswer(wire: wire, to: .good) }
        }
    }

    @Test func `An image whose number of pixels overflows is refused`() {
        var writer = WireWriter()
        writer.put(true)
        for number: UInt32 in [0, 0, .max, .max] { writer.put(number) }
        writer.put([UInt32](repeating: 0, count: 1))
        #expect(throws: WireReader.Malformed.self) { try RasterAnswer(wire: writer.bytes, to: .good) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A channel` {
    /// Sends bytes verbatim, closes, and reads a message.
    private func failure(
        after bytes: [UInt8], isOpen: Bool = false, limit: Duration = .seconds(5)
    ) throws -> RasterChannel.Failure? {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        if !isOpen { close(ends[1]) }
        defer { if isOpen { close(ends[1]) } }
        do throws(RasterChannel.Failure) {
            _ = try RasterChannel(socket: ends[0]).receive(by: RasterDeadline(limit) { .zero })
            return nil
        } catch {
            return error
        }
    }

    @Test func `A channel distinguishes a closed end, a timeout and another protocol`() throws {
        let header: [UInt8] = [0x31, 0x52, 0x43, 0x47, 2, 0, 0, 0]
        #expect(try failure(after: header + [1, 2]) == nil)
        #expect(try failure(after: []) == .closed)
        #expect(try failure(after: Array(header.prefix(7))) == .closed)
        #expect(try failure(after: header + [1]) == .closed)
        #expect(try failure(after: header + [1], isOpen: true, limit: .milliseconds(5)) == .late(.wallTime))
        #expect(try failure(after: Array("HTTP/1.1 200 OK".utf8)) == .foreign)
        #expect(try failure(after: [0x32, 0x52, 0x43, 0x47, 0, 0, 0, 0]) == .foreign, "another version")
        #expect(
            try failure(after: [0x31, 0x52, 0x43, 0x47, 0xFF, 0xFF, 0xFF, 0xFF]) == .foreign, "a length of gigabytes")
    }
}

extension RasterRequest {
    /// A request that any rasterizer can draw.
    fileprivate static let good = filling(.drawing(svg: Array("<svg/>".utf8), DrawingStyle(color: .white, stroke: 4)))

    /// A request that fills a frame of 200 x 100.
    fileprivate static func filling(_ content: Content) -> RasterRequest {
        RasterRequest(content, width: 200, height: 100, point: (100, 50), anchor: .center, extent: (200, 100))
    }
}
