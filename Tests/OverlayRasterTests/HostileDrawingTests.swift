// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import OverlayCompositor
import OverlayRaster
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A hostile drawing` {
    private let process: RasterProcess
    /// The seconds of processor time that `hurriedProcess` may use for a drawing: 1 by default, and 5, as in captures,
    /// in `make soak`. On a busy machine a drawing may take twelve times as long.
    private static let limit = ProcessInfo.processInfo.environment["DRAWING_SECONDS"].flatMap { Int($0) } ?? 1
    /// For drawings that may never end.
    private let hurriedProcess: RasterProcess

    init() throws {
        process = try .built()
        hurriedProcess = try .built(limit: .seconds(Self.limit))
    }

    private func outcome(_ svg: String) async -> Result<RasterImage, OverlayError> {
        await process.outcome(of: .drawing(svg))
    }

    /// Draws with the limit above. The result may be an image or an error.
    @discardableResult
    private func hurriedOutcome(_ svg: String) async -> Result<RasterImage, OverlayError> {
        await hurriedProcess.outcome(of: .drawing(svg))
    }

    @Test(arguments: [
        "", " ", "<", "<svg", "<svg>", "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'>", "no drawing",
        "\u{0}",
        "<html/>", .svg("", ""), .svg("", "viewBox='0 0 0 0'"), .svg("", "viewBox='0 0 -1 5'"),
        .svg("", "width='0' height='0'"), .svg("&undefined;"), "<?xml version='1.0' encoding='no-such'?><svg/>",
    ])
    func `A file without a valid drawing is an error`(svg: String) async {
        #expect(await outcome(svg).code == .damaged)
    }

    @Test func `A drawing of random bytes is an error`() async {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            let bytes = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
            let request = RasterRequest.good.with { $0.content = .drawing(svg: bytes, .red) }
            #expect(await process.outcome(of: request).code == .damaged)
        }
    }

    @Test func `A drawing of too many bytes is refused`() async {
        let svg = String.svg(String(repeating: " ", count: RasterLimits.drawingBytes))
        #expect(await outcome(svg).code == .tooMuch)
    }

    @Test(arguments: ["1e9", "1e300", "1e-300", "100000%", "1e9in"])
    func `A drawing with extreme sizes is an error or an image`(side: String) async {
        await hurriedOutcome(.svg("<rect width='100%' height='100%'/>", "width='\(side)' height='\(side)'"))
        await hurriedOutcome(.svg("<rect width='\(side)' height='\(side)'/>", "viewBox='0 0 \(side) \(side)'"))
        await hurriedOutcome(
            .svg("<rect x='-\(side)' width='\(side)' height='\(side)' stroke='red' stroke-width='\(side)'/>"))
    }

    @Test(arguments: ["<g>", "<svg>", "<text><tspan>", "<a>", "<clipPath>"])
    func `A drawing of 100,000 nested elements is an error or an image`(element: String) async {
        await hurriedOutcome(.svg(String(repeating: element, count: 100_000)))
    }

    @Test func `A drawing whose entities expand exponentially is an error`() async {
        let levels = (1...20).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }
        let laughs = "<!DOCTYPE svg [<!ENTITY l0 'ha'>\(levels.joined())]>" + .svg("<text>&l20;</text>")
        #expect(await outcome(laughs).code != nil)
    }

    @Test func `A drawing with nested or recursive references is an error or an image`() async {
        let levels = (1...30).map { level in
            "<g id='u\(level)'>\(String(repeating: "<use xlink:href='#u\(level - 1)'/>", count: 10))</g>"
        }
        await hurriedOutcome(
            .svg("<defs><rect id='u0' width='9' height='9'/>\(levels.joined())</defs><use xlink:href='#u30'/>"))
        await hurriedOutcome(
            .svg("<g id='a'><use xlink:href='#a'/></g><pattern id='p'><rect fill='url(#p)' width='9'/></pattern>"))
    }

    @Test(arguments: [
        "<path d='M0 0H100' stroke='red' stroke-dasharray='0.0001'/>",
        "<path d='M0 0H1e9' stroke='red' stroke-width='9' stroke-dasharray='1e-9 1e-9'/>",
        "<filter id='f' x='-1e9' y='-1e9' width='1e9' height='1e9'><feGaussianBlur stdDeviation='1e9'/></filter>"
            + "<rect width='99' height='99' filter='url(#f)'/>",
        "<filter id='f' filterUnits='userSpaceOnUse' width='1e5' height='1e5'><feMorphology operator='dilate' radius='1e5'/>"
            + "</filter><rect width='99' height='99' filter='url(#f)'/>",
        "<filter id='f'><feTurbulence baseFrequency='1e-9' numOctaves='1000000000'/></filter>"
            + "<rect width='99' height='99' filter='url(#f)'/>",
        "<filter id='f'><feConvolveMatrix order='1000' kernelMatrix='1'/></filter><rect width='9' filter='url(#f)'/>",
        "<pattern id='p' width='1e-7' height='1e-7' patternUnits='userSpaceOnUse'><rect width='1' height='1'/></pattern>"
            + "<rect width='99' height='99' fill='url(#p)'/>",
        "<text font-size='1e9'>a</text><text font-size='1e-9'>a</text><text letter-spacing='1e9'>ab</text>",
        "<rect width='9' height='9' transform='scale(1e300) rotate(1e300) matrix(0 0 0 0 0 0)'/>",
        "<path d='M-1e300 1e300A1e300 1e-300 1e300 1 1 5 5C nan inf 0 0 1e999 1e999Z' stroke='red' stroke-width='1e300'/>",
        "<style>* { fill: url(#; } @import url('http://127.0.0.1/a.css'); :is(:is(:is( { }</style>",
    ])
    func `A drawing with extreme numbers is an error or an image`(content: String) async {
        await hurriedOutcome(.svg(content))
    }

    @Test func `A drawing with a million elements or 10,000 filters is an error or an image`() async {
        await hurriedOutcome(.svg(String(repeating: "<g/>", count: 1_000_000)))
        let filter =
            "<filter id='f'>\(String(repeating: "<feGaussianBlur stdDeviation='50'/>", count: 10_000))</filter>"
        let outcome = await hurriedOutcome(.svg(filter + "<rect width='99' height='99' filter='url(#f)'/>"))
        #expect(outcome.code != .rasterizer)
    }

    @Test func `A drawing that contains a huge picture is an error or an image`() async {
        let bomb = Data(PNGFile.bomb(side: 60_000)).base64EncodedString()
        await hurriedOutcome(.svg("<image width='9' height='9' xlink:href='data:image/png;base64,\(bomb)'/>"))
    }

    @Test func `A drawing reads no other file`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let loud = folder.appending(path: "loud.svg")
        let content = "<rect id='r' width='100' height='100' fill='lime'/>"
        try Data(String.svg(content).utf8).write(to: loud)
        try Data("rect { fill: lime !important }".utf8).write(to: folder.appending(path: "loud.css"))
        let dark = "<rect width='1' height='1'/>"
        for name in [loud.absoluteString, loud.path, "loud.svg"] {
            for svg in [
                .svg("\(dark)<image width='100' height='100' xlink:href='\(name)'/>"),
                .svg("\(dark)<use xlink:href='\(name)#r'/>"),
                .svg("\(dark)<rect width='100' height='100' fill='url(\(name)#r)'/>"),
                .svg("\(dark)<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(name)'/>"),
                .svg("\(dark)<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(name)' parse='text'/>"),
                .svg("\(dark)<style>@import url('\(folder.absoluteString)loud.css');</style>"),
                "<?xml-stylesheet href='\(folder.absoluteString)loud.css'?>" + .svg(dark),
                "<!DOCTYPE svg [<!ENTITY e SYSTEM '\(name)'>]>" + .svg("\(dark)&e;"),
                "<!DOCTYPE svg SYSTEM '\(name)'>" + .svg(dark),
            ] {
                guard case .success(let image) = await outcome(svg) else { continue }
                #expect(!image.pixels.contains { $0 & 0xFF00 != 0 }, "\(svg)")
            }
        }
    }

    @Test func `A drawing opens no network connection`() async throws {
        let listener = try Listener()
        let address = "http://127.0.0.1:\(listener.port)/loud.svg"
        for svg in [
            .svg("<image width='9' height='9' xlink:href='\(address)'/><use xlink:href='\(address)#r'/>"),
            .svg("<style>@import url('\(address)');</style><rect fill='url(\(address)#r)'/>"),
            .svg("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='\(address)'/>"),
            "<?xml-stylesheet href='\(address)'?><!DOCTYPE svg SYSTEM '\(address)' [<!ENTITY e SYSTEM '\(address)'>]>"
                + .svg("&e;"),
        ] { _ = await outcome(svg) }
        let wasCalled = listener.wasCalled
        #expect(!wasCalled)
    }
}
