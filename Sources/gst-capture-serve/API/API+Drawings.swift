// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import OverlayCompositor
import PresetKit
import ServiceKit

// Presets and outlines: files of this machine, which clients name without paths.
extension API {
    var drawingEndpoints: [Endpoint] { [presets, preset, outlines, outline, render] }

    private var presets: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/presets", summary: "The presets that are found on this machine.",
            content: .json("Presets")
        ) { _ in
            let entries = await BlockingWork.run { PresetLibrary().entries }
            return Response.json(.object(["presets": .array(entries.map(\.json))]))
        }
    }

    private var preset: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/presets/{preset}", summary: "The file of a preset.",
            parameters: [.name("preset")], content: .other(["application/yaml"]), problems: [.notFound]
        ) { request in
            let name = request.path("preset")
            let text = try await BlockingWork.run { () throws(CaptureError) in
                guard let entry = PresetLibrary().entries.first(where: { $0.name == name }) else {
                    throw .unknown("preset", name)
                }
                return try entry.preset.get().text
            }
            return Response.text(text, type: "application/yaml")
        }
    }

    private var outlines: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outlines", summary: "The outlines that are found on this machine.",
            content: .json("Outlines")
        ) { _ in
            let entries = await BlockingWork.run { Drawings.outlines }
            return Response.json(
                .object([
                    "outlines": .array(
                        entries.map { .object(["name": .string($0.name), "title": .optional($0.title)]) })
                ]))
        }
    }

    private var outline: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outlines/{outline}", summary: "The drawing of an outline.",
            parameters: [.name("outline")], content: .other(["image/svg+xml", "image/png"]), problems: [.notFound]
        ) { request in
            let name = request.path("outline")
            let (bytes, type) = try await BlockingWork.run { () throws(CaptureError) in try Drawings.file(of: name) }
            return Response(
                status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    private var render: Endpoint {
        let sides = 16...3840
        return Endpoint(
            method: .get, path: "/api/v1/outlines/{outline}/render",
            summary: "An outline as a preview shows it, on a gray or a transparent background.",
            parameters: [
                .name("outline"),
                Endpoint.Parameter(
                    place: .query, name: "width", summary: "The width in pixels.",
                    schema: .integer(sides, standard: 1280)),
                Endpoint.Parameter(
                    place: .query, name: "height", summary: "The height in pixels.",
                    schema: .integer(sides, standard: 720)),
                Endpoint.Parameter(
                    place: .query, name: "ground", summary: "none for a transparent background.",
                    schema: .object(["type": .string("string"), "enum": .array([.string("gray"), .string("none")])])),
                Endpoint.Parameter(
                    place: .query, name: "dim", summary: "1 for darkness outside of the outline.",
                    schema: .integer(0...1, standard: 0)),
            ], content: .other(["image/png"]), problems: [.notFound]
        ) { [drawings] request in
            let picture = LayerPicture(
                width: try request.number("width", sides, standard: 1280),
                height: try request.number("height", sides, standard: 720), isTransparent: try Self.hasNoGround(request)
            )
            let dims = try request.number("dim", 0...1, standard: 0) == 1
            let bytes = try await drawings.draw(request.path("outline"), dims: dims, as: picture)
            return Response(
                status: .ok, headers: [.contentType: "image/png"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}

extension API {
    private static func hasNoGround(_ request: APIRequest) throws(Problem) -> Bool {
        switch request.query("ground") {
        case "none": true
        case "gray", nil: false
        case .some(let text):
            throw Problem(.badRequest, "ground: \(text.quoted) is unknown", advice: "give gray or none")
        }
    }
}

/// Draws outlines for clients, one after the other.
actor Drawings {
    private let rasterizer: (any Rasterizer)?
    private let turns = Turns()
    private var pending = 0

    /// How many drawings may wait.
    private static let most = 8
    private static let mostBytes = 4 << 20

    /// - Parameter rasterizer: Draws outlines; `nil` if it is not installed.
    init(_ rasterizer: (any Rasterizer)?) { self.rasterizer = rasterizer }

    /// The outlines whose names can be part of a URL. Blocks.
    static var outlines: [OutlineLibrary.Entry] {
        OutlineLibrary().entries.filter { isName($0.name) }
    }

    /// `true` if a text can be the name of an outline here. Such a text is no path, and no layer with parameters.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: ".") }
    }

    /// Checks that there are these outlines.
    ///
    /// - Throws: `CaptureError` `.noInput` if one is missing.
    static func check(_ layers: StreamRequest.Layers) async throws(CaptureError) {
        guard case .outlines(let names) = layers else { return }
        let known = await BlockingWork.run { Set(outlines.map(\.name)) }
        if let missing = names.first(where: { !known.contains($0) }) { throw .unknown("outline", missing) }
    }

    /// Returns the content of an outline's file, and its media type. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such outline, or its file is larger than 4 MiB.
    static func file(of name: String) throws(CaptureError) -> (bytes: [UInt8], type: String) {
        guard let entry = outlines.first(where: { $0.name == name }) else { throw .unknown("outline", name) }
        let bytes = try RegularFile.read(entry.path, most: mostBytes + 1)
        guard bytes.count <= mostBytes else {
            throw CaptureError(.noInput, "is larger than 4 MiB", subject: name.quoted)
        }
        return (bytes, entry.path.hasSuffix(".svg") ? "image/svg+xml" : "image/png")
    }

    /// Returns an outline as a PNG.
    ///
    /// - Parameter dims: `true` for darkness outside of the outline.
    /// - Throws: `CaptureError` `.noInput` if there is no such outline, `.limit` if 8 drawings wait, and the errors
    ///   of the drawing.
    func draw(_ name: String, dims: Bool = false, as picture: LayerPicture) async throws(CaptureError) -> [UInt8] {
        guard let rasterizer else {
            throw CaptureError(
                .temporary, "cannot be drawn without gst-capture-raster, which is not installed",
                subject: name.quoted, advice: "install gst-capture as a whole")
        }
        guard pending < Self.most else {
            throw CaptureError(.limit, "too many outlines are being drawn", advice: "try again later")
        }
        pending += 1
        defer { pending -= 1 }
        await turns.take()
        defer { turns.end() }
        let selection = try await BlockingWork.run { () throws(CaptureError) in
            guard Self.outlines.contains(where: { $0.name == name }) else { throw .unknown("outline", name) }
            return try LayerSelection((dims ? ["dim:\(name)"] : []) + [name], of: "outline")
        }
        return try await picture.draw(selection.layers, appearance: selection.appearance, by: rasterizer)
    }
}

extension PresetLibrary.Entry {
    /// The preset as an object, without its path.
    fileprivate var json: JSONValue {
        var (description, failure): (String?, CaptureError?)
        switch preset {
        case .success(let preset): description = preset.description
        case .failure(let error): failure = error
        }
        return .object([
            "name": .string(name), "description": .optional(description), "error": failure?.json ?? .null,
        ])
    }
}

extension Endpoint.Parameter {
    fileprivate static func name(_ kind: String) -> Self {
        Self(place: .path, name: kind, summary: "The name of the \(kind).", schema: .type("string"))
    }
}
#endif
