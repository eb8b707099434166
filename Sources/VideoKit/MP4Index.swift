// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The index of an MP4 file, made from the fragments of a recording (ISO/IEC 14496-12).
///
/// A fragmented file states the samples in a `moof` before each part of them. The index is the `moov` of an ordinary file
/// with the same samples at the same offsets: players open it at once, know its duration, and seek. Memory is linear in
/// the samples.
package struct MP4Index: Sendable {
    /// A track with samples.
    package struct Track: Sendable, Hashable {
        /// The number of the track in the file.
        package let id: UInt32
        /// The type of the sample entry: `avc1`, `mp4a`, `Opus`.
        package let codec: String
        /// The number of samples: frames of video, packets of sound.
        package let sampleCount: Int
        /// The sum of the durations of all samples.
        package let duration: Duration

        /// Creates a description.
        package init(id: UInt32, codec: String, sampleCount: Int, duration: Duration) {
            (self.id, self.codec, self.sampleCount, self.duration) = (id, codec, sampleCount, duration)
        }
    }

    /// The maximum number of samples of a track: ten hours of video and sound have less than 3 million.
    package static let mostSamples = 1 << 24
    /// The maximum size of the `moov` of a fragmented file in bytes: it has no samples.
    package static let mostMovieBytes = 1 << 22

    /// The timescale of the ordinary movie, in units a second. Muxers choose coarse ones, such as 1,000: edits would move
    /// tracks against each other.
    private static let movieScale: UInt32 = 90_000

    /// The boxes of `moov` in their order.
    private enum Part {
        case copied([UInt8])
        case track(Int)
    }

    private var header: TimedHeader
    private var parts: [Part] = []
    private var indexed: [IndexedTrack] = []
    /// The place of each track by its ID.
    private var places: [UInt32: Int] = [:]

    /// Reads the header of a fragmented file.
    ///
    /// - Parameter movie: The box `moov` with its header, at most ``mostMovieBytes``.
    /// - Throws: ``CaptureError`` of kind `inputOutput`, without a subject, if the box is damaged, has no `mvex`, or its
    ///   tracks have samples outside of fragments.
    package init(movie: [UInt8]) throws(CaptureError) {
        var boxes = ByteReader(movie)
        guard let moov = try boxes.box(), moov.type == "moov" else { throw .damagedMovie("it has no header") }
        var reader = ByteReader(movie, moov.content)
        guard let mvhd = try reader.box("mvhd") else { throw .damagedMovie("its header has no time") }
        header = try TimedHeader(mvhd, in: movie)
        try readParts(ByteReader(movie, moov.content), movie)
    }

    private mutating func readParts(_ content: ByteReader, _ movie: [UInt8]) throws(CaptureError) {
        var (reader, extensions): (ByteReader, Box?) = (content, nil)
        while let box = try reader.box() {
            switch box.type {
            case "mvhd": break
            case "mvex": extensions = box
            case "trak": try add(IndexedTrack(box, in: movie))
            default: parts.append(.copied(Array(movie[box.range])))
            }
        }
        guard let extensions else { throw .damagedMovie("it has no fragments") }
        try readDefaults(extensions, movie)
    }

    private mutating func add(_ track: IndexedTrack) throws(CaptureError) {
        guard places.updateValue(indexed.count, forKey: track.id) == nil else {
            throw .damagedMovie("two tracks have the same ID")
        }
        parts.append(.track(indexed.count))
        indexed.append(track)
    }

    /// Reads each `trex` (8.8.3).
    private mutating func readDefaults(_ mvex: Box, _ movie: [UInt8]) throws(CaptureError) {
        var boxes = ByteReader(movie, mvex.content)
        while let trex = try boxes.box("trex") {
            var reader = ByteReader(movie, trex.content)
            try reader.skip(4)
            guard let place = places[try reader.uint32()] else { continue }
            try Self.checkDescription(try reader.uint32())
            indexed[place].defaults.duration = try reader.uint32()
            indexed[place].defaults.size = try reader.uint32()
            indexed[place].defaults.flags = try reader.uint32()
        }
    }

    /// Checks that samples have the first sample description, which `stsc` states for all.
    private static func checkDescription(_ number: UInt32) throws(CaptureError) {
        guard number == 1 else { throw .damagedMovie("its format changes") }
    }
}

// MARK: - Fragments

extension MP4Index {
    /// The content of a movie fragment, until all of it has been checked.
    private struct Fragment {
        /// A decode time or a run of a track, by the place of the track.
        enum Part {
            case time(UInt64, Int)
            case run([SampleTable.Sample], start: Int, Int)
        }

