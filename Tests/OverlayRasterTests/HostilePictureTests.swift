// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A hostile picture` {
    private let process: RasterProcess

    init() throws { process = try .built() }

    private func outcome(_ bytes: [UInt8]) async -> Result<RasterImage, OverlayError> {
        await process.outcome(of: .picture(bytes))
    }

    @Test func `that is none is an error`() async throws {
        var random = SeededGenerator(seed: 2)
        let noise = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for bytes in [[], [0], noise, Array("no picture".utf8), try Corpus.file("halves.png").prefix(8).map { $0 }] {
            #expect(await outcome(bytes).code == .damaged)
        }
    }

    @Test func `of too many bytes is not read`() async {
        #expect(await outcome([UInt8](repeating: 0, count: RasterLimits.pictureBytes + 1)).code == .tooMuch)
    }

    @Test func `that unpacks to gigabytes is not unpacked`() async {
        let outcome = await outcome(PNGFile.bomb(side: 60_000))
        #expect(outcome.code == .tooMuch)
        #expect("\(outcome)".contains("60000 x 60000"))
    }

    @Test func `just as large as allowed is drawn within the memory there is`() async {
        #expect(await process.outcome(of: .picture(PNGFile.bomb(side: 7000))).code != .rasterizer)
    }

    @Test(arguments: Corpus.pictures)
    func `that ends early is an error or an image`(name: String) async throws {
        let bytes = try Corpus.file(name)
        for end in stride(from: 0, to: bytes.count, by: 11) {
            #expect(await outcome(Array(bytes[..<end])).code != .rasterizer)
        }
        #expect(await outcome(Array(bytes[..<40])).code == .damaged)
    }

    @Test func `whose chunks lie about their lengths is an error, or an image where all of it is there`() async throws {
        let good = try Corpus.file("halves.png")
        for length: UInt32 in [0, 1, 12, 14, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
            for place in [8, 33] {
                var bytes = good
                bytes.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: length.bigEndian, Array.init))
                let outcome = await outcome(bytes)
                #expect(outcome.code == .damaged || outcome.code == nil && place == 33, "\(length) at \(place)")
            }
        }
    }

    @Test func `with a side of nothing is an error`() async {
        #expect(await outcome(PNGFile.file(0, 5, depth: 8, data: [])).code == .damaged)
        #expect(await outcome(PNGFile.file(0xFFFF_FFFF, 1, depth: 8, data: [])).code != nil)
        #expect(await outcome(PNGFile.file(0x7FFF_FFFF, 0x7FFF_FFFF, depth: 8, data: [])).code != nil)
    }
}
