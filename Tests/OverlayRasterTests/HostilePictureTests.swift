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

    @Test func `A file without a valid picture is an error`() async throws {
        var random = SeededGenerator(seed: 2)
        let noise = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for bytes in [[], [0], noise, Array("no picture".utf8), try Corpus.file("halves.png").prefix(8).map { $0 }] {
            #expect(await outcome(bytes).code == .damaged)
        }
    }

    @Test func `A picture of too many bytes is refused`() async {
        #expect(await outcome([UInt8](repeating: 0, count: RasterLimits.pictureBytes + 1)).code == .tooMuch)
    }

    @Test func `A picture that decompresses to gigabytes is refused with its size in the error`() async {
        let outcome = await outcome(PNGFile.bomb(side: 60_000))
        #expect(outcome.code == .tooMuch)
        #expect("\(outcome)".contains("60000 x 60000"))
    }

    @Test func `A picture just below the size limit is an image or an error of the picture`() async {
        #expect(await process.outcome(of: .picture(PNGFile.bomb(side: 7000))).code != .rasterizer)
    }

    @Test(arguments: Corpus.pictures)
    func `A truncated picture is an error or an image`(name: String) async throws {
        let bytes = try Corpus.file(name)
        for end in stride(from: 0, to: bytes.count, by: 11) {
            #expect(await outcome(Array(bytes[..<end])).code != .rasterizer)
        }
        #expect(await outcome(Array(bytes[..<40])).code == .damaged)
    }

    @Test func `A picture with a wrong chunk length is an error, or an image if all its data is there`() async throws {
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

    @Test func `A picture with a side of zero or of billions of pixels is an error`() async {
        #expect(await outcome(PNGFile.file(0, 5, depth: 8, data: [])).code == .damaged)
        #expect(await outcome(PNGFile.file(0xFFFF_FFFF, 1, depth: 8, data: [])).code != nil)
        #expect(await outcome(PNGFile.file(0x7FFF_FFFF, 0x7FFF_FFFF, depth: 8, data: [])).code != nil)
    }
}
