// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// A short sound: a few notes, one after the other.
struct ChimeTone: Sendable, Hashable {
    /// A sine that fades.
    struct Note: Sendable, Hashable {
        /// In Hertz.
        let pitch: Double
        /// In samples.
        let length: Int

        init(_ pitch: Double, milliseconds: Int) {
            self.pitch = pitch
            length = milliseconds * ChimeTone.rate / 1000
        }
    }

    /// Its notes, in order.
    let notes: [Note]

    /// A second of a countdown.
    static let tick = ChimeTone(notes: [Note(880, milliseconds: 70)])
    /// The picture is taken.
    static let shot = ChimeTone(notes: [Note(1319, milliseconds: 60), Note(1760, milliseconds: 140)])
    /// It begins anew.
    static let abort = ChimeTone(notes: [Note(220, milliseconds: 350)])
    /// All is done: a major chord, upwards.
    static let done = ChimeTone(
        notes: [Note(523, milliseconds: 110), Note(659, milliseconds: 110), Note(784, milliseconds: 320)])
}

extension ChimeTone {
    /// Samples a second.
    static let rate = 48_000

    /// What the samples are, as caps.
    static let caps = "audio/x-raw,format=S16LE,layout=interleaved,rate=\(rate),channels=1"

    /// A quarter of what is possible: nobody is to be startled.
    private static let amplitude = 8192.0

    /// How long it is heard.
    var duration: Duration { .seconds(1) * notes.reduce(0) { $0 + $1.length } / Self.rate }

    /// Its samples.
    var samples: [Int16] { notes.flatMap(Self.samples) }

    /// Its samples as a pipeline takes them.
    func buffer() throws(PipelineError) -> Buffer {
        try Buffer(
            samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] },
            presentationTime: .zero)
    }

    /// It begins within some milliseconds, and fades to nothing: what begins or ends at once is heard as a click.
    private static func samples(of note: Note) -> [Int16] {
        let rise = Double(rate) * 0.004
        return (0..<note.length).map { index in
            let (time, rest) = (Double(index), Double(note.length - index) / Double(note.length))
            let envelope = min(1, time / rise) * rest * rest
            return Int16(amplitude * envelope * sin(2 * .pi * note.pitch * time / Double(rate)))
        }
    }
}
