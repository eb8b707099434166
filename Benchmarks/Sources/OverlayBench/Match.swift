// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// One kind of frames, and the time of each contestant for one frame.
struct Match {
    let kind: FrameKind
    /// The number of bytes that our plan reads.
    let touchedBytes: Int
    /// The number of bytes that change.
    let changedBytes: Int
    /// The number of blocks of sixteen bytes that contain them.
    let blocks: Int
    /// The results of all contestants.
    var rows: [Row] = []
    /// The contestants that could not take part, and the reasons.
    var missing: [String] = []

    /// The row of this name; the cheapest one of several variants.
    ///
    /// - Parameter note: The variant, if it matters.
    subscript(_ name: String, _ note: String? = nil) -> Row? {
        rows.filter { $0.name == name && (note == nil || $0.note == note) }.min { $0.timing.least < $1.timing.least }
    }

    /// Measures ours, its references, and the peers.
    ///
    /// - Parameter withPeers: `false` for ours alone.
    init(_ scene: Scene, _ kind: FrameKind, _ rounds: Rounds, withPeers: Bool, in folder: ScratchFolder) async throws {
        self.kind = kind
        let plan = try await Scene.plan(scene.layers, kind)
        let places = try StorePlaces(plan, kind)
        guard places.count > 0 else { throw BenchError("the outlines in \(scene.folder) draw nothing") }
        (touchedBytes, changedBytes, blocks) = (plan.touchedBytes, places.changedBytes, places.count)
        let supply = try FrameSupply(kind)
        var contestants = try await Contestant.pipelines(scene, supply)
        contestants += [try await .copy(supply), try await .floor(places, supply)]
        if withPeers { contestants += try await peers(supply, Artwork(scene, kind.size, in: folder)) }
        rows = try rounds.run(contestants)
    }

    /// The frames that all contestants draw on.
    static let fullKind = FrameKind(size: .p1080, format: "I420")

    private mutating func peers(_ supply: FrameSupply, _ art: Artwork) async throws -> [Contestant] {
        var contestants: [Contestant] = []
        for peer in Peer.allCases {
            do {
                contestants += try await peer.contestants(supply, art, isThorough: kind == Self.fullKind)
            } catch {
                missing.append("\(peer.element): \(error)")
            }
        }
        return contestants
    }

    /// Adds ffmpeg, which runs in separate turns.
    mutating func addFFmpeg(_ art: Artwork, in folder: ScratchFolder, rounds: Int) throws {
        do {
            let timing = try FFmpeg(kind, art, in: folder).run(rounds: rounds)
            let note = "a picture as large as the frame"
            rows.append(Row(name: "ffmpeg overlay", note: note, timing: timing, isCopied: false))
        } catch {
            missing.append("ffmpeg: \(error)")
        }
    }
}
