// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Makes plans: reads the layers' files, has the layers rasterized, and prepares the pixels for the frames' format.
///
/// The planner keeps its drawings. It redraws a layer only if something about the layer changed, and a plan reuses the
/// unchanged parts of the previous one. The planner runs on a separate Dispatch queue, off the streaming threads and
/// Swift's cooperative pool.
public actor OverlayPlanner {
    /// A plan, and the layers that failed.
    public struct Result: Sendable {
        /// The plan of all layers. A layer that failed keeps its previous drawing, if it has one for frames of this
        /// size.
        public let plan: OverlayPlan
        /// The layers that failed, by name, and why.
        public let failures: [(layer: String, error: OverlayError)]
    }

    private let executor = BlockingExecutor("gst-capture.overlay")
    /// The executor on the planner's Dispatch queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let rasterizer: any Rasterizer
    private var files: [String: LayerFile] = [:]
    private var drawn: [String: DrawnLayer] = [:]
    /// The requests that are too much to draw, by layer. Drawing one again would take its whole time limit at each plan,
    /// and delay all other layers.
    private var refused: [String: (request: RasterRequest, error: OverlayError)] = [:]
    private var parts: [[ObjectIdentifier]: (layers: [DrawnLayer], part: PlanPart)] = [:]
    private var partsFormat: PlanFormat?

    /// Creates a planner without drawings.
    public init(_ rasterizer: any Rasterizer) { self.rasterizer = rasterizer }

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - contents: The layers to draw. Their names identify them, and should differ.
    ///   - unixTime: Seconds since 1970, for texts that show the time.
    ///   - info: The format of the frames.
    ///   - crop: The visible part of the frames, on which layers are placed; `nil` for all.
    /// - Throws: ``OverlayError/Code/format`` if overlays cannot be drawn on such frames. The errors of single layers
    ///   are in the result; the other layers are drawn.
    public func plan(
        _ contents: OverlayContents, at unixTime: Int, for info: VideoInfo, crop: CropRectangle? = nil
    ) async throws(OverlayError) -> Result {
        let format = try PlanFormat(info, crop: crop)
        let scene = LayerScene(
            width: format.visible.width, height: format.visible.height, appearance: contents.appearance,
            values: contents.values, unixTime: unixTime, isMirrored: contents.isMirrored)
        var failures: [(layer: String, error: OverlayError)] = []
        var layers: [DrawnLayer] = []
        for layer in contents.layers {
            do throws(OverlayError) {
                drawn[layer.name] = try await draw(layer, scene)
            } catch {
                failures.append((layer.name, error))
            }
            if let layer = drawn[layer.name], scene.fits(layer) { layers.append(layer) }
        }
        forgetOthers(than: contents.layers)
        return Result(plan: assemble(layers, format), failures: failures)
    }

    /// Draws the closed shape of an outline that a crop keeps (``DrawingStyle/Area/crop``). The image's alpha is the
    /// coverage. The planner keeps neither the file nor the drawing.
    ///
    /// - Parameters:
    ///   - frame: The size of the frames on which the outline is placed.
    ///   - scale: Pixels of the shape for each pixel of the frame; above 1, the shape is finer than the frame.
    /// - Throws: ``OverlayError`` if the outline cannot be read or drawn.
    public func shape(
        of outline: Outline, _ placement: Placement, onFrame frame: (width: Int, height: Int), scale: Double = 1
    ) async throws(OverlayError) -> RasterImage {
        let layer = Layer(outline.name, .dim(outside: outline), placement)
        let scene = LayerScene(
            width: frame.width, height: frame.height, appearance: Style(), values: [:], unixTime: 0)
        let request = try layer.shape(.crop, of: outline, in: scene) { path throws(OverlayError) in
            try LayerFile(path, before: files[path]).bytes
        }.scaled(by: scale)
        do throws(OverlayError) {
            return try await rasterizer.rasterize(request)
        } catch {
            throw error.about(layer)
        }
    }

    // MARK: Layers

    private func draw(_ layer: Layer, _ scene: LayerScene) async throws(OverlayError) -> DrawnLayer {
        let request = try layer.request(in: scene, read: read)
        let finish = layer.finish(in: scene)
        if let before = drawn[layer.name], before.isDrawn(from: request, isGround: layer.isGround, finish: finish) {
            return before
        }
        if let refusal = refused[layer.name], refusal.request == request { throw refusal.error }
        do throws(OverlayError) {
            let image = try await rasterizer.rasterize(request).clipped(width: scene.width, height: scene.height)
            refused[layer.name] = nil
            return DrawnLayer(request, image.finished(finish, in: scene), isGround: layer.isGround, finish: finish)
        } catch {
            let error = error.about(layer)
            refused[layer.name] = error.code == .tooMuch && !error.isTransient ? (request, error) : nil
            throw error
        }
    }

    /// Reads a file of the layers, and keeps it until a plan has no layer with it.
    private func read(_ path: String) throws(OverlayError) -> [UInt8] {
        let file = try LayerFile(path, before: files[path])
        files[path] = file
        return file.bytes
    }

    private func forgetOthers(than layers: [Layer]) {
        let names = Set(layers.map(\.name))
        drawn = drawn.filter { names.contains($0.key) }
        refused = refused.filter { names.contains($0.key) }
        let paths = Set(layers.compactMap(\.path))
        files = files.filter { paths.contains($0.key) }
    }

    // MARK: Parts

    private func assemble(_ layers: [DrawnLayer], _ format: PlanFormat) -> OverlayPlan {
        if partsFormat != format { parts = [:] }
        partsFormat = format
        let groups = LayerGroups(layers, origin: (format.visible.x, format.visible.y)).groups.map {
            $0.map { layers[$0] }
        }
        let keys = groups.map { $0.map(ObjectIdentifier.init) }
        var next: [[ObjectIdentifier]: (layers: [DrawnLayer], part: PlanPart)] = [:]
        for (key, group) in zip(keys, groups) {
            // The entry keeps the layers alive, so that no other object gets their identifiers.
            next[key] = parts[key] ?? (group, PlanPart(group.map(\.image), format))
        }
        parts = next
        return OverlayPlan(format, keys.compactMap { next[$0]?.part })
    }
}

extension LayerScene {
    fileprivate func fits(_ layer: DrawnLayer) -> Bool {
        layer.request.width == width && layer.request.height == height
    }
}

extension Layer {
    /// The path of the file that the layer is drawn from; `nil` if there is none.
    var path: String? {
        switch content {
        case .outline(let outline), .dim(let outline): outline.path
        case .ghost(let path), .image(let path): path
        case .text, .grid, .letterbox, .panel: nil
        }
    }

    /// Returns the change to the rasterized image: a ghost is mirrored with the frames, the shape of a dim is inverted.
    fileprivate func finish(in scene: LayerScene) -> DrawnLayer.Finish {
        switch content {
        case .ghost: scene.isMirrored ? .mirrored : .unchanged
        case .dim: .inverted(style.color ?? .black, opacity: (style.opacity ?? 0.5).clampedToUnit)
        case .outline, .text, .grid, .image, .letterbox, .panel: .unchanged
        }
    }
}

extension OverlayError {
    fileprivate func about(_ layer: Layer) -> OverlayError {
        OverlayError(
            code, message, subject: subject ?? layer.path ?? layer.name, advice: advice, isTransient: isTransient)
    }
}
