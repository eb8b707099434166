// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The boxes of a movie file, read from the front to the end of the last whole fragment.
struct ClipScan {
    /// The end of a file.
    enum Tail: Hashable {
        /// The last box is whole.
        case whole
        /// A box that begins here was cut off.
        case cut(at: Int)
        /// An index without its head begins here: finalizing was stopped.
        case index(at: Int)
    }

    /// A movie without fragments.
    struct Ordinary {
        let tracks: [MP4Index.Track]
        let duration: Duration
    }

    /// The movie, if it has no fragments; `nil` for a fragmented one.
    private(set) var ordinary: Ordinary?
    /// The position of the header of a fragmented movie.
    private(set) var header = 0..<0
    /// The samples of the fragments; `nil` before the header.
    private(set) var index: MP4Index?
    private(set) var tail = Tail.whole
    /// `true` if an earlier run has marked the end of the file as cut off.
    private(set) var isMarkedCut = false
    /// `true` if the muxer has ended the file: it wrote `mfra` (8.8.9), the last box of a fragmented movie.
    private(set) var isClosed = false
    /// The `moof` whose `mdat` is still missing.
    private var fragment: Range<Int>?

    /// The type of the box that hides the remains of a fragment. Readers skip it, as `free` (ISO/IEC 14496-12, 8.1.2).
    static let mark: FourCC = "skip"
    /// The maximum size of the `moof` of one fragment, in bytes.
    private static let mostFragmentBytes = 1 << 24

    /// `true` if a fragment before the last one has lost blocks, and is left out.
    private(set) var hasGap = false

    /// Reads the boxes of a file.
    ///
    /// - Throws: ``CaptureError`` without a subject if the file is no movie, or is damaged in the middle otherwise than by
    ///   lost blocks.
    init(_ file: borrowing FileBytes) throws(CaptureError) {
        guard let first = try Self.header(at: 0, file), first.type == "ftyp" else { throw .noMovie }
        var position = 0
        while position < file.byteCount {
            if let box = try Self.box(at: position, file), box.type.isPrintable {
                try read(box, file)
                position = box.range.upperBound
            } else if let next = try nextFragment(after: position, file) {
                position = next
            } else {
                try stop(at: position, file)
            }
            if ordinary != nil || tail != .whole { return }
        }
        if let fragment { tail = .cut(at: fragment.lowerBound) }
    }

    private mutating func read(_ box: Box, _ file: borrowing FileBytes) throws(CaptureError) {
        isMarkedCut = box.type == Self.mark && index != nil || isMarkedCut
        switch box.type {
        case "moov":
            if index == nil { try readMovie(box, file) } else { try readIndex(box, file) }
        case "moof": fragment = box.range
        case "mfra": isClosed = true
        case "mdat":
            guard let fragment else { break }
            self.fragment = nil
            try add(fragment, box.content, file)
        default: break
        }
    }

    /// Adds the samples of a fragment. A power cut can lose blocks of it.
    private mutating func add(
        _ fragment: Range<Int>, _ data: Range<Int>, _ file: borrowing FileBytes
    ) throws(CaptureError) {
        guard index != nil else { throw .noHeader }
        guard fragment.count <= Self.mostFragmentBytes else { throw .damagedMovie("a fragment is too long") }
        let bytes = try file.bytes(fragment)
        do throws(CaptureError) {
            try index?.add(fragment: bytes, at: fragment.lowerBound, data: data)
        } catch {
            guard try Self.fragment(in: data.upperBound..<file.byteCount, file) != nil else {
                tail = .cut(at: fragment.lowerBound)
                return
            }
            guard try Self.hasLostBlock(fragment, file) else { throw error }
            hasGap = true
        }
    }

    // MARK: Header

    private mutating func readMovie(_ box: Box, _ file: borrowing FileBytes) throws(CaptureError) {
        guard try Self.hasFragments(box, file) else {
            ordinary = try Self.ordinary(box, file)
            return
        }
        guard box.range.count <= MP4Index.mostMovieBytes else { throw .damagedMovie("its header is too long") }
        header = box.range
        index = try MP4Index(movie: try file.bytes(box.range))
    }

    /// Returns `true` if a `moov` has `mvex` (8.8.1).
    private static func hasFragments(_ moov: Box, _ file: borrowing FileBytes) throws(CaptureError) -> Bool {
        try find(["mvex"], in: moov, file) != nil
    }

    // MARK: End

    /// Returns the position of the next fragment, if blocks before it are lost; `nil` if there is none.
    private mutating func nextFragment(
        after position: Int, _ file: borrowing FileBytes
    ) throws(CaptureError) -> Int? {
        guard index != nil else { throw .noHeader }
        guard let next = try Self.fragment(in: (position + 8)..<max(position + 8, file.byteCount), file) else {
            return nil
        }
        guard try Self.hasLostBlock((fragment?.lowerBound ?? position)..<next, file) else {
            throw .damagedMovie("other fragments follow a damaged one")
        }
        (fragment, hasGap) = (nil, true)
        return next
    }

    /// Ends the movie at the last whole fragment, because no whole box begins at `position`.
    private mutating func stop(at position: Int, _ file: borrowing FileBytes) throws(CaptureError) {
        let type = try Self.header(at: position, file)?.type
        tail = type == "moov" && fragment == nil ? .index(at: position) : .cut(at: fragment?.lowerBound ?? position)
    }

    /// Accepts a second `moov` at the end of the file, which a stopped run of the finalizer leaves.
    private mutating func readIndex(_ box: Box, _ file: borrowing FileBytes) throws(CaptureError) {
        guard box.range.upperBound == file.byteCount, fragment == nil, try !Self.hasFragments(box, file) else {
            throw .damagedMovie("it has several headers")
        }
        tail = .index(at: box.range.lowerBound)
    }