        var parts: [Part] = []
        var sampleCount = 0
        /// The size of the samples so far.
        var byteCount = 0
        /// The offset in the file at which the next run begins if it states none.
        var next: Int
        /// The offsets of the samples in the file.
        let data: Range<Int>
    }

    /// The values of a track fragment that its runs share.
    private struct TrackFragment {
        let place: Int
        let defaults: IndexedTrack.Defaults
        /// The offset in the file to which the offsets of runs are relative.
        let base: Int
    }

    /// Adds the samples of a movie fragment.
    ///
    /// - Parameters:
    ///   - fragment: The box `moof` with its header.
    ///   - offset: Its offset in the file.
    ///   - data: The content of the `mdat` after it, as offsets in the file.
    /// - Throws: ``CaptureError`` of kind `inputOutput`, without a subject, if the box is damaged, the samples do not
    ///   fill `data`, or a track has more than ``mostSamples``. The index is unchanged then.
    package mutating func add(fragment: [UInt8], at offset: Int, data: Range<Int>) throws(CaptureError) {
        var boxes = ByteReader(fragment)
        guard let moof = try boxes.box(), moof.type == "moof" else { throw .damagedMovie("a fragment has no header") }
        var reader = ByteReader(fragment, moof.content)
        var content = Fragment(next: offset, data: data)
        while let traf = try reader.box("traf") {
            try read(track: traf, fragment, movieFragment: offset, into: &content)
        }
        // A block of the fragment that is lost can hide tracks and runs.
        guard content.byteCount == data.count else { throw .damagedMovie("a part of its data has no samples") }
        for part in content.parts { apply(part) }
    }

    private mutating func apply(_ part: Fragment.Part) {
        switch part {
        case .time(let time, let place): indexed[place].samples.resume(at: time)
        case .run(let samples, let start, let place):
            for sample in samples { indexed[place].samples.append(sample) }
            indexed[place].samples.endChunk(at: UInt64(start), sampleCount: UInt32(samples.count))
        }
    }

    /// Reads a track fragment (8.8.6).
    private func read(
        track traf: Box, _ bytes: [UInt8], movieFragment: Int, into fragment: inout Fragment
    ) throws(CaptureError) {
        var boxes = ByteReader(bytes, traf.content)
        guard let tfhd = try boxes.box(), tfhd.type == "tfhd" else { throw .damagedMovie("a fragment has no track") }
        let track = try trackFragment(tfhd, bytes, movieFragment: movieFragment, in: fragment)
        fragment.next = track.base
        while let box = try boxes.box() {
            var reader = ByteReader(bytes, box.content)
            switch box.type {
            case "tfdt":
                let version = try reader.versionAndFlags().version
                fragment.parts.append(.time(try reader.number(version: version), track.place))
            case "trun": try read(run: reader, of: track, into: &fragment)
            default: break
            }
        }
    }

    /// Reads `tfhd` (8.8.7).
    private func trackFragment(
        _ tfhd: Box, _ bytes: [UInt8], movieFragment: Int, in fragment: Fragment
    ) throws(CaptureError) -> TrackFragment {
        var reader = ByteReader(bytes, tfhd.content)
        let flags = try reader.versionAndFlags().flags
        guard let place = places[try reader.uint32()] else { throw .damagedMovie("a fragment is of an unknown track") }
        // Without a base, the samples of the track fragment before this one end there.
        var base = flags & 0x2_0000 != 0 ? movieFragment : fragment.next
        if flags & 0x1 != 0 {
            guard let stated = Int(exactly: try reader.number(UInt64.self)), stated <= fragment.data.upperBound else {
                throw .damagedMovie("samples are outside of the file")
            }
            base = stated
        }
        if flags & 0x2 != 0 { try Self.checkDescription(try reader.uint32()) }
        var defaults = indexed[place].defaults
        if flags & 0x8 != 0 { defaults.duration = try reader.uint32() }
        if flags & 0x10 != 0 { defaults.size = try reader.uint32() }
        if flags & 0x20 != 0 { defaults.flags = try reader.uint32() }
        return TrackFragment(place: place, defaults: defaults, base: base)
    }

