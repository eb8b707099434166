// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import OverlayCompositor
import OverlayRaster

/// The scene's outlines in the formats of the peers, for frames of one size.
struct Artwork {
    /// Each outline in a tight rectangle.
    let pictures: [RasterImage]
    /// All outlines in one file, as large as the frame.
    let svg: String
    let png: String

    init(_ scene: Scene, _ size: FrameKind.Size, in folder: ScratchFolder) throws {
        let files = try Scene.outlines.map { try OutlineFile(scene.path($0)) }
        pictures = try files.map { try $0.picture(size) }
        svg = "\(folder.path)/outlines-\(size.rawValue).svg"
        png = "\(folder.path)/outlines-\(size.rawValue).png"
        try File.write(Array(Self.document(files, size).utf8), to: svg)
        try Self.write(pictures, size, to: png)
    }

    /// Passes the pictures to C.
    func withPictures<Result>(_ body: (UnsafePointer<bench_picture>?, Int) -> Result) -> Result {
        Self.lend(pictures, body)
    }

    /// Writes pictures over one another as a PNG as large as a frame.
    static func write(_ pictures: [RasterImage], _ size: FrameKind.Size, to path: String) throws {
        let isWritten = lend(pictures) { bench_write_png(path, $0, $1, Int32(size.width), Int32(size.height)) }
        guard isWritten else { throw BenchError("\(path) cannot be written") }
    }

    private static func lend<Result>(
        _ images: [RasterImage], _ body: (UnsafePointer<bench_picture>?, Int) -> Result
    ) -> Result {
        let memories = images.map { image in
            let memory = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: image.pixels.count)
            _ = memory.initialize(from: image.pixels)
            return memory
        }
        defer { for memory in memories { memory.deallocate() } }
        let pictures = zip(images, memories).map { image, memory in
            bench_picture(
                x: Int32(image.x), y: Int32(image.y), width: Int32(image.width), height: Int32(image.height),
                pixels: memory.baseAddress)
        }
        return body(pictures, pictures.count)
    }

    private static func document(_ files: [OutlineFile], _ size: FrameKind.Size) -> String {
        let box = #"width="\#(size.width)" height="\#(size.height)" viewBox="0 0 \#(size.width) \#(size.height)""#
        let parts = files.enumerated().map { $1.part(size, name: "outline-\($0)") }
        return #"<svg xmlns="http://www.w3.org/2000/svg" \#(box)>\#(parts.joined())</svg>"#
    }
}

/// An outline's drawing, and the size in its own units.
private struct OutlineFile {
    private let bytes: [UInt8]
    /// The `<svg>` element: the attributes of its tag without the size, and everything after the tag.
    private let attributes: Substring
    private let content: Substring
    private let width: Double
    private let height: Double

    init(_ path: String) throws {
        bytes = try File.read(path)
        let text = String(decoding: bytes, as: UTF8.self)
        guard let root = text.firstMatch(of: #/<svg\b([^>]*)>/#),
            let box = root.1.firstMatch(of: #/viewBox\s*=\s*["'](?:[^"'\s,]+[\s,]+){2}([0-9.]+)[\s,]+([0-9.]+)["']/#),
            let width = Double(box.1), let height = Double(box.2)
        else { throw BenchError("\(path) is no outline: it has no viewBox") }
        (self.width, self.height) = (width, height)
        attributes = root.1.replacing(#/\s(width|height)\s*=\s*["'][^"']*["']/#, with: "")
        content = text[root.range.upperBound...]
    }

    /// A tight rectangle of the frame, as our rasterizer draws it.
    func picture(_ size: FrameKind.Size) throws -> RasterImage {
        let frame = (width: Double(size.width), height: Double(size.height))
        let style = DrawingStyle(color: .white, stroke: stroke(size))
        return try CairoRasterizer.draw(
            RasterRequest(
                .drawing(svg: bytes, style), width: size.width, height: size.height,
                point: (frame.width / 2, frame.height / 2), anchor: .center, extent: frame))
    }

    /// The drawing as part of another one. A nested `<svg>` fills its parent as far as its proportions allow, in the
    /// middle.
    func part(_ size: FrameKind.Size, name: String) -> String {
        let scale = min(Double(size.width) / width, Double(size.height) / height)
        let rule = ".\(name) * { color: #fff; font-size: \(stroke(size) / scale)px }"
        return #"<style>\#(rule)</style><g class="\#(name)"><svg\#(attributes)>\#(content)</g>"#
    }

    private func stroke(_ size: FrameKind.Size) -> Double { Scene.stroke * Double(size.height) }
}
