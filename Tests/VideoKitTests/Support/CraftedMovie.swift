// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Boxes that are written number by number.
enum CraftedMovie {
    /// Returns a box of 32-bit size.
    static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
        let content = content.flatMap { $0 }
        return words(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    /// Returns big-endian numbers.
    static func words(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    }

    /// Returns the header of a movie with one track, which has the ID 1 and 1,000 units a second.
    static func header(sampleSize: UInt32 = 0, editTime: UInt32? = nil) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 60)
        let edits = editTime.map { box("edts", box("elst", words(0, 1, 0, $0, 0x1_0000))) } ?? []
        let media = box("mdhd", words(0, 0, 0, 1000, 0, 0))
        let table = box("stbl", box("stsd", words(0, 1), box("avc1", [UInt8](repeating: 0, count: 8))))
        let track = box(
            "trak", box("tkhd", words(7, 0, 0, 1, 0, 0), zeros), edits, box("mdia", media, box("minf", table)))
        return box(
            "moov", box("mvhd", words(0, 0, 0, 1000, 0), zeros), track,
            box("mvex", box("trex", words(0, 1, 1, 10, sampleSize, 0))))
    }

    /// Returns a fragment whose samples have the defaults of their track.
    static func fragment(count: UInt32, time: UInt32 = 0) -> [UInt8] {
        box(
            "moof", box("mfhd", words(0, 1)),
            box(
                "traf", box("tfhd", words(0x2_0000, 1)), box("tfdt", words(0, time)),
                box("trun", words(1, count, 100))))
    }

    /// Returns a fragment of samples with a duration and a size each, one after the other from byte 100 of it on.
    static func fragment(time: UInt32, _ samples: [(duration: UInt32, size: UInt32)]) -> [UInt8] {
        box(
            "moof", box("mfhd", words(0, 1)),
            box(
                "traf", box("tfhd", words(0x2_0000, 1)), box("tfdt", words(0, time)),
                box("trun", words(0x301, UInt32(samples.count), 100), samples.flatMap { words($0.duration, $0.size) })))
    }
}
