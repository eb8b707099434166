// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import Testing

@testable import FilmKit

@Suite("The plan of a film that grows")
struct GrowingPlanTests {
    /// Pictures of a series with gaps, flicker, and two sizes.
    private static func pictures(_ count: Int, _ generator: inout SplitMix) -> [FilmPicture] {
        var slot = 0
        return (0..<count).map { place in
            slot += Int.random(in: 0..<10, using: &generator) == 0 ? Int.random(in: 2...400, using: &generator) : 1
            let isOther = place > 0 && Int.random(in: 0..<20, using: &generator) == 0
            var picture = FilmPicture.made(
                "\(place).jpg", at: Int64(slot) * 10, size: FrameSize(width: isOther ? 320 : 640, height: 480),
                slot: slot)
            picture.brightness =
                Int.random(in: 0..<30, using: &generator) == 0
                ? nil : Double.random(in: 0.3...0.5, using: &generator)
            return picture
        }
    }

    private static let settings: [FilmSettings] = [false, true].flatMap { deflickers in
        FilmSettings.Gaps.allCases.map { gaps in
            var settings = FilmSettings()
            (settings.deflickers, settings.gaps) = (deflickers, gaps)
            return settings
        }
    }

    @Test(arguments: settings)
    func `It has the frames and the gains of a plan of all pictures, and loses none`(settings: FilmSettings) throws {
        var generator = SplitMix(1)
        for count in [1, 2, 3, 15, 16, 17, 18, 40, 200] {
            let pictures = Self.pictures(count, &generator)
            let all = try FilmPlan(pictures, settings, isOrdered: true)
            let gains = settings.deflickers ? Deflicker.gains(pictures.map(\.level)) : pictures.map { _ in 1 }
            var plan = GrowingPlan(settings, all.rate, usual: pictures[0].size)
            var steps: [GrowingPlan.Step] = []
            for (place, picture) in pictures.enumerated() {
                let ready = plan.add(picture, line: place + 1)
                // At most the pictures of the window wait.
                #expect(place + 1 - steps.count - ready.count <= Deflicker.lookahead)
                steps += ready
            }
            steps += plan.finish()
            #expect(steps.map(\.frame) == all.frames && steps.map(\.gain) == gains)
            #expect(steps.map(\.line) == Array(1...count))
            #expect(steps.reduce(0) { $0 + $1.missingCount } == all.gaps.reduce(0) { $0 + $1.missingCount })
        }
    }

    @Test(arguments: settings, [1, 5, 16, 17, 60, 99])
    func `Continued after any picture, it has the same frames`(settings: FilmSettings, end: Int) throws {
        var generator = SplitMix(2)
        let pictures = Self.pictures(100, &generator)
        let all = try FilmPlan(pictures, settings, isOrdered: true)
        let gains = settings.deflickers ? Deflicker.gains(pictures.map(\.level)) : pictures.map { _ in 1 }
        var plan = GrowingPlan(settings, all.rate, usual: pictures[0].size)
        let levels = pictures[..<end].suffix(Deflicker.lookahead).map(\.level)
        plan.resume(after: pictures[end - 1].slot, levels: settings.deflickers ? levels : [])
        var steps: [GrowingPlan.Step] = []
        for place in end..<100 { steps += plan.add(pictures[place], line: place + 1) }
        steps += plan.finish()
        #expect(steps.map(\.frame) == Array(all.frames[end...]))
        #expect(zip(steps.map(\.gain), gains[end...]).allSatisfy { abs($0 - $1) < 1e-12 })
        let missing = all.gaps.filter { $0.place >= end }.reduce(0) { $0 + $1.missingCount }
        #expect(steps.reduce(0) { $0 + $1.missingCount } == missing)
    }
}