    /// Reads a track run (8.8.8), which becomes a chunk.
    private func read(
        run content: ByteReader, of track: TrackFragment, into fragment: inout Fragment
    ) throws(CaptureError) {
        var reader = content
        let flags = try reader.versionAndFlags().flags
        let count = Int(try reader.uint32())
        let start = try flags & 0x1 != 0 ? track.base + Int(reader.number(Int32.self)) : fragment.next
        var first = try flags & 0x4 != 0 ? reader.uint32() : nil
        guard count > 0 else { return }
        try check(count: count, flags, reader.remaining, of: track, in: fragment)
        var (samples, end): ([SampleTable.Sample], Int) = ([], start)
        samples.reserveCapacity(count)
        for _ in 0..<count {
            var sample = try Self.sample(flags, track.defaults, &reader)
            if let flags = first.take() { sample.flags = flags }
            // Blocks that a power cut lost are zeros.
            guard sample.size > 0 else { throw .damagedMovie("a sample is empty") }
            samples.append(sample)
            end += Int(sample.size)
        }
        guard start >= fragment.data.lowerBound, end <= fragment.data.upperBound else {
            throw .damagedMovie("samples are outside of their fragment")
        }
        fragment.parts.append(.run(samples, start: start, track.place))
        fragment.next = end
        fragment.sampleCount += count
        fragment.byteCount += end - start
    }

    /// Checks the count of a run before memory is used for it: each sample has bytes in the run, or in the data.
    private func check(
        count: Int, _ flags: UInt32, _ remaining: Int, of track: TrackFragment, in fragment: Fragment
    ) throws(CaptureError) {
        guard indexed[track.place].samples.count + fragment.sampleCount + count <= Self.mostSamples else {
            throw .damagedMovie("a track has more than \(Self.mostSamples) samples")
        }
        let fields = (flags & 0xF00).nonzeroBitCount
        let (hasSizes, left) = (flags & 0x200 != 0, fragment.data.count - fragment.byteCount)
        guard count * fields * 4 <= remaining, left > 0,
            hasSizes || (1...left).contains(count * Int(track.defaults.size))
        else { throw .damagedMovie("a fragment states more samples than it has") }
    }

    private static func sample(
        _ flags: UInt32, _ defaults: IndexedTrack.Defaults, _ reader: inout ByteReader
    ) throws(CaptureError) -> SampleTable.Sample {
        var sample = SampleTable.Sample(size: defaults.size, duration: defaults.duration, flags: defaults.flags)
        if flags & 0x100 != 0 { sample.duration = try reader.uint32() }
        if flags & 0x200 != 0 { sample.size = try reader.uint32() }
        if flags & 0x400 != 0 { sample.flags = try reader.uint32() }
        // Version 0 has no sign by the standard; all known writers mean a sign nevertheless.
        if flags & 0x800 != 0 { sample.compositionOffset = try reader.number(Int32.self) }
        return sample
    }
}

// MARK: - Result

extension MP4Index {
    /// The tracks that have samples.
    package var tracks: [Track] {
        indexed.filter { $0.samples.count > 0 }.map {
            Track(
                id: $0.id, codec: "\($0.codec)", sampleCount: $0.samples.count, duration: .nanoseconds($0.nanoseconds))
        }
    }

    /// The `moov` of the ordinary file, and the duration of the movie. Tracks without samples are left out.
    ///
    /// The first track begins at 0. One that begins later has an edit list (8.6.6).
    ///
    /// - Parameter delays: For each track ID the time by which the track begins later than its fragments state: `mp4mux`
    ///   lets the fragments of each track begin at 0.
    package func encoded(delays: [UInt32: Duration] = [:]) -> (movie: [UInt8], duration: Duration) {
        let (scale, oldScale) = (Self.movieScale, header.scaleOrID)
        let presentations = indexed.map { track in
            track.samples.count == 0
                ? nil : track.presentation(movieScale: oldScale, delay: Int(delays[track.id]?.nanoseconds ?? 0))
        }
        let start = presentations.compactMap { $0?.start }.min() ?? 0
        let edits = zip(indexed, presentations).map { track, presentation in
            presentation.map { track.edits($0, movieStart: start, movieScale: scale) }
        }
        var header = header
        header.scaleOrID = scale
        header.duration = edits.compactMap { $0?.end }.max() ?? 0
        let duration = Timescale.nanoseconds(Int(clamping: header.duration), in: scale)
        return (movie(header, edits), .nanoseconds(duration))
    }

    private func movie(_ header: TimedHeader, _ edits: [IndexedTrack.Edits?]) -> [UInt8] {
        var writer = BoxWriter()
        writer.reserve(indexed.reduce(Self.mostMovieBytes) { $0 + $1.mostBytes })
        writer.box("moov") { writer in
            header.write(to: &writer)
            for part in parts {
                switch part {
                case .copied(let bytes): writer.put(bytes)
                case .track(let place): if let edits = edits[place] { indexed[place].write(edits, to: &writer) }
                }
            }
        }
        return writer.bytes
    }
}
