// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import CropKit
import PipelineKit
import Synchronization
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

/// Judges each frame on a session's preview and records the result as a sight.
final class PreviewWitness<Sight: Sendable & Equatable>: Sendable {
    /// A frame as the screen receives it, in rows of red, green, blue.
    struct Picture {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate let stride: Int

        /// Red, green and blue of a pixel.
        subscript(x: Int, y: Int) -> (red: Int, green: Int, blue: Int) {
            let start = y * stride + x * 3
            return (Int(bytes[start]), Int(bytes[start + 1]), Int(bytes[start + 2]))
        }
    }

    /// The preview that the session must have.
    let request: PreviewRequest

    private let judge: @Sendable (Picture) -> Sight
    private let frames = AsyncStream.makeStream(of: (number: Int, sight: Sight).self)
    private let notes = Mutex<[(sight: Sight, time: ClockTime)]>([])
    private let info: VideoInfo

    init(_ size: PreviewSize, _ judge: @escaping @Sendable (Picture) -> Sight) throws {
        info = try VideoInfo(format: "RGB", width: size.width, height: size.height)
        var request = PreviewRequest()
        (request.width, request.height) = (size.width, size.height)
        request.sink = .elements("video/x-raw,format=RGB ! fakesink name=shown sync=false")
        self.request = request
        self.judge = judge
    }

    /// Starts to judge the preview of a session that has begun.
    func watch(_ controller: SessionController) throws {
        let sink = try #require(controller.screenPipeline).element(named: "shown")
        try #require(sink.pad("sink")).probeBuffers { [self] buffer in
            let time = PipelineClock.system.now
            let sight = try? buffer.withVideoFrame(info) { frame in
                frame.withPlane(0) { bytes, layout in
                    bytes.withUnsafeBytes { judge(Picture(bytes: $0, stride: layout.stride)) }
                }
            }
            guard let sight = sight ?? nil else { return .pass }
            let number = notes.withLock { notes in
                notes.append((sight, time))
                return notes.count - 1
            }
            frames.continuation.yield((number, sight))
            return .pass
        }
    }

    /// Waits for a frame with this sight and returns the frame's number. Only one task may wait. If the sight does not
    /// come, the test fails with the last sights, and later calls throw at once.
    ///
    /// - Parameter first: The first frame that counts; `nil` for the next one.
    @discardableResult
    func wait(
        for wanted: Sight, from first: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Int {
        let start = first ?? notes.withLock(\.count)
        return try await awaiting("a frame \(wanted)", seen: self.summary, sourceLocation: sourceLocation) {
            for await frame in self.frames.stream where frame.number >= start && frame.sight == wanted {
                return frame.number
            }
            throw CancellationError()
        }
    }

    /// The number of frames, and the last sights.
    private var summary: String {
        let last = changes().suffix(8).map { "\($0.sight)" }.joined(separator: ", ")
        return "\(notes.withLock(\.count)) frames, the last of them \(last)"
    }

    /// The sights from a frame on, without repetitions, each with the time of its first frame.
    func changes(from number: Int = 0) -> [(sight: Sight, time: ClockTime)] {
        notes.withLock { notes in
            notes.dropFirst(number).reduce(into: []) { if $0.last?.sight != $1.sight { $0.append($1) } }
        }
    }
}
