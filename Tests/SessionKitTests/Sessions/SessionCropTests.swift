// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import FrameMeasures
import StillKit
import Testing

@testable import CaptureKit
@testable import CropKit
@testable import SessionKit
@testable import SessionModel

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Crops of a session` {
    /// A camera's scene of stripes, which strong compression blurs.
    private struct Stripes {
        static let width = 320, height = 240
        let folder: TemporaryFolder

        static func level(_ x: Int, _ y: Int) -> Int { (x / 2 + y / 3) % 2 == 0 ? 60 : 190 }

        init() async throws {
            folder = try TemporaryFolder()
            let pixels = (0..<Self.width * Self.height).map { index in
                let level = UInt8(Self.level(index % Self.width, index / Self.width))
                return SIMD4<UInt8>(level, level, level, 255)
            }
            let picture = StillPixels(width: Self.width, height: Self.height, pixels: pixels)
            let png = try await StillCoding.encode(picture, .png, quality: 95)
            try Data(png).write(to: URL(filePath: folder.path + "/stripes.png"))
        }

        var source: String {
            "filesrc location=\(folder.path)/stripes.png ! pngdec ! imagefreeze is-live=true ! videoconvert "
                + "! video/x-raw,format=I420,framerate=20/1 ! identity"
        }

        /// The mean difference of levels between a picture and the scene at this place.
        static func error(_ picture: RGBPicture, at x: Int, _ y: Int) -> Double {
            var sum = 0
            for row in 0..<picture.height {
                for column in 0..<picture.width {
                    sum += abs(Int(picture[column, row][1]) - level(x + column, y + row))
                }
            }
            return Double(sum) / Double(picture.width * picture.height)
        }
    }

    private static let outline = #"<svg viewBox="0 0 4 3"><rect id="subject" width="4" height="3"/></svg>"#

    /// The divisor of the first coefficient of luma (ITU-T T.81, B.2.4.1): 2 at a quality of 95, 40 at 20.
    private func divisor(_ jpeg: [UInt8]) throws -> UInt8 {
        let place = try #require(jpeg.indices.dropLast(6).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDB })
        return jpeg[place + 5]
    }

    @Test func `The crop of a raw frame is compressed once, at the quality of crops`() async throws {
        let camera = try await Stripes()
        var session = SessionDescription.quick("front")
        session.stages[0].outline = try camera.folder.write("box.svg", Self.outline)
        session.stages[0].crop = .outline
        for quality in [20, 100] {
            let account = await SessionAccount.of(session, sources: [.front: camera.source]) { configuration in
                configuration.cameras[.front]?.quality = 1
                configuration.cropQuality = quality
            }
            let picture = try #require(account.outcome.pictures.first)
            let (whole, crop) = try (#require(picture.bytes), #require(picture.crop))
            #expect(try divisor(crop) == (quality == 20 ? 40 : 1))
            let corner = try #require(picture.still.crop).corners.topLeft
            #expect(try await Stripes.error(RGBPicture(decoding: whole, .jpeg), at: 0, 0) > 20)
            guard quality == 100 else { continue }
            let error = try await Stripes.error(
                RGBPicture(decoding: crop, .jpeg), at: Int(corner.x), Int(corner.y))
            // Conversion to I420 and back costs a few levels; a second compression costs more than 20.
            #expect(error < 8)
        }
    }

    @Test(arguments: [StillFormat.jpeg, .png], [SessionStage.Crop.none, .outline])
    func `Two dark pictures are rejected with the reason, and the third is kept with a notice`(
        format: StillFormat, crop: SessionStage.Crop
    ) async throws {
        let dark = "videotestsrc is-live=true pattern=black ! video/x-raw,width=1280,height=720,framerate=30/1"
        let camera = try await Stripes()
        var session = SessionDescription.quick("front")
        var light = GateRequest(.light, .warn)
        light.rejectsPictures = true
        (session.stages[0].gates, session.stages[0].crop) = ([light], crop)
        session.stages[0].outline = try camera.folder.write("box.svg", Self.outline)
        let account = await SessionAccount.of(session, sources: [.front: dark]) {
            $0.cameras[.front]?.still = format
        }
        let failures = account.events.compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
        #expect(failures.map(\.advice) == ["more light", "more light"])
        #expect(failures.allSatisfy { $0.code == .temporary && $0.message.contains("light") })
        #expect(account.outcome.ending == .accepted && account.captured.count == 1)
        #expect(account.notices.count { $0.code == .pictureDoubtful } == 1)
    }

    @Test func `A dark picture is rejected even if it is captured before the first frame of the preview`() async throws
    {
        let dark = "videotestsrc is-live=true pattern=black ! video/x-raw,width=1280,height=720,framerate=30/1"
        var session = SessionDescription.quick("front", countdown: .zero)
        var light = GateRequest(.light, .warn)
        light.rejectsPictures = true
        session.stages[0].gates = [light]
        let account = await SessionAccount.of(session, sources: [.front: dark])
        let failures = account.events.compactMap { if case .failed(_, let error) = $0 { error.advice } else { nil } }
        #expect(failures == ["more light", "more light"])
    }

    @Test func `A library picture that is cut off is refused, and not stored without its crop`() async throws {
        let camera = try await Stripes()
        let whole = try Data(contentsOf: URL(filePath: camera.folder.path + "/stripes.png"))
        let half = camera.folder.path + "/half.png"
        try whole.prefix(whole.count / 2).write(to: URL(filePath: half))
        var session = SessionDescription.quick("front")
        session.stages[0].outline = try camera.folder.write("box.svg", Self.outline)
        session.stages[0].crop = .rectify
        let account = await SessionAccount.of(session, sources: [.front: camera.source]) { $0.library = [half] }
        #expect(account.captured.isEmpty && account.outcome.pictures.isEmpty)
        let failures = account.events.compactMap { if case .failed(_, let error) = $0 { error } else { nil } }
        let error = try #require(failures.first)
        #expect(error.code == .inputOutput && error.message.contains("not a complete PNG"))
    }

    /// The abort comes when the picture is in the folder, mostly before its crop: one round in which it does is enough.
    @Test(arguments: 0..<8)
    func `A crop is not reported as failed if the run is aborted after the picture`(round: Int) async throws {
        let (camera, folder) = (try await Stripes(), try TemporaryFolder())
        var session = SessionDescription.quick("front")
        session.abort = .cancel
        session.stages[0].outline = try camera.folder.write("box.svg", Self.outline)
        session.stages[0].crop = .outline
        let output = SessionConfiguration.Output.folder(in: folder.path)
        let account = await SessionAccount.of(
            session, output, sources: [.front: camera.source],
            onEvent: { event, controller in
                guard case .phase(let phase) = event, phase.name == .capturing else { return }
                while case let now = await controller.snapshot(), now.phase.name == .capturing {
                    let path = now.folder ?? ""
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
                    if names.contains(where: { $0.hasPrefix("front-") }) { break }
                    await Task.yield()
                }
                await controller.abort()
            })
        #expect(!account.notices.contains { $0.code == .cropFailed })
    }
}
