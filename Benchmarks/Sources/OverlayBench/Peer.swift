// Part of gst-capture. Apache License 2.0, see LICENSE.

import COverlayBench
import PipelineKit

/// An element that is in common use for overlays.
enum Peer: String, CaseIterable {
    case overlaycomposition
    case gdkpixbufoverlay
    case rsvgoverlay
    /// Two ways to prepare the same drawing, each of which counts separately.
    case cairoPictures
    case cairoRecording
    case textoverlay

    var element: String {
        switch self {
        case .cairoPictures, .cairoRecording: "cairooverlay"
        default: rawValue
        }
    }

    /// The note for an element that does not accept the format of the frames.
    static let converted = "between converters"

    /// The only format that the element accepts; `nil` if it accepts all.
    private var format: String? {
        switch self {
        case .rsvgoverlay: "BGRA"
        case .cairoPictures, .cairoRecording: "BGRx"
        default: nil
        }
    }

    private var note: String? {
        switch self {
        case .cairoPictures: "pictures"
        case .cairoRecording: "recording"
        case .textoverlay: "8 letters"
        default: nil
        }
    }

    /// The contestants for this element.
    ///
    /// - Parameter isThorough: Formats that the element refuses are measured, too: in the element's own format, and
    ///   between two converters, as users have to do.
    func contestants(_ supply: FrameSupply, _ art: Artwork, isThorough: Bool) async throws -> [Contestant] {
        guard let format, format != supply.kind.format else { return [try await contestant(supply, art)] }
        guard isThorough else { return [] }
        let own = try FrameSupply(FrameKind(size: supply.kind.size, format: format))
        return [
            try await contestant(own, art, remark: "alone, on \(format)"),
            try await contestant(supply, art, remark: Self.converted, isConverted: true),
        ]
    }

    private func contestant(
        _ supply: FrameSupply, _ art: Artwork, remark: String? = nil, isConverted: Bool = false
    ) async throws -> Contestant {
        let (kind, elements) = (supply.kind, "\(element) name=peer")
        let line = try await Line(
            supply, isConverted ? "videoconvert name=first ! \(elements) ! videoconvert ! \(kind.caps)" : elements,
            first: isConverted ? "first" : "peer"
        ) { pipeline, _ in try prepare(pipeline.element(named: "peer"), kind, art) }
        let outcome = try line.inspect()
        guard outcome.changed > 0 else { throw BenchError("\(element) draws nothing on frames of \(kind)") }
        let notes = [note, remark].compactMap(\.self).joined(separator: ", ")
        return Contestant(element, notes, minus: .bare, line)
    }

    private func prepare(_ element: Element, _ kind: FrameKind, _ art: Artwork) throws {
        switch self {
        case .overlaycomposition: art.withPictures { bench_compose(element.pointer, $0, $1) }
        case .gdkpixbufoverlay: try element.set("location", to: art.png)
        case .rsvgoverlay: try element.set("location", to: art.svg)
        case .cairoPictures: art.withPictures { bench_paint_pictures(element.pointer, $0, $1) }
        case .cairoRecording:
            let (width, height) = (Int32(kind.size.width), Int32(kind.size.height))
            guard bench_play_recording(element.pointer, art.svg, width, height) else {
                throw BenchError("\(art.svg) cannot be drawn")
            }
        case .textoverlay: try element.set("text", to: "12:34:56")
        }
    }
}
