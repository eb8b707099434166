// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

extension FragmentWriter.Video {
    /// Reads the format of H.264 video from its caps. Nothing in them is trusted: a camera may have written them.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the caps are not those of H.264 in `avc` format, have no size, or
    ///   the decoder configuration record is not whole.
    package init(_ caps: Caps) throws(CaptureError) {
        guard let format = caps.structures.first, format.name == "video/x-h264",
            format["stream-format", as: String.self] == "avc", let width = format["width", as: Int.self],
            let height = format["height", as: Int.self], let configuration = format.configuration,
            Self.isWhole(configuration)
        else { throw .noFormat("H.264 video") }
        let color = format["colorimetry", as: String.self].flatMap(VideoColor.init)
        self.init(configuration: configuration, width: width, height: height, color: color)
    }

    /// Returns `true` if a decoder configuration record has whole parameter sets, and lengths of 4 bytes before NAL units
    /// (ISO/IEC 14496-15, 5.3.3.1.2).
    static func isWhole(_ record: [UInt8]) -> Bool {
        guard record.count >= 7, record[0] == 1, record[4] & 3 == 3 else { return false }
        var position = 5
        // The sequence parameter sets, whose number has 5 bits, and the picture parameter sets.
        for mask in [0x1F, 0xFF] as [UInt8] {
            guard position < record.count else { return false }
            let count = record[position] & mask
            position += 1
            for _ in 0..<count {
                guard position + 2 <= record.count else { return false }
                let length = Int(record[position]) << 8 | Int(record[position + 1])
                position += 2 + length
                guard length > 0, position <= record.count else { return false }
            }
            guard count > 0 else { return false }
        }
        return true
    }
}

/// The format of AAC sound, from its AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
package struct SoundFormat: Sendable, Hashable {
    /// The format for the sample entry of a movie.
    package let audio: FragmentWriter.Audio
    /// The number of samples of each channel in a packet: 1,024 or 960.
    package let samplesPerPacket: Int

    /// Reads the format of AAC from its caps.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the caps are not those of raw AAC, or the configuration is of
    ///   another kind than AAC LC with 1 to 8 channels.
    package init(_ caps: Caps) throws(CaptureError) {
        guard let format = caps.structures.first, format.name == "audio/mpeg",
            format["mpegversion", as: Int.self] == 4, format["stream-format", as: String.self] == "raw",
            let configuration = format.configuration, let sound = SoundFormat(configuration: configuration)
        else { throw .noFormat("AAC sound") }
        self = sound
    }

    /// Reads an AudioSpecificConfig; `nil` if it is not of AAC LC with 1 to 8 channels.
    package init?(configuration: [UInt8]) {
        var bits = BitReader(configuration)
        guard configuration.count <= 64, bits.next(5) == 2, let index = bits.next(4),
            let rate = index == 15 ? bits.next(24) : Self.rates.element(Int(index)), rate > 0,
            let channels = bits.next(4), (1...7).contains(channels), let isShort = bits.next(1)
        else { return nil }
        // The channel configuration 7 is 7.1.
        audio = FragmentWriter.Audio(
            configuration: configuration, sampleRate: Int(rate), channelCount: channels == 7 ? 8 : Int(channels))
        samplesPerPacket = isShort == 1 ? 960 : 1024
    }

    /// The sample rates by their index (1.6.3.4).
    private static let rates: [UInt32] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]
}

extension Structure {
    /// The bytes of `codec_data`; `nil` if there are none, or more than fit into a movie.
    fileprivate var configuration: [UInt8]? {
        guard case .buffer(let buffer) = fields["codec_data"], buffer.count <= 0xFFFF else { return nil }
        return try? buffer.bytes()
    }
}

extension Array {
    fileprivate func element(_ index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

/// Reads numbers of a few bits, the highest bit first.
private struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next number of at most 32 bits; `nil` if the bytes end before.
    mutating func next(_ count: Int) -> UInt32? {
        guard position + count <= 8 * bytes.count else { return nil }
        defer { position += count }
        return (position..<(position + count)).reduce(0) { value, bit in
            value << 1 | UInt32(bytes[bit / 8] >> (7 - UInt8(bit % 8)) & 1)
        }
    }
}
