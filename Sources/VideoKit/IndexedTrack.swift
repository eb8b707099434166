// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A track of a fragmented movie: the boxes of its `trak`, and the samples of its fragments.
struct IndexedTrack: Sendable {
    /// The values of samples that a fragment does not state (`trex`, ISO/IEC 14496-12, 8.8.3; `tfhd`, 8.8.7).
    struct Defaults {
        var duration: UInt32 = 0
        var size: UInt32 = 0
        var flags: UInt32 = 0
    }

    /// The boxes of `trak`, `mdia` or `minf` in their order.
    private enum Part {
        case copied([UInt8])
        case header
        case media([Part])
        case mediaHeader
        case information([Part])
        case sampleTable
    }

    private var header: TimedHeader?
    private var mediaHeader: TimedHeader?
    private var parts: [Part] = []
    /// The box `stsd`, and the type of its first entry, such as `avc1`.
    private var description: [UInt8] = []
    private(set) var codec: FourCC = "????"
    private var edit = InitialEdit()

    var defaults = Defaults()
    var samples = SampleTable()

    var id: UInt32 { header?.scaleOrID ?? 0 }
    /// The timescale in units a second.
    var timescale: UInt32 { mediaHeader?.scaleOrID ?? 1 }

    /// Reads `trak` (8.3.1).
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if a box is missing, damaged or twice there, or the track is
    ///   encrypted or has samples outside of fragments.
    init(_ trak: Box, in bytes: [UInt8]) throws(CaptureError) {
        parts = try readTrack(trak, bytes)
        guard header != nil, mediaHeader != nil, !description.isEmpty else {
            throw .damagedMovie("a track lacks a header or a sample description")
        }
        // Their fragments have keys that an ordinary movie has elsewhere (ISO/IEC 23001-7).
        guard codec != "encv", codec != "enca" else { throw .damagedMovie("it is encrypted") }
    }

    private mutating func readTrack(_ trak: Box, _ bytes: [UInt8]) throws(CaptureError) -> [Part] {
        var (parts, reader): ([Part], ByteReader) = ([], ByteReader(bytes, trak.content))
        while let box = try reader.box() {
            switch box.type {
            case "tkhd":
                guard header == nil else { throw .damagedMovie("a track has two headers") }
                header = try TimedHeader(box, in: bytes)
                parts.append(.header)
            case "mdia": parts.append(.media(try readMedia(box, bytes)))
            case "edts": edit = try InitialEdit(box, in: bytes)
            default: parts.append(.copied(Array(bytes[box.range])))
            }
        }
        return parts
    }

    private mutating func readMedia(_ mdia: Box, _ bytes: [UInt8]) throws(CaptureError) -> [Part] {
        var (parts, reader): ([Part], ByteReader) = ([], ByteReader(bytes, mdia.content))
        while let box = try reader.box() {
            switch box.type {
            case "mdhd":
                guard mediaHeader == nil else { throw .damagedMovie("a track has two media headers") }
                mediaHeader = try TimedHeader(box, in: bytes)
                parts.append(.mediaHeader)
            case "minf": parts.append(.information(try readInformation(box, bytes)))
            default: parts.append(.copied(Array(bytes[box.range])))
            }
        }
        return parts
    }

    private mutating func readInformation(_ minf: Box, _ bytes: [UInt8]) throws(CaptureError) -> [Part] {
        var (parts, reader): ([Part], ByteReader) = ([], ByteReader(bytes, minf.content))
        while let box = try reader.box() {
            if box.type == "stbl" {
                try readSampleTable(box, bytes)
                parts.append(.sampleTable)
            } else {
                parts.append(.copied(Array(bytes[box.range])))
            }
        }
        return parts
    }

    private mutating func readSampleTable(_ stbl: Box, _ bytes: [UInt8]) throws(CaptureError) {
        guard description.isEmpty else { throw .damagedMovie("a track has two sample tables") }
        var reader = ByteReader(bytes, stbl.content)
        while let box = try reader.box() {
            var content = ByteReader(bytes, box.content)
            switch box.type {
            case "stsd":
                description = Array(bytes[box.range])
                // Version and flags, the number of entries, and the size of the first.
                try content.skip(12)
                codec = FourCC(try content.uint32())
            case "stsz", "stz2":
                // Version and flags, and the size of all samples.
                try content.skip(8)
                guard try content.uint32() == 0 else { throw .damagedMovie("a part of its samples has no fragment") }
            default: break
            }
        }
    }
}

// MARK: - Times

extension IndexedTrack {
    /// The edit of the header before fragments were known (8.6.6): empty time, in the timescale of the movie, then media
    /// from a time on.
    private struct InitialEdit {
        var emptyTime = 0
        var mediaTime = 0

        init() {}

        init(_ edts: Box, in bytes: [UInt8]) throws(CaptureError) {
            var boxes = ByteReader(bytes, edts.content)
            guard let elst = try boxes.box("elst") else { return }
            var reader = ByteReader(bytes, elst.content)
            let version = try reader.versionAndFlags().version
            for _ in 0..<(try reader.uint32()) {
                let duration = try reader.number(version: version)
                let time = try reader.number(version: version)
                try reader.skip(4)
                let empty = version == 0 ? UInt64(UInt32.max) : .max
                guard time == empty else {
                    mediaTime = Int(min(time, 1 << 60))
                    return
                }
                emptyTime = Int(min(UInt64(emptyTime) + min(duration, 1 << 60), 1 << 60))
            }
        }
    }

