// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Writes a live movie for viewers of Media Source Extensions: an initialization segment, and then a fragment for each
/// access unit (ISO/IEC 14496-12, 8.8; "ISO BMFF Byte Stream Format", W3C).
///
/// A viewer gets ``initialization``, and then the fragments from a key frame on.
package struct FragmentWriter: Sendable {
    /// A track of the movie.
    package enum Track: UInt32, Sendable, Hashable {
        case video = 1
        case audio
    }

    /// The format of H.264 video.
    package struct Video: Sendable, Hashable {
        /// The decoder configuration record: the content of the box `avcC` (ISO/IEC 14496-15, 5.3.3.1), which GStreamer's
        /// caps have as `codec_data`.
        package let configuration: [UInt8]
        /// The size in pixels.
        package let width: Int, height: Int
        /// The meaning of its colors; `nil` if it is not known.
        package let color: VideoColor?

        /// Creates a format; ``FragmentWriter/init(video:audio:)`` checks it.
        package init(configuration: [UInt8], width: Int, height: Int, color: VideoColor? = nil) {
            (self.configuration, self.width, self.height, self.color) = (configuration, width, height, color)
        }
    }

    /// The format of AAC sound.
    package struct Audio: Sendable, Hashable {
        /// The AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), which GStreamer's caps have as `codec_data`.
        package let configuration: [UInt8]
        /// Samples a second: the timescale of the track.
        package let sampleRate: Int
        package let channelCount: Int

        /// Creates a format; ``FragmentWriter/init(video:audio:)`` checks it.
        package init(configuration: [UInt8], sampleRate: Int, channelCount: Int) {
            (self.configuration, self.sampleRate, self.channelCount) = (configuration, sampleRate, channelCount)
        }
    }

    /// A frame of video, with the length of each NAL unit before it (ISO/IEC 14496-15, 5.3.2), or a packet of sound.
    package struct AccessUnit: Sendable {
        package var track: Track
        package var bytes: [UInt8]
        /// The decode time since the start of the movie, in the timescale of the track.
        package var decodeTime: UInt64
        /// The duration in the timescale of the track.
        package var duration: UInt32
        /// `true` if a decoder can begin here. Packets of sound always are.
        package var isKey: Bool
        /// The presentation time minus the decode time, in the timescale of the track.
        package var compositionOffset: Int32

        /// Creates an access unit.
        package init(
            _ track: Track, _ bytes: [UInt8], decodeTime: UInt64, duration: UInt32, isKey: Bool,
            compositionOffset: Int32 = 0
        ) {
            (self.track, self.bytes, self.decodeTime) = (track, bytes, decodeTime)
            (self.duration, self.isKey, self.compositionOffset) = (duration, isKey, compositionOffset)
        }
    }

    /// The timescale of video, in units a second.
    package static let videoTimescale: UInt32 = 90_000
    /// The maximum size of an access unit in bytes: lengths in a fragment have 32 bits, one of them with a sign.
    package static let mostBytes = 1 << 30

    private let video: Video
    private let audio: Audio?
    /// The number of the last fragment.
    private(set) var sequenceNumber: UInt32

    /// Creates a writer.
    ///
    /// - Parameter sequenceNumber: The number of the last fragment of a movie that is continued.
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the configuration of H.264 is shorter than 7 bytes or not of
    ///   version 1, that of AAC does not have 2 to 64 bytes, or a size, rate or number of channels does not fit into its
    ///   field of 16 bits.
    package init(video: Video, audio: Audio? = nil, sequenceNumber: UInt32 = 0) throws(CaptureError) {
        (self.video, self.audio, self.sequenceNumber) = (video, audio, sequenceNumber)
        let fields = 1...0xFFFF
        guard video.configuration.count >= 7, video.configuration.count <= fields.upperBound,
            video.configuration.first == 1, fields.contains(video.width), fields.contains(video.height)
        else { throw .noFormat("H.264 video") }
        guard let audio else { return }
        guard (2...64).contains(audio.configuration.count), fields.contains(audio.sampleRate),
            (1...8).contains(audio.channelCount)
        else { throw .noFormat("AAC sound") }
    }

    /// Returns the fragment of an access unit: `moof` and `mdat`. Sequence numbers begin at 1.
    ///
    /// - Throws: ``CaptureError`` of kind `software` if the access unit exceeds ``mostBytes``, or is of a track that the
    ///   movie does not have.
    package mutating func fragment(_ unit: AccessUnit) throws(CaptureError) -> [UInt8] { try fragment([unit]) }

    /// Returns the fragment of consecutive access units of one track: `moof` and `mdat`.
    ///
    /// - Parameter units: At least one; each lasts until the next.
    /// - Throws: As ``fragment(_:)-(AccessUnit)``, also if the units together exceed ``mostBytes``, or are of two tracks.
    package mutating func fragment(_ units: [AccessUnit]) throws(CaptureError) -> [UInt8] {
        let byteCount = units.reduce(0) { $0 + $1.bytes.count }
        guard let first = units.first, byteCount <= Self.mostBytes, first.track == .video || audio != nil,
            units.allSatisfy({ $0.track == first.track })
        else { throw CaptureError(.software, "an access unit does not fit into the live movie") }
        sequenceNumber &+= 1
        var writer = BoxWriter()
        writer.reserve(byteCount + Self.headerCount(units.count) + 8)
        writer.box("moof") { writer in
            writer.fullBox("mfhd") { $0.put(sequenceNumber) }
            writer.box("traf") { Self.writeTrackFragment(units, first, to: &$0) }
        }
        writer.box("mdat") { for unit in units { $0.put(unit.bytes) } }
        return writer.bytes
    }

    /// The size of `moof` with this number of samples, in bytes.
    private static func headerCount(_ sampleCount: Int) -> Int { 8 + 16 + 8 + 16 + 20 + 20 + 16 * sampleCount }

    /// Writes `tfhd`, `tfdt` and `trun` (ISO/IEC 14496-12, 8.8.7, 8.8.12, 8.8.8).
    private static func writeTrackFragment(_ units: [AccessUnit], _ first: AccessUnit, to writer: inout BoxWriter) {
        // Offsets are relative to this fragment: default-base-is-moof.
        writer.fullBox("tfhd", flags: 0x2_0000) { $0.put(first.track.rawValue) }
        writer.fullBox("tfdt", version: 1) { $0.put(first.decodeTime) }
        // The offset of the data; duration, size, flags and composition offset of each sample.
        writer.fullBox("trun", version: 1, flags: 0xF01) { writer in
            writer.put(UInt32(units.count))
            writer.put(UInt32(headerCount(units.count) + 8))
            for unit in units {
                writer.put(unit.duration)
                writer.put(UInt32(unit.bytes.count))
                // Depends on no other sample; or depends on others, and is no key frame (8.8.3.1).
                writer.put(unit.isKey ? 0x200_0000 : 0x101_0000 as UInt32)
                writer.put(unit.compositionOffset)
            }
        }
    }
}

