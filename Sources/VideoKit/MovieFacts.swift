// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The facts about a movie for a list, from the headers of an MP4 file of any origin (ISO/IEC 14496-12). No sample and no
/// table of samples is read.
package struct MovieFacts: Sendable, Hashable {
    /// The content of an MP4 file.
    package enum Content: Sendable, Hashable {
        /// A movie that is complete.
        case movie(MovieFacts)
        /// Fragments: a recording that is being written, or that was cut off and not repaired.
        case fragments
    }

    /// The duration of the movie, in whole milliseconds.
    package private(set) var duration = Duration.zero
    /// The size of the pictures as players show them, in pixels; 0 without a track of pictures.
    package private(set) var width = 0, height = 0
    /// When the movie was made; `nil` if the file does not say.
    package private(set) var created: WallTime?

    /// `true` for the name of an MP4 file.
    package static func isMovie(fileName name: String) -> Bool {
        name.utf8.count > 4 && name.lowercased().hasSuffix(".mp4")
    }

    /// Returns the content of a file; `nil` if it is no MP4 file, or its headers are damaged. Blocks.
    ///
    /// - Throws: `RegularFile.Failure` if the file cannot be read.
    package static func content(of file: borrowing RegularFile) throws(RegularFile.Failure) -> Content? {
        var walk = BoxWalk()
        do throws(BoxWalk.Failure) {
            return try content(of: file, &walk)
        } catch {
            switch error {
            case .file(let failure): throw failure
            case .damage: return nil
            }
        }
    }

    private static func content(
        of file: borrowing RegularFile, _ walk: inout BoxWalk
    ) throws(BoxWalk.Failure) -> Content? {
        var position = 0
        let end = Int(file.status.st_size)
        while let box = try walk.box(at: position, before: end, file) {
            guard position > 0 || box.type == "ftyp" else { return nil }
            if box.type == "moov" {
                guard try walk.find(["mvex"], in: box, file) == nil else { return .fragments }
                return .movie(try MovieFacts(box, file, &walk))
            }
            position = box.range.upperBound
        }
        return nil
    }

    /// Reads `moov` (8.2.1).
    private init(_ moov: Box, _ file: borrowing RegularFile, _ walk: inout BoxWalk) throws(BoxWalk.Failure) {
        guard let header = try walk.find(["mvhd"], in: moov, file) else { throw .damage }
        let movie = try MovieTime(walk.bytes(of: header, file), isTrack: false)
        (duration, created) = (movie.duration(in: movie.scaleOrID), movie.created)
        var position = moov.content.lowerBound
        while let box = try walk.box(at: position, before: moov.content.upperBound, file) {
            if box.type == "trak", width == 0 { try readTrack(box, file, &walk) }
            position = box.range.upperBound
        }
    }

    /// Reads the size of a track of pictures (8.3.1).
    private mutating func readTrack(
        _ trak: Box, _ file: borrowing RegularFile, _ walk: inout BoxWalk
    ) throws(BoxWalk.Failure) {
        guard let handler = try walk.find(["mdia", "hdlr"], in: trak, file),
            let header = try walk.find(["tkhd"], in: trak, file)
        else { return }
        var reader = ByteReader(try walk.bytes(of: handler, file))
        do throws(CaptureError) {
            try reader.skip(8)
            guard FourCC(try reader.uint32()) == "vide" else { return }
        } catch {
            throw .damage
        }
        let track = try MovieTime(walk.bytes(of: header, file), isTrack: true)
        (width, height) = track.isTurned ? (track.height, track.width) : (track.width, track.height)
    }
}

/// The header of a movie or of a track (8.2.2, 8.3.2).
private struct MovieTime {
    private let creation: UInt64
    private let units: UInt64
    /// The timescale of a movie in units a second, or the ID of a track.
    let scaleOrID: UInt32
    private(set) var width = 0, height = 0
    /// `true` if players turn the pictures by 90 or 270 degrees.
    private(set) var isTurned = false

    /// The seconds from 1904, with which MP4 begins, to 1970.
    private static let epoch: Int64 = 2_082_844_800

    init(_ bytes: [UInt8], isTrack: Bool) throws(BoxWalk.Failure) {
        do throws(CaptureError) {
            var reader = ByteReader(bytes)
            let version = try reader.versionAndFlags().version
            creation = try reader.number(version: version)
            _ = try reader.number(version: version)
            scaleOrID = try reader.uint32()
            if isTrack { try reader.skip(4) }
            units = try reader.number(version: version)
            guard isTrack else { return }
            try reader.skip(16)
            let first = try reader.uint32()
            try reader.skip(32)
            isTurned = first == 0
            (width, height) = (Int(try reader.uint32() >> 16), Int(try reader.uint32() >> 16))
        } catch {
            throw .damage
        }
    }

    /// When the movie was made; `nil` for a time before 1970, as muxers write that know none, and for one after 2248.
    var created: WallTime? {
        guard let seconds = Int64(exactly: creation), (Self.epoch + 1..<Self.epoch + 1 << 33).contains(seconds) else {
            return nil
        }
        return WallTime(seconds: seconds - Self.epoch, nanoseconds: 0)
    }

    /// The duration in whole milliseconds; 0 if it is not known (all bits are set).
    func duration(in scale: UInt32) -> Duration {
        guard scale > 0, units != UInt64(UInt32.max), let units = Int(exactly: units) else { return .zero }
        return .milliseconds(Timescale.convert(units, from: scale, to: 1000))
    }
}

/// Reads boxes of a file that is not trusted, each by its position, and at most ``mostBoxes``.
private struct BoxWalk {
    enum Failure: Error {
        case file(RegularFile.Failure)
        /// The boxes are damaged, or there are too many.
        case damage
    }

    private var count = 0

    /// Movies have some dozens; a file of empty boxes has millions.
    private static let mostBoxes = 2000
    /// The maximum number of bytes that are read of a header.
    private static let mostBytes = 256

    /// Returns the box at a position; `nil` at the end.
    mutating func box(
        at position: Int, before end: Int, _ file: borrowing RegularFile
    ) throws(Failure) -> Box? {
        guard position < end else { return nil }
        count += 1
        guard count <= Self.mostBoxes,
            let header = BoxHeader(try bytes(position, min(end - position, BoxHeader.mostBytes), file)[...])
        else { throw .damage }
        let size = header.byteCount ?? end - position
        guard size >= header.headerCount, size <= end - position else { throw .damage }
        let range = position..<(position + size)
        return Box(type: header.type, range: range, content: (position + header.headerCount)..<range.upperBound)
    }

    /// Returns the first box of a path of types inside a box; `nil` if there is none.
    mutating func find(
        _ path: [FourCC], in box: Box, _ file: borrowing RegularFile
    ) throws(Failure) -> Box? {
        guard let type = path.first else { return box }
        var position = box.content.lowerBound
        while let child = try self.box(at: position, before: box.content.upperBound, file) {
            if child.type == type { return try find(Array(path.dropFirst()), in: child, file) }
            position = child.range.upperBound
        }
        return nil
    }

    /// Returns the content of a header.
    func bytes(of box: Box, _ file: borrowing RegularFile) throws(Failure) -> [UInt8] {
        try bytes(box.content.lowerBound, min(box.content.count, Self.mostBytes), file)
    }

    private func bytes(_ position: Int, _ count: Int, _ file: borrowing RegularFile) throws(Failure) -> [UInt8] {
        do throws(RegularFile.Failure) {
            try file.seek(to: position)
            return try file.bytes(most: count)
        } catch {
            throw .file(error)
        }
    }
}