    /// Returns the start of the first fragment in a part of a file: `moof` with `mfhd` as its first box.
    private static func fragment(in range: Range<Int>, _ file: borrowing FileBytes) throws(CaptureError) -> Int? {
        let (piece, overlap) = (1 << 18, 15)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
            let bytes = try file.bytes(start..<min(range.upperBound, start + piece + overlap))
            if let place = fragment(in: bytes) { return start + place }
        }
        return nil
    }

    private static func fragment(in bytes: [UInt8]) -> Int? {
        let (moof, mfhd) = (Array("moof".utf8), Array("mfhd".utf8))
        guard bytes.count >= 16 else { return nil }
        return (0...(bytes.count - 16)).first { place in
            bytes[place + 4] == moof[0] && bytes[(place + 4)..<(place + 8)].elementsEqual(moof)
                && bytes[(place + 12)..<(place + 16)].elementsEqual(mfhd)
        }
    }

    /// Returns `true` if a part of a file touches a block of zeros, as a power cut leaves them.
    private static func hasLostBlock(_ range: Range<Int>, _ file: borrowing FileBytes) throws(CaptureError) -> Bool {
        // The smallest block of disks.
        let size = 512
        var start = range.lowerBound / size * size
        while start < range.upperBound {
            if try file.bytes(start..<(start + size)).allSatisfy({ $0 == 0 }) { return true }
            start += size
        }
        return false
    }
}

// MARK: - Boxes of a file

extension ClipScan {
    private static func header(at position: Int, _ file: borrowing FileBytes) throws(CaptureError) -> BoxHeader? {
        BoxHeader(try file.bytes(position..<(position + BoxHeader.mostBytes))[...])
    }

    /// Returns the box at a position; `nil` if the file ends before it does, or no box begins there.
    private static func box(at position: Int, _ file: borrowing FileBytes) throws(CaptureError) -> Box? {
        guard let header = try header(at: position, file) else { return nil }
        let (left, count) = (file.byteCount - position, header.byteCount ?? file.byteCount - position)
        guard count <= left else { return nil }
        let range = position..<(position + count)
        return Box(type: header.type, range: range, content: (position + header.headerCount)..<range.upperBound)
    }

    /// Returns the first box of a path of types inside a box; `nil` if there is none.
    private static func find(
        _ path: [FourCC], in box: Box, _ file: borrowing FileBytes
    ) throws(CaptureError) -> Box? {
        guard let type = path.first else { return box }
        var position = box.content.lowerBound
        while position < box.content.upperBound, let child = try Self.box(at: position, file) {
            if child.type == type { return try find(Array(path.dropFirst()), in: child, file) }
            position = child.range.upperBound
        }
        return nil
    }

    /// Reads the tracks of an ordinary movie, without its sample tables: they can be long.
    private static func ordinary(_ moov: Box, _ file: borrowing FileBytes) throws(CaptureError) -> Ordinary {
        guard let header = try find(["mvhd"], in: moov, file) else { throw .damagedMovie("its header has no time") }
        let movie = try time(header, file)
        var (tracks, position): ([MP4Index.Track], Int) = ([], moov.content.lowerBound)
        while position < moov.content.upperBound, let box = try box(at: position, file) {
            if box.type == "trak", let track = try ordinaryTrack(box, file) { tracks.append(track) }
            position = box.range.upperBound
        }
        guard tracks.contains(where: { $0.sampleCount > 0 }) else { throw .damagedMovie("it has no samples") }
        return Ordinary(tracks: tracks, duration: duration(movie))
    }

    private static func ordinaryTrack(
        _ trak: Box, _ file: borrowing FileBytes
    ) throws(CaptureError) -> MP4Index.Track? {
        guard let header = try find(["tkhd"], in: trak, file), let media = try find(["mdia", "mdhd"], in: trak, file),
            let table = try find(["mdia", "minf", "stbl"], in: trak, file),
            let description = try find(["stsd"], in: table, file), let sizes = try find(["stsz"], in: table, file)
        else { return nil }
        var entry = ByteReader(try file.bytes(description.content.prefix(20)))
        try entry.skip(12)
        var count = ByteReader(try file.bytes(sizes.content.prefix(12)))
        try count.skip(8)
        return MP4Index.Track(
            id: try time(header, file).scaleOrID, codec: "\(FourCC(try entry.uint32()))",
            sampleCount: Int(try count.uint32()), duration: duration(try time(media, file)))
    }

    private static func time(_ header: Box, _ file: borrowing FileBytes) throws(CaptureError) -> TimedHeader {
        let bytes = try file.bytes(header.range.prefix(256))
        let start = min(bytes.count, header.content.lowerBound - header.range.lowerBound)
        return try TimedHeader(
            Box(type: header.type, range: 0..<bytes.count, content: start..<bytes.count), in: bytes)
    }

    private static func duration(_ header: TimedHeader) -> Duration {
        .nanoseconds(Timescale.nanoseconds(Int(clamping: header.duration), in: header.scaleOrID))
    }
}

extension CaptureError {
    /// Creates the error of a file of another format. The caller adds the path.
    fileprivate static var noMovie: CaptureError {
        CaptureError(.inputOutput, "is not an MP4 file", advice: "give a recording of this program")
    }

    /// Creates the error of a recording that was stopped before its first fragment. The caller adds the path.
    static var noHeader: CaptureError {
        CaptureError(
            .inputOutput, "has no whole header: nothing of the recording can be played",
            advice: "the recording was stopped in its first moments; delete the file")
    }
}
