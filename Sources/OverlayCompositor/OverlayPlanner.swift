// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Makes plans of layers: reads their files, has them drawn, and prepares the pixels for the frames' format.
///
/// It keeps what it has drawn: a layer is drawn anew where something about it changed, and a plan reuses the parts of
/// the one before. It works on a thread of its own, off the streaming threads and Swift's cooperative pool.
public actor OverlayPlanner {
    /// A plan, and the layers that are not in it as they should be.
    public struct Result: Sendable {
        /// All layers that could be drawn; of the others what was there before.
        public let plan: OverlayPlan
        /// By the layer's name, what is wrong with it.
        public let failures: [(layer: String, error: OverlayError)]
    }

    private let executor = BlockingExecutor("gst-capture.overlay")
    /// The thread that it works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let rasteriser: any Rasteriser
    private var files: [String: LayerFile] = [:]
    private var drawn: [String: DrawnLayer] = [:]
    private var parts: [[ObjectIdentifier]: (layers: [DrawnLayer], part: PlanPart)] = [:]
    private var partsFormat: PlanFormat?

    /// Creates a planner that has drawn nothing yet.
    public init(_ rasteriser: any Rasteriser) { self.rasteriser = rasteriser }

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - contents: What is to be seen. Layers are told apart by their names.
    ///   - unixTime: Seconds since 1970, for texts that show the time.
    ///   - info: The format of the frames.
    ///   - crop: The part of the frames that is to be seen, which layers are placed on; `nil` for all.
    /// - Throws: ``OverlayError/Code/format`` where such frames cannot be drawn on. What is wrong with a layer is told
    ///   in the result, and is no reason to leave out the others.
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

    /// The closed shape of an outline that a crop keeps (``DrawingStyle/Area/crop``): its alpha is the coverage.
    ///
    /// - Parameters:
    ///   - frame: The size of the frames that it is placed on.
    ///   - scale: Pixels of the shape to one of the frame, for a finer shape than frames show.
    /// - Throws: ``OverlayError`` where it cannot be read or drawn.
    public func shape(
        of outline: Outline, _ placement: Placement, onFrame frame: (width: Int, height: Int), scale: Double = 1
    ) async throws(OverlayError) -> RasterImage {
        let layer = Layer(outline.name, .dim(outside: outline), placement)
        let scene = LayerScene(
            width: frame.width, height: frame.height, appearance: Style(), values: [:], unixTime: 0)
        let request = try layer.shape(.crop, of: outline, in: scene, read: read).scaled(by: scale)
        do throws(OverlayError) {
            return try await rasteriser.rasterise(request)
        } catch {
            throw error.about(layer)
        }
    }

    // MARK: Layers

    private func draw(_ layer: Layer, _ scene: LayerScene) async throws(OverlayError) -> DrawnLayer {
        let request = try layer.request(in: scene, read: read)
        let isMirrored = layer.isMirrored(in: scene)
        if let before = drawn[layer.name], before.request == request, before.isGround == layer.isGround,
            before.isMirrored == isMirrored
        {
            return before
        }
        do throws(OverlayError) {
            let image = try await rasteriser.rasterise(request).clipped(width: scene.width, height: scene.height)
            return DrawnLayer(
                request, layer.finished(image, in: scene), isGround: layer.isGround, isMirrored: isMirrored)
        } catch {
            throw error.about(layer)
        }
    }

    private func read(_ path: String) throws(OverlayError) -> [UInt8] {
        let file = try LayerFile(path, before: files[path])
        files[path] = file
        return file.bytes
    }

    private func forgetOthers(than layers: [Layer]) {
        let names = Set(layers.map(\.name))
        drawn = drawn.filter { names.contains($0.key) }
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
            // The layers are held, so that no other gets their identity.
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
    /// The file that it is drawn from.
    var path: String? {
        switch content {
        case .outline(let outline), .dim(let outline): outline.path
        case .ghost(let path), .image(let path): path
        case .text, .grid, .letterbox, .panel: nil
        }
    }

    /// True for what a camera took, where the frames are as in a mirror.
    fileprivate func isMirrored(in scene: LayerScene) -> Bool {
        guard case .ghost = content else { return false }
        return scene.isMirrored
    }

    /// What is left to do where the rasteriser has drawn just a shape, or a picture as it is.
    fileprivate func finished(_ image: RasterImage, in scene: LayerScene) -> RasterImage {
        if isMirrored(in: scene) { return image.mirrored(width: scene.width) }
        guard case .dim = content else { return image }
        return image.inverted(
            width: scene.width, height: scene.height, color: style.color ?? .black, opacity: style.opacity ?? 0.5)
    }
}

extension OverlayError {
    fileprivate func about(_ layer: Layer) -> OverlayError {
        OverlayError(code, message, subject: subject ?? layer.path ?? layer.name, advice: advice)
    }
}
