// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit

@Suite(.timeLimit(.minutes(5))) struct `The sounds of a session` {
    private let folder: TemporaryFolder
    private let reports = Reports()

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.path + "/sound.raw" }

    private func chime(_ sound: SoundRequest) -> Chime { Chime(sound) { [reports] in reports.add($0) } }

    /// The notes in the file, each with its peak level and its pitch in Hz, measured by zero crossings.
    private func heard() throws -> [(peak: Int, pitch: Double)] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8))
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

    @Test func `are as many as were asked for, each in its pitch`() async throws {
        let sink = "\(ChimeTone.caps) ! filesink append=true location=\(file)"
        for tone in [ChimeTone.tick, .tick, .tick, .shot, .abort, .done] {
            let chime = chime(.elements(sink))
            chime.play(tone)
            await chime.close()
        }
        let heard = try heard()
        let pitches = [880.0, 880, 880, 1319, 1760, 220, 523, 659, 784]
        #expect(heard.count == pitches.count && reports.all.isEmpty)
        for (note, pitch) in zip(heard, pitches) {
            #expect(abs(note.pitch - pitch) < pitch * 0.05)
            #expect(note.peak > 4000 && note.peak <= 8192)
        }
    }

    @Test func `are a file that players know, one after the other`() async throws {
        let chime = chime(.elements("wavenc ! filesink location=\(file)"))
        chime.play(.tick)
        await chime.close()
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        #expect(bytes.starts(with: Array("RIFF".utf8)) && bytes.count > ChimeTone.tick.samples.count)
    }

    @Test func `are none where none are wanted, nor after the end`() async {
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
    func `that are not to be had are told of once, and hold up nobody`(sink: String) async {
        let chime = chime(.elements(sink))
        for _ in 0..<5 { chime.play(.tick) }
        await chime.close()
        chime.play(.tick)
        #expect(reports.all.count == 1 && reports.all.first?.subject == "sound")
    }

    @Test func `end, whether there is a loudspeaker or not`() async {
        let chime = chime(.automatic)
        chime.play(.tick)
        await chime.close()
        #expect(reports.all.count <= 1)
    }

    @Test func `begin and end with nothing, so that nobody hears a click`() {
        for tone in [ChimeTone.tick, .shot, .abort, .done] {
            #expect(tone.samples.first == 0 && abs(tone.samples.last ?? 1) < 8)
            #expect(tone.duration < .seconds(1))
        }
    }
}

/// The errors that the chime reported.
private final class Reports: Sendable {
    private let list = Mutex<[CaptureError]>([])

    var all: [CaptureError] { list.withLock { $0 } }

    func add(_ error: CaptureError) { list.withLock { $0.append(error) } }
}