// MARK: - Initialization

extension FragmentWriter {
    /// The initialization segment: `ftyp` and `moov` without samples.
    package var initialization: [UInt8] {
        var writer = BoxWriter()
        writer.box("ftyp") { writer in
            // Offsets relative to the fragment and decode times need this brand.
            for brand in ["iso6", 0, "iso6", "avc1", "mp41"] as [FourCC] { writer.put(brand) }
        }
        writer.box("moov") { writer in
            writeMovieHeader(&writer)
            writeTrack(.video, scale: Self.videoTimescale, &writer)
            if let audio { writeTrack(.audio, scale: UInt32(audio.sampleRate), &writer) }
            writer.box("mvex") { writer in
                writeDefaults(.video, &writer)
                if audio != nil { writeDefaults(.audio, &writer) }
            }
        }
        return writer.bytes
    }

    private func writeMovieHeader(_ writer: inout BoxWriter) {
        writer.fullBox("mvhd") { writer in
            writer.zeros(8)
            writer.put(Self.videoTimescale)
            // No duration, the normal rate, full volume.
            writer.put(0 as UInt32)
            writer.put(0x1_0000 as UInt32)
            writer.put(0x100 as UInt16)
            writer.zeros(10)
            Self.writeMatrix(&writer)
            writer.zeros(24)
            // The next track ID.
            writer.put(audio == nil ? 2 : 3 as UInt32)
        }
    }

