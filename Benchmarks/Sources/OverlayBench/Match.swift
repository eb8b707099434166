// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// One kind of frames, and what each contestant needs for one.
struct Match {
    let kind: FrameKind
    /// Bytes that our plan looks at.
    let touchedBytes: Int
    /// Bytes that change.
    let changedBytes: Int
    /// Blocks of sixteen bytes that those lie in.
    let blocks: Int
    /// All that were there.
    var rows: [Row] = []
    /// Who was not, and why.
    var missing: [String] = []

    /// The one of this name; of several ways, the cheapest.
    ///
    /// - Parameter note: The way, where it matters.
    subscript(_ name: String, _ note: String? = nil) -> Row? {
        rows.filter { $0.name == name && (note == nil || $0.note == note) }.min { $0.timing.least < $1.timing.least }
    }

    /// Ours, what it is measured by, and the peers.
    ///
    /// - Parameter withPeers: False for ours alone.
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

    /// Adds ffmpeg, which has turns of its own.
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
