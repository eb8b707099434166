// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import PipelineKit
import StillKit
import Testing

@testable import CaptureKit
@testable import SessionKit
@testable import SessionModel

@Suite("Codes that fill in fields", .timeLimit(.minutes(2)))
struct SessionCodeTests {
    /// The QR code of `M-0042`.
    private static let code = """
        #######..#..#.#######
        #.....#.#..#..#.....#
        #.###.#..#....#.###.#
        #.###.#.#..#..#.###.#
        #.###.#...###.#.###.#
        #.....#.###.#.#.....#
        #######.#.#.#.#######
        ..........###........
        #####.####..##.#.#.#.
        .......#....#..#.#..#
        #.....#..###.#..###..
        ##.##..#..#....##.##.
        #....###...#.#..##.##
        ........##.#####..#..
        #######.#...#.##..##.
        #.....#...#######.#.#
        #.###.#.###.#..#.#.#.
        #.###.#.###.#.#...#..
        #.###.#.#.##.#.#..#..
        #.....#.##.....#..#..
        #######.#..#.#...#.#.
        """

    /// Writes a picture of 640x360 with the code in its middle. Returns the elements of a camera that shows it.
    private static func camera(in folder: TemporaryFolder, mirrored isMirrored: Bool) async throws -> String {
        let rows = code.split(separator: "\n").map { line in isMirrored ? line.reversed().map { $0 } : Array(line) }
        let (side, width, height) = (8, 640, 360)
        var pixels = [SIMD4<UInt8>](repeating: SIMD4(repeating: 255), count: width * height)
        let (left, top) = ((width - rows.count * side) / 2, (height - rows.count * side) / 2)
        for (y, row) in rows.enumerated() {
            for (x, module) in row.enumerated() where module == "#" {
                for pixel in 0..<(side * side) {
                    let place = (top + y * side + pixel / side) * width + left + x * side + pixel % side
                    pixels[place] = SIMD4(0, 0, 0, 255)
                }
            }
        }
        let picture = StillPixels(width: width, height: height, pixels: pixels)
        let path = folder.path + "/code.png"
        try Data(try await StillCoding.encode(picture, .png, quality: 100)).write(to: URL(fileURLWithPath: path))
        return
            "filesrc location=\(path) ! pngdec ! imagefreeze is-live=true ! videoconvert ! video/x-raw,format=I420,framerate=15/1"
    }

    @Test(
        "A code that the person shows to the camera fills in the field, also in a mirror; a wrong one is refused",
        arguments: [(false, "M-[0-9]{4}"), (true, "M-[0-9]{4}"), (false, "[0-9]+")])
    func scan(isMirrored: Bool, pattern: String) async throws {
        let folder = try TemporaryFolder()
        var field = FormField(name: "member")
        (field.isRequired, field.isScanned, field.pattern) = (true, true, pattern)
        var session = SessionDescription(name: "club", stages: [SessionStage(name: "one")])
        (session.start, session.countdown, session.form) = (.now, .zero, [field])
        let source = try await Self.camera(in: folder, mirrored: isMirrored)
        let camera = CaptureConfiguration(source: .fragment(source), output: .caller)
        let configuration = SessionConfiguration(cameras: [.front: camera], output: .folder(in: folder.path))
        let controller = SessionController(session, configuration)
        let events = controller.listen()
        async let outcome = controller.run()
        for await event in events {
            switch event.event {
            case .filled(let values):
                #expect(values == ["member": "M-0042"] && pattern.hasPrefix("M"))
                await controller.trigger()
            case .refused(let reason, let explanation) where reason == "invalid-field":
                #expect(explanation.contains(#""M-0042""#) && !pattern.hasPrefix("M"))
                await controller.cancel()
            case .review: await controller.accept()
            default: break
            }
        }
        let ended = await outcome
        #expect(ended.ending == (pattern.hasPrefix("M") ? .accepted : .cancelled))
        guard let path = ended.folder else { return }
        #expect(try SessionArchive.entry(at: path).record.progress.form == ["member": "M-0042"])
    }
}
