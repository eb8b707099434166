// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

@Suite(.timeLimit(.minutes(5))) struct `The sounds of a session` {
    private let folder: TemporaryFolder
    private let reports = Reports()

    init() throws { folder = try TemporaryFolder() }

    /// The file of the last attempt to play a tone. A late pipeline is stopped in the background, and can still write to
    /// its file.
    private var file: String { folder.path + "/sound-\(reports.attempts).raw" }

    private func chime(_ sound: SoundRequest) -> Chime { Chime(sound) { [reports] in reports.add($0) } }

    /// Plays a tone to a sink. If a busy machine exceeds the time limits of the sound, which are at least three seconds
    /// long, it plays the tone again.
    private func play(_ tone: ChimeTone, to elements: String) async {
        var isLate = true
        while isLate {
            self.reports.beginAttempt()
            let sink = "\(elements) ! filesink location=\(file)"
            let (reports, start) = (Reports(), ContinuousClock.now)
            let chime = Chime(.elements(sink)) { reports.add($0) }
            chime.play(tone)
            await chime.close()
            isLate = !reports.all.isEmpty && start.duration(to: .now) > .milliseconds(2900)
            #expect(isLate || reports.all.isEmpty)
        }
    }

    /// The notes in the file, each with its peak level and its pitch in Hz, measured by zero crossings.
    private func heard() throws -> [(peak: Int, pitch: Double)] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
        }
        // Each note fades out: a hundredth of a second that is almost silent separates notes.
        let parts = stride(from: 0, to: samples.count, by: 240).map {
            Array(samples[$0..<min($0 + 240, samples.count)])
        }
        var notes: [[Int]] = [[]]
        for part in parts {
            if (part.map(abs).max() ?? 0) < 60 { notes.append([]) } else { notes[notes.count - 1] += part }
        }
        return notes.filter { $0.count > 480 }.map { note in
            let crossings = zip(note, note.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            return (note.map(abs).max() ?? 0, Double(crossings) / 2 / Double(note.count) * Double(ChimeTone.rate))
        }
    }

    @Test func `Each requested sound is played once, at its pitches`() async throws {
        var heard: [(peak: Int, pitch: Double)] = []
        for tone in [ChimeTone.tick, .tick, .tick, .shot, .abort, .done] {
            await play(tone, to: ChimeTone.caps)
            heard += try self.heard()
        }
        let pitches = [880.0, 880, 880, 1319, 1760, 220, 523, 659, 784]
        #expect(heard.count == pitches.count)
        for (note, pitch) in zip(heard, pitches) {
            #expect(abs(note.pitch - pitch) < pitch * 0.05)
            #expect(note.peak > 4000 && note.peak <= 8192)
        }
    }

    @Test func `A sound can be encoded as a WAV file`() async throws {
        await play(.tick, to: "wavenc")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        #expect(bytes.starts(with: Array("RIFF".utf8)) && bytes.count > ChimeTone.tick.samples.count)
    }

    @Test func `A chime without an output plays nothing, neither before nor after its end`() async {
        let chime = chime(.off)
        chime.play(.tick)
        await chime.close()
        chime.play(.done)
        #expect(reports.all.isEmpty && !FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: [
        "no-such-sink", "filesink location=/nowhere/at/all", "identity error-after=1 ! fakesink",
        // autoaudiosink does not fail if it finds no loudspeaker.
        "autoaudiosink name=loudspeaker filter-caps=audio/x-nothing",
    ])
    func `A sound that cannot be played is reported once, and the chime ends`(sink: String) async {
        let chime = chime(.elements(sink))
        for _ in 0..<5 { chime.play(.tick) }
        await chime.close()
        chime.play(.tick)
        #expect(reports.all.count == 1 && reports.all.first?.subject == "sound")
    }

    @Test func `A chime ends with or without a loudspeaker`() async {
        let chime = chime(.automatic)
        chime.play(.tick)
        await chime.close()
        #expect(reports.all.count <= 1)
    }

    @Test func `A tone begins and ends in silence, so that it does not click`() {
        for tone in [ChimeTone.tick, .shot, .abort, .done] {
            #expect(tone.samples.first == 0 && abs(tone.samples.last ?? 1) < 8)
            #expect(tone.duration < .seconds(1))
        }
    }
}

/// The errors that the chime reported, and the number of attempts to play a tone.
private final class Reports: Sendable {
    private let list = Mutex<[CaptureError]>([])
    private let count = Atomic(0)

    var attempts: Int { count.load(ordering: .relaxed) }

    func beginAttempt() { count.add(1, ordering: .relaxed) }

    var all: [CaptureError] { list.withLock { $0 } }

    func add(_ error: CaptureError) { list.withLock { $0.append(error) } }
}
