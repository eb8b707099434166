// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import PipelineKit
import Testing

@testable import FilmKit

@Suite("The geometry of a film")
struct FilmGeometryTests {
    private let full = FrameSize(width: 1920, height: 1080)

    private func geometry(
        _ picture: FrameSize, film: FrameSize, crop: CropRectangle? = nil, fills: Bool = false
    ) -> FilmGeometry {
        FilmGeometry(of: picture, usual: full, film: film, crop: crop, fills: fills)
    }

    @Test func `A picture of the size of the film is taken as it is`() {
        let geometry = geometry(full, film: full)
        #expect(geometry.isIdentity(of: full, film: full))
        #expect(!geometry.isIdentity(of: FrameSize(width: 1920, height: 1081), film: full))
    }

    @Test func `An odd row is cut off, not scaled`() {
        let odd = FrameSize(width: 1921, height: 1081)
        #expect(odd.ofFilm == full)
        let geometry = geometry(odd, film: full)
        #expect(geometry.source == CropRectangle(x: 0, y: 0, width: 1920, height: 1080))
        #expect(geometry.place == CropRectangle(x: 0, y: 0, width: 1920, height: 1080))
    }

    @Test func `A portrait picture has bars, or is cut if the film is filled`() {
        let portrait = full.turned
        let bars = geometry(portrait, film: full)
        #expect(bars.source == CropRectangle(x: 0, y: 0, width: 1080, height: 1920))
        #expect(bars.place == CropRectangle(x: 656, y: 0, width: 606, height: 1080))
        let filled = geometry(portrait, film: full, fills: true)
        #expect(filled.source == CropRectangle(x: 0, y: 656, width: 1080, height: 607))
        #expect(filled.place == CropRectangle(x: 0, y: 0, width: 1920, height: 1080))
    }

    @Test func `A crop is in pixels of most pictures, and is scaled for others`() {
        let crop = CropRectangle(x: 480, y: 270, width: 960, height: 540)
        let film = FrameSize(width: 960, height: 540)
        #expect(geometry(full, film: film, crop: crop).source == crop)
        let half = geometry(FrameSize(width: 960, height: 540), film: film, crop: crop)
        #expect(half.source == CropRectangle(x: 240, y: 135, width: 480, height: 270))
        // A crop outside of the pictures keeps all.
        let outside = geometry(full, film: full, crop: CropRectangle(x: 5000, y: 0, width: 10, height: 10))
        #expect(outside.isIdentity(of: full, film: full))
    }

    @Test(arguments: 1...400)
    func `Parts are inside of pictures, places inside of the film, and proportions stay`(seed: Int) {
        var generator = SplitMix(UInt64(seed))
        func length(_ most: Int = 6000) -> Int { Int.random(in: 1...most, using: &generator) }
        let picture = FrameSize(width: length(), height: length())
        let film = FrameSize(width: length() / 2 * 2 + 2, height: length() / 2 * 2 + 2).ofFilm
        let crop =
            Bool.random(using: &generator)
            ? CropRectangle(x: length() - 1, y: length() - 1, width: length(), height: length()) : nil
        let fills = Bool.random(using: &generator)
        let geometry = geometry(picture, film: film, crop: crop, fills: fills)
        for (part, whole) in [(geometry.source, picture), (geometry.place, film)] {
            #expect(part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0)
            #expect(part.x + part.width <= whole.width && part.y + part.height <= whole.height)
        }
        let place = geometry.place
        #expect([place.x, place.y, place.width, place.height].allSatisfy { $0.isMultiple(of: 2) })
        if fills { #expect(place.width == film.width && place.height == film.height) }
        let decoded = FrameSize(width: (picture.width + 3) / 4, height: (picture.height + 3) / 4)
        let scaled = geometry.scaled(from: picture, to: decoded).source
        #expect(scaled.x >= 0 && scaled.y >= 0 && scaled.width > 0 && scaled.height > 0)
        #expect(scaled.x + scaled.width <= decoded.width && scaled.y + scaled.height <= decoded.height)
        // Rounding to even numbers matters for tiny ones.
        guard place.width > 100, place.height > 100, geometry.source.width > 100, geometry.source.height > 100 else {
            return
        }
        let ratio = Double(place.width * geometry.source.height) / Double(place.height * geometry.source.width)
        #expect(abs(ratio - 1) < 0.04, "\(geometry)")
    }

    @Test func `A film has a size that H.264 allows`() {
        #expect(FrameSize(width: 8000, height: 6000).ofFilm == FrameSize(width: 3072, height: 2304))
        #expect(FrameSize(width: 6000, height: 8000).ofFilm == FrameSize(width: 2304, height: 3072))
        #expect(FrameSize(width: 1, height: 1).ofFilm == FrameSize(width: 2, height: 2))
        #expect(FrameSize(width: 65535, height: 1).ofFilm == FrameSize(width: 4096, height: 2))
    }
}
