// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How an encoder of H.264 encodes live video: always without B-frames and look-ahead, so that a frame leaves the encoder
/// before the next one enters.
package struct EncoderSettings: Sendable, Hashable {
    /// A set of H.264 features that decoders support (ITU-T H.264, A.2).
    package enum Profile: String, Sendable, Hashable {
        /// The features that every decoder supports, those of browsers' WebRTC included.
        case constrainedBaseline = "constrained-baseline"
        /// About a tenth fewer bits for the same picture, for more processor time.
        case main
    }

    /// Bits per second.
    package var bitRate: Int
    /// The number of frames from one key frame to the next; `nil` for one second by capture time, at any frame rate.
    package var keyInterval: Int?
    /// The threads that an encoder in software uses.
    package var threads: Int
    /// The profile of the stream.
    package var profile: Profile

    /// Creates settings.
    package init(
        bitRate: Int = 2_500_000, keyInterval: Int? = nil, threads: Int = 1, profile: Profile = .constrainedBaseline
    ) {
        self.bitRate = bitRate
        self.keyInterval = keyInterval
        self.threads = threads
        self.profile = profile
    }

    /// The time from one key frame to the next; `nil` if frames are counted instead.
    var keyFramePeriod: Duration? { keyInterval == nil ? .seconds(1) : nil }

    /// The key frame interval for the encoder's own count. If the time counts, the encoder must not be earlier.
    var frameInterval: Int { keyInterval.map { max(1, $0) } ?? 600 }

    /// The bit rate in kbit/s, rounded up.
    var kilobits: Int { max(1, (bitRate + 999) / 1000) }
}
