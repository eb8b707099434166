// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster

/// Layers that cover the whole frame, each alone: they cost at least as much as their writes.
enum Grounds {
    /// A ghost, and a dimmed frame outside of the face, beside a memcpy.
    static func rows(
        _ scene: Scene, _ kind: FrameKind, _ rounds: Rounds, in folder: ScratchFolder
    ) async throws -> [Row] {
        let ghost = "\(folder.path)/ghost.png"
        try Artwork.write([picture(kind.size)], kind.size, to: ghost)
        let face = Outline(name: "face", path: scene.path("face"))
        let supply = try FrameSupply(kind)
        let contestants = [
            try await Contestant.bare(supply), try await .mapped(supply), try await .copy(supply),
            try await .ours([Layer("ghost", .ghost(path: ghost))], supply, name: "ghost"),
            try await .ours([Layer("dim", .dim(outside: face))], supply, name: "dim"),
        ]
        return try rounds.run(contestants)
    }

    /// A picture without two equal neighbors, like a photograph.
    private static func picture(_ size: FrameKind.Size) -> RasterImage {
        let pixels = (0..<size.width * size.height).map { index -> UInt32 in
            let (x, y) = (index % size.width, index / size.width)
            return 0xFF00_0000 | UInt32(x & 0xFF) << 16 | UInt32(y & 0xFF) << 8 | UInt32((x ^ y) & 0xFF)
        }
        return RasterImage(x: 0, y: 0, width: size.width, height: size.height, pixels: pixels)
    }
}
