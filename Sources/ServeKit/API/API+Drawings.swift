// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import FrameMeasures
import Glibc
import HTTPTypes
import Hummingbird
import OverlayCompositor
import PresetKit
import ServiceKit
import SessionKit

// Presets and outlines: files of this machine, which clients name without paths.
extension API {
    var drawingEndpoints: [Endpoint] { [presets, preset, outlines, outline, render, shape] }

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
            method: .get, path: "/api/v1/presets/{preset}", summary: "The file of a preset, without passwords.",
            parameters: [.name("preset")], content: .other(["application/yaml"]), problems: [.notFound]
        ) { request in
            let name = request.path("preset")
            let text = try await BlockingWork.run { () throws(CaptureError) in
                guard let entry = PresetLibrary().entries.first(where: { $0.name == name }) else {
                    throw .unknown("preset", name)
                }
                // Tokens that may only view the camera do not get the password of its address.
                return try entry.preset.get().text.withoutSecrets
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

    /// The sides of drawings, in pixels.
    private static let sides = 16...3840

    private static let size = [
        Endpoint.Parameter(
            place: .query, name: "width", summary: "The width in pixels.", schema: .integer(sides, standard: 1280)),
        Endpoint.Parameter(
            place: .query, name: "height", summary: "The height in pixels.", schema: .integer(sides, standard: 720)),
    ]

    private var shape: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outlines/{outline}/shape",
            summary: "The box of the shape that a crop keeps of a picture of this size, in parts of its sides.",
            parameters: [.name("outline")] + Self.size, content: .json("Shape"), problems: [.notFound]
        ) { [drawings] request in
            let width = try request.number("width", Self.sides, standard: 1280)
            let height = try request.number("height", Self.sides, standard: 720)
            let box = try await drawings.box(of: request.path("outline"), width: width, height: height)
            return Response.json(
                .object([
                    "x": .number(box.x / Double(width)), "y": .number(box.y / Double(height)),
                    "width": .number(box.width / Double(width)), "height": .number(box.height / Double(height)),
                ]))
        }
    }

    private var render: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/outlines/{outline}/render",
            summary: "An outline as a preview shows it, on a gray or a transparent background.",
            parameters: [.name("outline")] + Self.size + [
                Endpoint.Parameter(
                    place: .query, name: "ground", summary: "none for a transparent background.",
                    schema: .object(["type": .string("string"), "enum": .array([.string("gray"), .string("none")])])),
                Endpoint.Parameter(
                    place: .query, name: "dim", summary: "1 for darkness outside of the outline.",
                    schema: .integer(0...1, standard: 0)),
                .query("session", "yes for the place of the outlines of sessions.", schema: .yesOrNo),
                .query(
                    "stroke", "bold for lines that can be seen in a small picture.",
                    schema: .object(["type": .string("string"), "enum": .array([.string("normal"), .string("bold")])])),
            ], content: .other(["image/png"]), problems: [.notFound]
        ) { [drawings] request in
            let picture = LayerPicture(
                width: try request.number("width", Self.sides, standard: 1280),
                height: try request.number("height", Self.sides, standard: 720),
                isTransparent: try Self.hasNoGround(request)
            )
            let dims = try request.number("dim", 0...1, standard: 0) == 1
            let placement = try request.flag("session") ? SessionDescription.outlinePlacement : nil
            let look = Drawings.Look(dims: dims, placement: placement, isBold: try Self.isBold(request))
            let bytes = try await request.untilClientLeaves {
                try await drawings.draw(request.path("outline"), look, as: picture)
            }
            return Response(
                status: .ok, headers: [.contentType: "image/png"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}

extension API {
    private static func isBold(_ request: APIRequest) throws(Problem) -> Bool {
        switch request.query("stroke") {
        case "bold": true
        case "normal", nil: false
        case .some(let text):
            throw Problem(.badRequest, "stroke: \(text.quoted) is unknown", advice: "give normal or bold")
        }
    }

    private static func hasNoGround(_ request: APIRequest) throws(Problem) -> Bool {
        switch request.query("ground") {
        case "none": true
        case "gray", nil: false
        case .some(let text):
            throw Problem(.badRequest, "ground: \(text.quoted) is unknown", advice: "give gray or none")
        }
    }
}

/// Draws outlines for clients, one after the other, and keeps the last drawings in memory.
actor Drawings {
    /// How an outline is drawn.
    struct Look: Sendable {
        /// `true` for darkness outside of the outline.
        var dims = false
        /// The place of the outline; `nil` for the place on previews.
        var placement: Placement?
        /// `true` for wide lines, which can be seen in a small picture.
        var isBold = false
    }

    private let rasterizer: (any Rasterizer)?
    /// The style of the theme.
    private let style: Style
    private let cache: PictureCache
    private let turns = Turns()
    private var pending = 0

    /// The most drawings that wait.
    private static let most = 64
    private static let mostBytes = 4 << 20
    /// The width of bold lines: four times the standard.
    private static let bold = Length.fraction(0.02)

    /// - Parameter rasterizer: Draws outlines; `nil` if it is not installed.
    init(_ rasterizer: (any Rasterizer)?, _ style: Style) {
        (self.rasterizer, self.style) = (rasterizer, style)
        cache = PictureCache(mostPending: Self.most)
    }

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

    /// Returns the path of an outline's file, with its time and size: another text after each change. Blocks.
    private static func version(of name: String) throws(CaptureError) -> String {
        guard let entry = outlines.first(where: { $0.name == name }) else { throw .unknown("outline", name) }
        var status = stat()
        guard stat(entry.path, &status) == 0 else { throw .unknown("outline", name) }
        return "\(entry.path) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_size)"
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
    /// - Parameters:
    ///   - look: How it looks, and where.
    ///   - picture: The size of the picture.
    /// - Throws: `CaptureError` `.noInput` if there is no such outline, `.temporary` if too many drawings wait, and
    ///   the errors of the drawing.
    func draw(_ name: String, _ look: Look = Look(), as picture: LayerPicture) async throws(CaptureError) -> [UInt8] {
        let version = try await BlockingWork.run { () throws(CaptureError) in try Self.version(of: name) }
        return try await cache.picture("\(version) \(look) \(picture)") { [self] () throws(CaptureError) in
            try await drawn(name, look, as: picture)
        }
    }

    private func drawn(
        _ name: String, _ look: Look, as picture: LayerPicture
    ) async throws(CaptureError) -> [UInt8] {
        try await inTurn(name) { rasterizer throws(CaptureError) in
            var (layers, appearance): ([Layer], Style) = try await BlockingWork.run { () throws(CaptureError) in
                let selection = try LayerSelection((look.dims ? ["dim:\(name)"] : []) + [name], of: "outline")
                return (selection.layers, selection.appearance)
            }
            for index in layers.indices {
                if let placement = look.placement { layers[index].placement = placement }
                // The color of the appearance would fill the darkness outside, too.
                guard case .outline = layers[index].content else { continue }
                layers[index].style.color = style.color
                if look.isBold { layers[index].style.stroke = Self.bold }
            }
            return try await picture.draw(layers, appearance: appearance, by: rasterizer)
        }
    }

    /// Returns the box of the shape that a crop keeps, on a picture of this size, in pixels.
    ///
    /// - Throws: As ``draw(_:dims:at:as:)``; `.configuration` if the outline has no closed shape.
    func box(of name: String, width: Int, height: Int) async throws(CaptureError) -> PixelBox {
        try await inTurn(name) { rasterizer throws(CaptureError) in
            let outline = try await BlockingWork.run { () throws(CaptureError) in
                _ = try Self.version(of: name)
                return try OutlineLibrary().outline(name)
            }
            let geometry = StillGeometry(stillWidth: width, height: height)
            return try await OutlineShape(of: outline, Placement(), on: geometry, by: OverlayPlanner(rasterizer)).box
        }
    }

    /// Crops a JPEG to an outline. If a crop along the edges of a card fails, crops along the outline.
    ///
    /// - Throws: As ``draw(_:_:as:)``, and the errors of the picture.
    func cropped(
        _ jpeg: [UInt8], _ crop: RecordCrop
    ) async throws(CaptureError) -> (bytes: [UInt8], isRectified: Bool) {
        try await inTurn(crop.outline) { rasterizer throws(CaptureError) in
            let outline = try await BlockingWork.run { () throws(CaptureError) in
                try OutlineLibrary().outline(crop.outline)
            }
            var request = CropRequest(outline)
            if crop.isOfSession { request.placement = SessionDescription.outlinePlacement }
            (request.adjustment, request.quality) = (crop.adjustment, RecordDesk.quality)
            let cropper = StillCropper(rasterizer)
            if crop.isRectified {
                request.isRectified = true
                if let still = try? await cropper.crop(jpeg, .jpeg, to: request) { return (still.bytes, true) }
                request.isRectified = false
            }
            return (try await cropper.crop(jpeg, .jpeg, to: request).bytes, false)
        }
    }

    /// Performs a drawing when the earlier ones are done.
    private func inTurn<Result: Sendable>(
        _ name: String, _ body: @Sendable (any Rasterizer) async throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result {
        guard let rasterizer else {
            throw CaptureError(
                .temporary, "cannot be drawn without gst-capture-raster, which is not installed",
                subject: name.quoted, advice: "install gst-capture as a whole")
        }
        guard pending < Self.most else {
            throw CaptureError(.temporary, "too many outlines are being drawn", advice: "try again later")
        }
        pending += 1
        defer { pending -= 1 }
        await turns.take()
        defer { turns.end() }
        return try await body(rasterizer)
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
