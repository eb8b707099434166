// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A complete run.
struct Bench {
    let scene: Scene
    let options: Options
    let report: any Report
    let folder: ScratchFolder

    func run() async throws {
        let matches = try await runMatches()
        let kind = Match.fullKind
        report.show(grounds: try await Grounds.rows(scene, kind, options.rounds, in: folder), kind)
        report.show(try await Planning.measure(scene, kind, rounds: options.rounds.count))
        let allocations = try Allocations(scene)
        report.show(allocations)
        report.show(targets(matches) + Target.allocations(allocations))
    }

    private func runMatches() async throws -> [FrameKind: Match] {
        var matches: [FrameKind: Match] = [:]
        for kind in FrameKind.all where options.only.isEmpty || kind.description.contains(options.only) {
            let match = try await runMatch(kind)
            report.show(match)
            matches[kind] = match
        }
        return matches
    }

    private func runMatch(_ kind: FrameKind) async throws -> Match {
        var match = try await Match(scene, kind, options.rounds, withPeers: true, in: folder)
        if kind == Match.fullKind { try match.addFFmpeg(Artwork(scene, kind.size, in: folder), in: folder, rounds: 4) }
        return match
    }

    private func targets(_ matches: [FrameKind: Match]) -> [Target] {
        func match(_ size: FrameKind.Size, _ format: String) -> Match? {
            matches[FrameKind(size: size, format: format)]
        }
        var targets = ["I420", "NV12", "BGRx"].compactMap { match(.p1080, $0) }.map(Target.cheaperThanCopy)
        if let full = matches[Match.fullKind] {
            targets.append(.cheaper(full, than: "rsvgoverlay", Peer.converted, times: 200))
            targets.append(.cheaper(full, than: "ffmpeg overlay", times: 25))
        }
        for format in FrameKind.formats {
            guard let small = match(.p1080, format), let large = match(.p2160, format) else { continue }
            targets.append(.growth(from: small, to: large))
        }
        return targets.compactMap(\.self)
    }
}
