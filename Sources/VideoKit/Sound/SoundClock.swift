// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import SystemBase

/// The clock of a microphone: the times of its sound by the number of samples, and their deviation from its timestamps.
///
/// The clock of a microphone differs from the system's by up to some 100 parts per million: 0.2 s in half an hour. Sources
/// of sound stamp each buffer on the system's clock, but the elements behind them count samples: `audioresample` ignores
/// timestamps until they deviate by 31 ms. So these elements get times that fit the number of samples, and the deviation is
/// added to the encoded packets.
package struct SoundClock: Sendable, Hashable {
    /// A deviation that changes by more than this from one buffer to the next, in nanoseconds, is a gap: samples are lost.
    /// It is longer than the deviation at which `audioresample` begins again.
    private static let gap: Int64 = 50_000_000
    /// The deviation is the median of this many buffers, mostly of 10 ms: timestamps of drivers jitter by some ms.
    private static let windowSize = 64

    /// The deviation of the timestamps from the times, in nanoseconds.
    package private(set) var deviation: Int64 = 0
    private let rate: Int
    /// The time of the last full second of samples, in nanoseconds; `nil` before the first sample.
    private var origin: Int64?
    /// The samples since then, fewer than `rate`.
    private var sampleCount = 0
    /// The last deviations, in nanoseconds; the next one replaces that at the index `oldest`.
    private var window: [Int64] = []
    private var oldest = 0

    /// Creates a clock.
    ///
    /// - Parameter rate: Samples a second.
    package init(rate: Int) {
        self.rate = min(max(1, rate), 1 << 31)
        window.reserveCapacity(Self.windowSize)
    }

    /// Adds a buffer.
    ///
    /// - Parameters:
    ///   - sampleCount: The number of its samples, of one channel.
    ///   - time: Its timestamp.
    /// - Returns: Its time by the number of samples.
    package mutating func add(_ sampleCount: Int, at time: ClockTime) -> ClockTime {
        // A quarter of the range: sums and differences cannot overflow.
        let stamp = Int64(min(time.nanoseconds, UInt64(Int64.max) / 4))
        var start = origin ?? stamp
        let elapsed = Int64(self.sampleCount) * 1_000_000_000 / Int64(rate)
        var current = stamp - start - elapsed
        if abs(current - deviation) > Self.gap {
            start += current - deviation
            current = deviation
            window.removeAll(keepingCapacity: true)
            oldest = 0
        }
        // No buffer has a million samples.
        let total = self.sampleCount + min(max(0, sampleCount), 1 << 20)
        let (seconds, rest) = total.quotientAndRemainder(dividingBy: rate)
        (origin, self.sampleCount) = (start + Int64(seconds) * 1_000_000_000, rest)
        keep(current)
        return ClockTime(nanoseconds: UInt64(max(0, start + elapsed)))
    }

    private mutating func keep(_ current: Int64) {
        if window.count < Self.windowSize {
            window.append(current)
        } else {
            window[oldest] = current
            oldest = (oldest + 1) % Self.windowSize
        }
        deviation = window.sorted()[window.count / 2]
    }
}

/// The format of raw sound: it decides how many samples a buffer has.
package struct RawSound: Sendable, Hashable {
    /// Samples a second.
    package let rate: Int
    /// The bytes of a sample of all channels.
    package let bytesPerSample: Int

    /// Reads the format from caps; `nil` if they are not those of raw sound.
    package init?(_ caps: Caps) {
        guard let format = caps.structures.first, format.name == "audio/x-raw",
            let rate = format["rate", as: Int.self], let channels = format["channels", as: Int.self],
            let name = format["format", as: String.self], rate > 0, (1...1024).contains(channels),
            let width = Self.width(of: name)
        else { return nil }
        (self.rate, bytesPerSample) = (rate, width * channels)
    }

    /// Returns the bytes of a sample in a format of GStreamer, such as `S16LE`, `S24_32LE` (24 bits in 4 bytes) and
    /// `S20LE` (20 bits in 3 bytes); `nil` if the name has no number of bits.
    private static func width(of name: String) -> Int? {
        guard let bits = name.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) }), (8...64).contains(bits)
        else { return nil }
        return (bits + 7) / 8
    }
}

/// Gives the sound that passes a pad the times of its ``SoundClock``.
final class SoundTimes: Sendable {
    private struct State {
        var format: RawSound?
        var clock = SoundClock(rate: 1)
    }

    private let state = Mutex(State())

    init() {}

    /// The deviation that packets need that arrive now: their own times lack it.
    var deviation: Duration { state.withLock { .nanoseconds($0.clock.deviation) } }

    /// Changes the times of the sound that passes a pad from now on.
    func attach(to pad: Pad) throws(PipelineError) {
        try pad.probeEvents { [weak self] event in
            if case .caps(let caps) = event { self?.follow(caps) }
            return .pass
        }
        try pad.probeBuffers { [weak self] buffer in
            self?.change(&buffer)
            return .pass
        }
    }

    private func follow(_ caps: Caps) {
        let format = RawSound(caps)
        state.withLock { state in
            guard state.format != format else { return }
            state = State(format: format, clock: SoundClock(rate: format?.rate ?? 1))
        }
    }

    /// Copies the buffer: it has a few kilobytes, and comes a hundred times a second.
    private func change(_ buffer: inout ProbedBuffer) {
        guard let stamp = buffer.presentationTime, let bytes = try? buffer.retained().bytes() else { return }
        let time: ClockTime? = state.withLock { state in
            guard let format = state.format else { return nil }
            return state.clock.add(bytes.count / format.bytesPerSample, at: stamp)
        }
        guard let time, time != stamp,
            let changed = try? Buffer(bytes, presentationTime: time, duration: buffer.duration, flags: buffer.flags)
        else { return }
        buffer.replace(with: changed)
    }
}