    /// Writes the matrix that turns nothing (8.2.2).
    private static func writeMatrix(_ writer: inout BoxWriter) {
        for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] as [UInt32] { writer.put(value) }
    }

    private func writeDefaults(_ track: Track, _ writer: inout BoxWriter) {
        writer.fullBox("trex") { writer in
            for value in [track.rawValue, 1, 0, 0, 0] { writer.put(value) }
        }
    }

    private func writeTrack(_ track: Track, scale: UInt32, _ writer: inout BoxWriter) {
        writer.box("trak") { writer in
            writeTrackHeader(track, &writer)
            writer.box("mdia") { writer in
                writer.fullBox("mdhd") { writer in
                    writer.zeros(8)
                    writer.put(scale)
                    writer.put(0 as UInt32)
                    // No language: "und" in three letters of 5 bits.
                    writer.put(0x55C4 as UInt16)
                    writer.zeros(2)
                }
                Self.writeHandler(track, &writer)
                writer.box("minf") { writeInformation(track, &$0) }
            }
        }
    }

    private func writeTrackHeader(_ track: Track, _ writer: inout BoxWriter) {
        // Enabled, in the movie.
        writer.fullBox("tkhd", flags: 3) { writer in
            writer.zeros(8)
            writer.put(track.rawValue)
            writer.zeros(20)
            // Volume.
            writer.put(track == .audio ? 0x100 : 0 as UInt16)
            writer.zeros(2)
            Self.writeMatrix(&writer)
            writer.put(track == .video ? UInt32(video.width) << 16 : 0)
            writer.put(track == .video ? UInt32(video.height) << 16 : 0)
        }
    }

    private static func writeHandler(_ track: Track, _ writer: inout BoxWriter) {
        writer.fullBox("hdlr") { writer in
            writer.zeros(4)
            writer.put(track == .video ? "vide" : "soun" as FourCC)
            writer.zeros(12)
            // An empty name.
            writer.zeros(1)
        }
    }

    private func writeInformation(_ track: Track, _ writer: inout BoxWriter) {
        switch track {
        case .video: writer.fullBox("vmhd", flags: 1) { $0.zeros(8) }
        case .audio: writer.fullBox("smhd") { $0.zeros(4) }
        }
        writer.box("dinf") { writer in
            writer.fullBox("dref") { writer in
                writer.put(1 as UInt32)
                // The media is in this file.
                writer.fullBox("url ", flags: 1) { _ in }
            }
        }
        writer.box("stbl") { writer in
            writer.fullBox("stsd") { writer in
                writer.put(1 as UInt32)
                writeSampleEntry(track, &writer)
            }
            for table in ["stts", "stsc", "stco"] as [FourCC] { writer.fullBox(table) { $0.zeros(4) } }
            writer.fullBox("stsz") { $0.zeros(8) }
        }
    }

    private func writeSampleEntry(_ track: Track, _ writer: inout BoxWriter) {
        switch track {
        case .video: writeVideoEntry(&writer)
        case .audio: if let audio { Self.writeAudioEntry(audio, &writer) }
        }
    }

    /// Writes a visual sample entry (8.5.2, 12.1.3; ISO/IEC 14496-15, 5.4.2).
    private func writeVideoEntry(_ writer: inout BoxWriter) {
        writer.box("avc1") { writer in
            writer.zeros(6)
            writer.put(1 as UInt16)
            writer.zeros(16)
            writer.put(UInt16(video.width))
            writer.put(UInt16(video.height))
            // 72 dots an inch, one frame a sample, no name, 24 bits a pixel.
            writer.put(0x48_0000 as UInt32)
            writer.put(0x48_0000 as UInt32)
            writer.zeros(4)
            writer.put(1 as UInt16)
            writer.zeros(32)
            writer.put(24 as UInt16)
            writer.put(-1 as Int16)
            writer.box("avcC") { $0.put(video.configuration) }
            video.color?.write(to: &writer)
        }
    }

    /// Writes an audio sample entry (12.2.3) with its elementary stream descriptor (ISO/IEC 14496-14, 5.6).
    private static func writeAudioEntry(_ audio: Audio, _ writer: inout BoxWriter) {
        writer.box("mp4a") { writer in
            writer.zeros(6)
            writer.put(1 as UInt16)
            writer.zeros(8)
            writer.put(UInt16(audio.channelCount))
            // 16 bits a sample.
            writer.put(16 as UInt16)
            writer.zeros(4)
            writer.put(UInt32(audio.sampleRate) << 16)
            writer.fullBox("esds") { $0.put(descriptor(audio)) }
        }
    }

    /// Returns the descriptor of an AAC stream (ISO/IEC 14496-1, 7.2.6.5): lengths below 128 need one byte.
    private static func descriptor(_ audio: Audio) -> [UInt8] {
        func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let specific = descriptor(5, audio.configuration)
        // MPEG-4 audio, an audio stream; buffer size and bit rates are unknown.
        let decoder = descriptor(4, [0x40, 0x15] + [UInt8](repeating: 0, count: 11) + specific)
        // The ID 0 and no flags; the synchronization of MP4 files.
        return descriptor(3, [0, 0, 0] + decoder + descriptor(6, [2]))
    }
}

extension FourCC: ExpressibleByIntegerLiteral {
    init(integerLiteral value: UInt32) { self.init(value) }
}

extension CaptureError {
    /// Creates the error of an encoder whose caps do not fit into a movie.
    static func noFormat(_ name: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the encoder describes its \(name) in no valid form", advice: "choose another encoder")
    }
}
