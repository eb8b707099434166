// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A damaged file` {
    /// Text that parsers often handle wrongly.
    private static let words = [
        "<", ">", "/>", "'", "&#0;", "1e9", "-1", "nan", "url(#a)", "<use xlink:href='#s'/>", "%", "999999999", "<g>",
        "\u{0}", "]]>", "<![CDATA[",
    ].map { Array($0.utf8) }

    @Test(arguments: Corpus.drawings, [true, false])
    func `A damaged drawing is an image or an error, and the next request succeeds`(
        name: String, isArea: Bool
    ) async throws {
        let process = try RasterProcess.built(limit: .seconds(5))
        var random = SeededGenerator(seed: 3)
        let good = try Corpus.file(name)
        let style = DrawingStyle(area: isArea ? .subject : nil, color: .red, stroke: 3, halo: 2)
        #expect(await process.outcome(of: .good.with { $0.content = .drawing(svg: good, style) }).code == nil)
        for _ in 0..<50 {
            let bytes = Self.mutate(good, &random)
            let outcome = await process.outcome(of: .good.with { $0.content = .drawing(svg: bytes, style) })
            #expect(outcome.code != .rasterizer, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test(arguments: Corpus.pictures)
    func `A damaged picture is an image or an error, and the next request succeeds`(name: String) async throws {
        let process = try RasterProcess.built(limit: .seconds(5))
        var random = SeededGenerator(seed: 4)
        let good = try Corpus.file(name)
        #expect(await process.outcome(of: .picture(good)).code == nil)
        for _ in 0..<50 {
            let bytes = Self.mutate(good, &random)
            #expect(await process.outcome(of: .picture(bytes)).code != .rasterizer, "\(bytes)")
        }
    }

    private static func mutate(_ good: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...20, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
            default: bytes.replaceSubrange(place..<end, with: words.randomElement(using: &random) ?? [])
            }
        }
        return bytes
    }
}
