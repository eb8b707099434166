// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

/// The review: all pictures side by side.
extension SessionComposer {
    /// A tile of the review.
    struct Tile: Sendable, Hashable {
        /// The stage to retake if the user rejects this picture.
        let stage: Int
        /// The title below the picture.
        let title: String
        /// The picture; `nil` if the stage was skipped.
        let picture: SessionPicture?
    }

    /// The tiles of the review, in the order of the stages: one for each picture, and one for each stage without
    /// pictures.
    ///
    /// A digit key, from 1, shows one tile alone.
    func tiles(_ progress: SessionProgress) -> [Tile] {
        progress.stages.enumerated().flatMap { index, stage in
            let (title, count) = (title(of: index), stage.pictures.count)
            guard count > 0 else { return [Tile(stage: index, title: title, picture: nil)] }
            return stage.pictures.enumerated().map { number, picture in
                Tile(stage: index, title: count > 1 ? "\(title) \(number + 1)" : title, picture: picture)
            }
        }
    }

    /// The pictures side by side, or one of them alone.
    func review(_ scene: SessionScene) -> SessionView {
        let tiles = tiles(scene.progress)
        if let index = scene.closeUp, tiles.indices.contains(index),
            let file = tiles[index].picture.flatMap({ scene.files[$0.number] })
        {
            let title = title(tiles[index].title, of: tiles[index].picture, scene)
            return closeUp(file, titled: "\(index + 1) · \(title)", scene)
        }
        var scene = scene
        scene.closeUp = nil
        let (first, shown, grid) = page(of: tiles, scene)
        let selection = Self.selection(of: tiles, scene)
        let layers = shown.indices.flatMap { index in
            self.layers(index, shown[index], grid.tiles[index], scene, isSelected: first + index == selection)
        }
        let pages = (tiles.count + Self.mostTiles - 1) / Self.mostTiles
        let page = "\(first / Self.mostTiles + 1) of \(pages)"
        let heading = pages > 1 ? "\(session.title) · \(page)" : session.title
        let keys = "1–\(min(9, shown.count)) look closer" + (shown.count > 9 ? " · n next" : "")
        let look = scene.hasButtons ? "touch a picture to look closer" : scene.hasKeys ? keys : ""
        return .page(layers: layers + [self.heading(heading)] + footer([scene.notice, look], scene), .black)
    }
}

// MARK: - Tiles

extension SessionComposer {
    private static func selection(of tiles: [Tile], _ scene: SessionScene) -> Int? {
        scene.selection.map { max(0, min($0, tiles.count - 1)) }
    }

    /// The page with the selection: the index of its first tile, its tiles, and their places.
    private func page(of tiles: [Tile], _ scene: SessionScene) -> (first: Int, shown: [Tile], grid: FrameGrid) {
        let first = (Self.selection(of: tiles, scene) ?? 0) / Self.mostTiles * Self.mostTiles
        let shown = Array(tiles.dropFirst(first).prefix(Self.mostTiles))
        let grid = FrameGrid(
            shown.count, in: field(from: Self.headerBottom, to: height - Self.footerTop - lift(scene) + 0.03),
            ofFrame: (width, height), label: Self.labelHeight, gap: 0.035)
        return (first, shown, grid)
    }

    /// Returns the tile at a place of the review, in parts of the frame's width and height, counted from 0 on its page;
    /// `nil` if there is none. If a picture is shown alone, it is at every place between heading and buttons.
    func tile(at place: UnitPoint, _ scene: SessionScene) -> Int? {
        guard scene.phase == .review else { return nil }
        let tiles = tiles(scene.progress)
        let (first, shown, grid) = page(of: tiles, scene)
        if let closeUp = scene.closeUp { return closeUp - first }
        return shown.indices.first { grid.tiles[$0].contains(place.x * width, place.y * height) }
    }
}

extension SessionComposer {
    /// The most tiles on a page; more would be too small to judge.
    static let mostTiles = 24
    private static let labelHeight = 0.055
    /// The visible border of a tile around its picture.
    private static let edge = 0.006

    private func layers(
        _ index: Int, _ tile: Tile, _ field: FrameGrid.Field, _ scene: SessionScene, isSelected: Bool
    ) -> [Layer] {
        var ground = fitted("tile-\(index + 1)", .panel(aspect: width / height), in: field.grown(by: Self.edge))
        ground.style.color = isSelected ? Self.amber : Color(red: 0.13, green: 0.14, blue: 0.16)
        let file = tile.picture.flatMap { scene.files[$0.number] }
        let content =
            file.map { fitted("picture-\(index + 1)", .image(path: $0), in: field) }
            ?? placed("picture-\(index + 1)", tile.picture == nil ? "skipped" : "no picture", in: field, y: 0.5, 0.04)
        let words = self.title(tile.title, of: tile.picture, scene)
        let title = index < 9 ? "\(index + 1) · \(words)" : words
        let below = placed("title-\(index + 1)", title, in: field, y: (field.height + 0.03) / field.height, 0.036)
        return [ground, content, below]
    }

    /// Text in the middle of a tile's width.
    ///
    /// - Parameter y: The middle of the text, in heights of the tile.
    private func placed(
        _ name: String, _ text: String, in field: FrameGrid.Field, y: Double, _ size: Double
    ) -> Layer {
        let fit = TextFit(text, width: field.width, height: 0.001, sizes: 0.022...size)
        var layer = Layer(
            "session-" + name, .text(TextTemplate(verbatim: fit.text)),
            Placement(position: center(of: field, y: y), anchor: .center, size: fit.size, margin: .pixels(0)))
        layer.style.color = Self.soft
        return layer
    }
}
