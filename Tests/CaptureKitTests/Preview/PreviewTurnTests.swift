// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Dispatch
import PipelineKit
import StillKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite(.timeLimit(.minutes(5)))
struct `The orientation of preview frames` {
    /// Returns a JPEG frame with an orientation tag.
    private func frame(tagged orientation: Orientation) async throws -> Sample {
        let camera = try await FourFields()
        _ = try await camera.source(tagged: orientation)
        let bytes = try RegularFile.read(camera.folder.path + "/tagged.jpg", most: 1 << 20)
        return Sample(try Buffer(bytes), caps: try Caps("image/jpeg"))
    }

    /// A report of a format and an orientation.
    private struct Report: Sendable, Equatable {
        let width: Int
        let orientation: Orientation
    }

    @Test func `A change of the orientation reports the newest format`() async throws {
        let reports = Mutex<[Report]>([])
        let description = PreviewDescription(PreviewRequest(), of: .jpeg)
        let turn = try PreviewTurn(description, in: Pipeline(description.lens)) { format, orientation in
            reports.withLock { $0.append(Report(width: format.width, orientation: orientation)) }
        }
        let (turned, upright) = (try await frame(tagged: .turnedRight), try await frame(tagged: .upright))
        turn.readTags(of: turned)
        var list = reports.withLock { $0 }
        #expect(list == [])
        for width in [320, 640] { turn.setFormat(try VideoInfo(format: "I420", width: width, height: 240)) }
        turn.readTags(of: turned)
        turn.readTags(of: upright)
        list = reports.withLock { $0 }
        #expect(
            list == [
                Report(width: 320, orientation: .turnedRight), Report(width: 640, orientation: .turnedRight),
                Report(width: 640, orientation: .upright),
            ])
    }

    @Test func `Reports never return to an earlier format if another thread changes the orientation`() async throws {
        let reports = Mutex<[Report]>([])
        let description = PreviewDescription(PreviewRequest(), of: .jpeg)
        let turn = try PreviewTurn(description, in: Pipeline(description.lens)) { format, orientation in
            reports.withLock { $0.append(Report(width: format.width, orientation: orientation)) }
        }
        let frames = [try await frame(tagged: .turnedRight), try await frame(tagged: .upright)]
        let formats = try (1...1000).map { try VideoInfo(format: "I420", width: $0, height: 240) }
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for index in formats.indices {
                if thread == 0 { turn.setFormat(formats[index]) } else { turn.readTags(of: frames[index % 2]) }
            }
        }
        let list = reports.withLock { $0 }
        #expect(list.map(\.width) == list.map(\.width).sorted())
        #expect(list.last == Report(width: 1000, orientation: .upright))
    }
}
