// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Values with the number of their repetitions, as `stts`, `ctts` and `stsc` store them.
private struct RunLengths<Value: Equatable & Sendable>: Sendable {
    private(set) var runs: [(count: UInt32, value: Value)] = []

    mutating func append(_ value: Value) {
        if let last = runs.last, last.value == value {
            runs[runs.count - 1].count += 1
        } else {
            runs.append((1, value))
        }
    }

    /// Changes the last value. There must be one.
    mutating func replaceLast(_ value: Value) {
        let last = runs.removeLast()
        if last.count > 1 { runs.append((last.count - 1, last.value)) }
        append(value)
    }
}

/// The samples of a track: their sizes, times and positions in the file (ISO/IEC 14496-12, 8.6 and 8.7).
///
/// A sample needs 4 bytes, and up to 24 more if its duration, composition offset and kind differ from those of the sample
/// before it.
struct SampleTable: Sendable {
    /// One sample of a track fragment, in the timescale of its track.
    struct Sample {
        var size: UInt32
        var duration: UInt32
        var flags: UInt32
        var compositionOffset: Int32 = 0

        /// `false` for a key frame: `sample_is_non_sync_sample` (8.8.3.1).
        fileprivate var isDependent: Bool { flags & 0x1_0000 != 0 }
    }

    private var sizes: [UInt32] = []
    private var durations = RunLengths<UInt32>()
    private var compositionOffsets = RunLengths<Int32>()
    /// The numbers of the key frames from the first sample on that is none; before it all are key frames.
    private var laterKeys: [UInt32] = []
    /// The number of key frames before the first sample that is none.
    private var leadingKeys = 0
    private var chunkOffsets: [UInt64] = []
    /// The number of samples of each chunk.
    private var chunkCounts = RunLengths<UInt32>()

    /// The decode time of the first sample, as its fragment states it.
    private(set) var start: UInt64?
    /// The sum of all durations, in the timescale of the track.
    private(set) var duration: UInt64 = 0
    /// The earliest composition time of all samples, relative to the decode time of the first; 0 without samples.
    var earliestComposition: Int64 { earliest ?? 0 }
    private var earliest: Int64?

    /// The number of samples.
    var count: Int { sizes.count }

    /// Sets the decode time of the next sample (`tfdt`, 8.8.12). The last sample so far lasts until then, at most the
    /// 32 bits of a duration; if it began later, it lasts 0.
    mutating func resume(at time: UInt64) {
        guard let first = start, let last = durations.runs.last?.value else {
            start = time
            return
        }
        let before = duration - UInt64(last)
        let relative = time > first ? time - first : 0
        let length = relative > before ? relative - before : 0
        durations.replaceLast(UInt32(clamping: length))
        duration = before + UInt64(UInt32(clamping: length))
    }

    mutating func append(_ sample: Sample) {
        sizes.append(sample.size)
        appendKind(isKey: !sample.isDependent)
        let composition = Int64(duration) + Int64(sample.compositionOffset)
        earliest = min(earliest ?? composition, composition)
        durations.append(sample.duration)
        compositionOffsets.append(sample.compositionOffset)
        duration += UInt64(sample.duration)
    }

    private mutating func appendKind(isKey: Bool) {
        if isKey, leadingKeys == sizes.count - 1 {
            leadingKeys += 1
        } else if isKey {
            laterKeys.append(UInt32(sizes.count))
        }
    }

    /// Makes the last samples a chunk that begins at an offset in the file.
    mutating func endChunk(at offset: UInt64, sampleCount: UInt32) {
        chunkOffsets.append(offset)
        chunkCounts.append(sampleCount)
    }
}

// MARK: - Boxes

extension SampleTable {
    /// The maximum size of the boxes in bytes, without the sample description.
    var mostBytes: Int {
        let keys = leadingKeys + laterKeys.count
        let runs = 8 * (durations.runs.count + compositionOffsets.runs.count) + 12 * chunkCounts.runs.count
        return 128 + 4 * (sizes.count + keys) + 8 * chunkOffsets.count + runs
    }

    /// Writes `stbl` with the sample description `stsd` of the track.
    func write(description: [UInt8], to writer: inout BoxWriter) {
        writer.box("stbl") { writer in
            writer.put(description)
            writeTimes(&writer)
            writeKeys(&writer)
            writeChunks(&writer)
            writeSizes(&writer)
            writeOffsets(&writer)
        }
    }

    /// Writes `stts` and `ctts` (8.6.1.2, 8.6.1.3). Composition offsets of 0 alone need no box.
    private func writeTimes(_ writer: inout BoxWriter) {
        writer.fullBox("stts") { Self.write(durations, to: &$0) }
        guard compositionOffsets.runs.contains(where: { $0.value != 0 }) else { return }
        let hasNegative = compositionOffsets.runs.contains { $0.value < 0 }
        writer.fullBox("ctts", version: hasNegative ? 1 : 0) { Self.write(compositionOffsets, to: &$0) }
    }

    private static func write(_ lengths: RunLengths<some FixedWidthInteger>, to writer: inout BoxWriter) {
        writer.put(UInt32(lengths.runs.count))
        for run in lengths.runs {
            writer.put(run.count)
            writer.put(run.value)
        }
    }

    /// Writes `stss` (8.6.2). If all samples are key frames, the standard has no box.
    private func writeKeys(_ writer: inout BoxWriter) {
        guard leadingKeys < count else { return }
        writer.fullBox("stss") { writer in
            writer.put(UInt32(leadingKeys + laterKeys.count))
            for number in 0..<leadingKeys { writer.put(UInt32(number + 1)) }
            for number in laterKeys { writer.put(number) }
        }
    }

    /// Writes `stsc` (8.7.4), with the first sample description for all.
    private func writeChunks(_ writer: inout BoxWriter) {
        writer.fullBox("stsc") { writer in
            writer.put(UInt32(chunkCounts.runs.count))
            var first: UInt32 = 1
            for run in chunkCounts.runs {
                writer.put(first)
                writer.put(run.value)
                writer.put(1 as UInt32)
                first += run.count
            }
        }
    }

    /// Writes `stsz` (8.7.3.2).
    private func writeSizes(_ writer: inout BoxWriter) {
        writer.fullBox("stsz") { writer in
            writer.put(0 as UInt32)
            writer.put(UInt32(sizes.count))
            for size in sizes { writer.put(size) }
        }
    }

    /// Writes `stco`, or `co64` if a chunk begins beyond 4 GiB (8.7.5).
    private func writeOffsets(_ writer: inout BoxWriter) {
        let isLarge = chunkOffsets.contains { $0 > UInt64(UInt32.max) }
        writer.fullBox(isLarge ? "co64" : "stco") { writer in
            writer.put(UInt32(chunkOffsets.count))
            for offset in chunkOffsets {
                if isLarge { writer.put(offset) } else { writer.put(UInt32(truncatingIfNeeded: offset)) }
            }
        }
    }
}
