// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The times of a clip: turns moments of capture into decode times and durations.
///
/// Time 0 is the capture of the first picture. A picture lasts until the next one, so the last picture is held back until
/// then. A packet of sound keeps its time: sound that begins late, or has a gap, does not move.
package struct ClipTimeline: Sendable {
    /// The deviation of sound from the end of the packet before it, in seconds, up to which it follows without a gap: the
    /// times of drivers jitter.
    private static let soundTolerance = 0.001
    /// The most packets of sound that wait for the first picture: 5 s of AAC at 48 kHz.
    private static let mostEarlySound = 256

    /// When the first picture was captured; `nil` before it.
    package private(set) var start: ClockTime?
    /// The packets of sound that are left out: they were captured before the first picture, or at the time of a packet
    /// that is already written.
    package private(set) var droppedSoundCount = 0
    /// The last picture. Its duration is that of the picture before it.
    private var held: FragmentWriter.AccessUnit?
    private var earlySound: [(bytes: [UInt8], time: ClockTime)] = []
    /// The end of the last packet of sound, in its timescale.
    private var soundEnd: UInt64?
    private let sound: SoundFormat?

    /// Creates the times of a clip.
    ///
    /// - Parameter sound: The format of the sound; `nil` for a silent clip.
    package init(sound: SoundFormat?) { self.sound = sound }

    /// Adds a picture. Pictures must come in the order of their capture: a picture with an earlier time than the one
    /// before it is shown right after that.
    ///
    /// - Returns: The units that can be written now, in this order.
    /// - Throws: ``CaptureError`` of kind `software` if the first picture is not a key frame.
    package mutating func addPicture(
        _ bytes: [UInt8], at time: ClockTime, isKey: Bool
    ) throws(CaptureError) -> [FragmentWriter.AccessUnit] {
        let scale = FragmentWriter.videoTimescale
        guard let start, var previous = held else {
            guard isKey else { throw CaptureError(.software, "a clip must begin with a key frame") }
            self.start = time
            // The duration of a clip of one picture.
            held = .init(.video, bytes, decodeTime: 0, duration: scale / 30, isKey: true)
            return takeEarlySound()
        }
        let ticks = UInt64(max(0, Timescale.ticks(Int((time - start).nanoseconds), in: scale)))
        let next = max(ticks, previous.decodeTime + 1)
        previous.duration = UInt32(clamping: next - previous.decodeTime)
        held = .init(.video, bytes, decodeTime: next, duration: previous.duration, isKey: isKey)
        return [previous]
    }

    /// Adds a packet of sound. Packets before the first picture wait for it.
    ///
    /// - Returns: The units that can be written now.
    package mutating func addSound(_ bytes: [UInt8], at time: ClockTime) -> [FragmentWriter.AccessUnit] {
        guard let sound else { return [] }
        guard let start else {
            earlySound.append((bytes, time))
            guard earlySound.count > Self.mostEarlySound else { return [] }
            earlySound.removeFirst()
            droppedSoundCount += 1
            return []
        }
        let rate = sound.audio.sampleRate
        let ticks = Timescale.ticks(Int((time - start).nanoseconds), in: UInt32(rate))
        guard let time = soundTime(ticks, sound) else {
            droppedSoundCount += 1
            return []
        }
        soundEnd = time + UInt64(sound.samplesPerPacket)
        return [
            .init(.audio, bytes, decodeTime: time, duration: UInt32(sound.samplesPerPacket), isKey: true)
        ]
    }

    /// Returns the last picture.
    ///
    /// - Parameter time: When the next picture was captured, which ends it; `nil` if there is none: it lasts as long as the
    ///   one before it.
    package mutating func end(at time: ClockTime? = nil) -> FragmentWriter.AccessUnit? {
        guard var last = held.take() else { return nil }
        if let start, let time {
            let ticks = Timescale.ticks(Int((time - start).nanoseconds), in: FragmentWriter.videoTimescale)
            if ticks > Int(last.decodeTime) { last.duration = UInt32(clamping: ticks - Int(last.decodeTime)) }
        }
        return last
    }

    private mutating func takeEarlySound() -> [FragmentWriter.AccessUnit] {
        defer { earlySound = [] }
        return earlySound.flatMap { addSound($0.bytes, at: $0.time) }
    }

    /// Returns the decode time of a packet that was captured at a time; `nil` if it has no place.
    private func soundTime(_ ticks: Int, _ sound: SoundFormat) -> UInt64? {
        guard ticks >= 0 else { return nil }
        guard let end = soundEnd else { return UInt64(ticks) }
        let deviation = ticks - Int(end)
        if Double(abs(deviation)) <= Self.soundTolerance * Double(sound.audio.sampleRate) { return end }
        // A packet that overlaps the one before it by less than a half shortens that: the clock of the microphone is
        // slower than the system's.
        return deviation > -sound.samplesPerPacket / 2 ? UInt64(ticks) : nil
    }
}
