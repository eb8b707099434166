// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// A short sound: a few notes, one after the other.
struct ChimeTone: Sendable, Hashable {
    /// A sine that fades.
    struct Note: Sendable, Hashable {
        /// The frequency in Hz.
        let pitch: Double
        /// The length in samples.
        let length: Int

        init(_ pitch: Double, milliseconds: Int) {
            self.pitch = pitch
            length = milliseconds * ChimeTone.rate / 1000
        }
    }

    /// The notes, in order.
    let notes: [Note]

    /// Marks a second of a countdown.
    static let tick = ChimeTone(notes: [Note(880, milliseconds: 70)])
    /// Marks the capture of a picture.
    static let shot = ChimeTone(notes: [Note(1319, milliseconds: 60), Note(1760, milliseconds: 140)])
    /// Marks an abort.
    static let abort = ChimeTone(notes: [Note(220, milliseconds: 350)])
    /// Marks the end of an accepted session: a rising major chord.
    static let done = ChimeTone(
        notes: [Note(523, milliseconds: 110), Note(659, milliseconds: 110), Note(784, milliseconds: 320)])
}

extension ChimeTone {
    /// Samples per second.
    static let rate = 48_000

    /// The caps of the samples.
    static let caps = "audio/x-raw,format=S16LE,layout=interleaved,rate=\(rate),channels=1"

    /// A quarter of full scale, so that a tone does not startle the user.
    private static let amplitude = 8192.0

    /// The length of the tone.
    var duration: Duration { .seconds(1) * notes.reduce(0) { $0 + $1.length } / Self.rate }

    /// The samples of all notes.
    var samples: [Int16] { notes.flatMap(Self.samples) }

    /// The samples as a buffer with ``caps``.
    func buffer() throws(PipelineError) -> Buffer {
        try Buffer(
            samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] },
            presentationTime: .zero)
    }

    /// Rises within 4 ms and fades to zero: a sudden start or end is heard as a click.
    private static func samples(of note: Note) -> [Int16] {
        let rise = Double(rate) * 0.004
        return (0..<note.length).map { index in
            let (time, rest) = (Double(index), Double(note.length - index) / Double(note.length))
            let envelope = min(1, time / rise) * rest * rest
            return Int16(amplitude * envelope * sin(2 * .pi * note.pitch * time / Double(rate)))
        }
    }
}