    /// The presentation of a track on the time line that all tracks share.
    struct Presentation {
        /// The media time at which the track begins, in its timescale.
        fileprivate let mediaTime: Int
        /// The moment of that media time, in nanoseconds.
        let start: Int
    }

    /// The edits of a track (8.6.5), in the timescale of the movie: nothing for a while, then the media.
    struct Edits {
        fileprivate let empty: Int
        fileprivate let shown: Int
        /// The media time at which the media begins, in the timescale of the track.
        fileprivate let mediaTime: Int

        /// `true` if the media is shown from the start of the movie on, as it is without an edit list.
        fileprivate var isTrivial: Bool { empty == 0 && mediaTime == 0 }
        /// The end of the track.
        var end: UInt64 { UInt64(empty + shown) }
    }

    /// Returns the edits of the track.
    ///
    /// - Parameter movieStart: The start of the first track, in nanoseconds.
    func edits(_ presentation: Presentation, movieStart: Int, movieScale: UInt32) -> Edits {
        let media = max(0, Int(samples.duration) - presentation.mediaTime)
        return Edits(
            empty: max(0, Timescale.ticks(presentation.start - movieStart, in: movieScale)),
            shown: Timescale.convert(media, from: timescale, to: movieScale), mediaTime: presentation.mediaTime)
    }

    /// Returns the presentation of the track.
    ///
    /// - Parameter delay: Nanoseconds that the fragments do not state.
    func presentation(movieScale: UInt32, delay: Int) -> Presentation {
        let first = Int(min(samples.start ?? 0, 1 << 60))
        let shift =
            Timescale.nanoseconds(edit.emptyTime, in: movieScale)
            + Timescale.nanoseconds(first - edit.mediaTime, in: timescale) + max(-1 << 60, min(1 << 60, delay))
        // A presentation does not begin before 0: media before that is trimmed.
        let trimmed = edit.mediaTime > first ? edit.mediaTime - first : 0
        let mediaTime = max(Int(samples.earliestComposition), trimmed)
        return Presentation(mediaTime: mediaTime, start: shift + Timescale.nanoseconds(mediaTime, in: timescale))
    }

    /// The sum of the durations of all samples, in nanoseconds.
    var nanoseconds: Int { Timescale.nanoseconds(Int(samples.duration), in: timescale) }
}

// MARK: - Boxes

extension IndexedTrack {
    /// The maximum size of the boxes in bytes.
    var mostBytes: Int { 256 + description.count + samples.mostBytes + parts.reduce(0) { $0 + Self.count($1) } }

    private static func count(_ part: Part) -> Int {
        switch part {
        case .copied(let bytes): bytes.count
        case .media(let parts), .information(let parts): parts.reduce(8) { $0 + count($1) }
        case .header, .mediaHeader: 128
        case .sampleTable: 0
        }
    }

    /// Writes `trak` with tables of all samples.
    func write(_ edits: Edits, to writer: inout BoxWriter) {
        writer.box("trak") { writer in
            for part in parts {
                write(part, end: edits.end, to: &writer)
                // The edit list follows the header of the track.
                if case .header = part, !edits.isTrivial { Self.write(edits, to: &writer) }
            }
        }
    }

    private func write(_ part: Part, end: UInt64, to writer: inout BoxWriter) {
        switch part {
        case .copied(let bytes): writer.put(bytes)
        case .header: write(header, duration: end, to: &writer)
        case .mediaHeader: write(mediaHeader, duration: samples.duration, to: &writer)
        case .media(let parts): writer.box("mdia") { for part in parts { write(part, end: end, to: &$0) } }
        case .information(let parts): writer.box("minf") { for part in parts { write(part, end: end, to: &$0) } }
        case .sampleTable: samples.write(description: description, to: &writer)
        }
    }

    private func write(_ header: TimedHeader?, duration: UInt64, to writer: inout BoxWriter) {
        guard var header else { return }
        header.duration = duration
        header.write(to: &writer)
    }

    private static func write(_ edits: Edits, to writer: inout BoxWriter) {
        let isLarge = max(edits.empty, edits.shown) > Int(UInt32.max) || edits.mediaTime > Int(Int32.max)
        let list = (edits.empty > 0 ? [(edits.empty, -1)] : []) + [(edits.shown, edits.mediaTime)]
        writer.box("edts") { writer in
            writer.fullBox("elst", version: isLarge ? 1 : 0) { writer in
                writer.put(UInt32(list.count))
                for (duration, time) in list {
                    writer.put(UInt64(duration), isLarge: isLarge)
                    writer.put(UInt64(bitPattern: Int64(time)), isLarge: isLarge)
                    // The normal rate.
                    writer.put(0x1_0000 as UInt32)
                }
            }
        }
    }
}
