// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import FrameMeasures
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite("The pictures of a session")
struct SessionPicturesTests {
    private static func still(_ number: Int, crop: Bool = false) -> SessionStill {
        func file(_ name: String) -> SessionFileRecord { SessionFileRecord(name: name, [1], width: 1, height: 1) }
        var still = SessionStill(number: number, stage: "one", file: file("one-\(number).jpg"))
        if crop {
            let corners = Quadrilateral([PixelPoint](repeating: PixelPoint(0, 0), count: 4))
            still.crop = SessionCrop(file: file("one-\(number)-crop.jpg"), corners: corners)
        }
        return still
    }

    @Test("A restored picture whose file is missing is lost, and a missing crop leaves the whole picture")
    func restored() {
        var pictures = SessionPictures(library: [])
        let stills = [1: Self.still(1), 2: Self.still(2, crop: true), 3: Self.still(3, crop: true)]
        let lost = pictures.restore(stills, missing: ["one-1.jpg", "one-2-crop.jpg"])
        #expect(lost == [1])
        pictures.showAll(in: "folder")
        #expect(pictures.files == [2: "folder/one-2.jpg", 3: "folder/one-3-crop.jpg"])
        #expect(pictures.wholes == [2: "folder/one-2.jpg", 3: "folder/one-3.jpg"])
    }

    @Test("A dropped picture has no record and no file any more")
    func dropped() {
        var pictures = SessionPictures(library: [])
        for number in 1...2 {
            pictures.add(Self.still(number, crop: true), in: "folder")
        }
        let dropped = pictures.drop([1, 7])
        #expect(dropped.map(\.number) == [1])
        #expect(pictures.records.keys.sorted() == [2])
        #expect(pictures.files == [2: "folder/one-2-crop.jpg"] && pictures.wholes == [2: "folder/one-2.jpg"])
    }

    @Test("The record of a picture has the role, the scores and the place of its request, and the facts of its shot")
    func recorded() {
        var stage = SessionStage(name: "one")
        stage.outline = "card"
        let score = GateScore(kind: .steady, score: 0.75, threshold: 0.5, holds: true)
        let geometry = StillGeometry(stillWidth: 4, height: 3)
        let taking = Taking(number: 7, stage: 0, role: .back, zero: .zero, scores: [score], geometry: geometry)
        let shot = SessionShot(
            picture: LibraryPicture(bytes: [1], format: .jpeg, width: 4, height: 3), camera: "usb-a",
            offset: .milliseconds(-5), latency: .milliseconds(40))
        let still = SessionStill(taking, shot, of: stage, file: Self.still(7).file)
        #expect(still.number == 7 && still.stage == "one" && still.file.name == "one-7.jpg" && still.origin == .camera)
        #expect(still.role == .back && still.camera == "usb-a" && still.gates == [score])
        #expect(still.outline == SessionOutline("card", on: geometry))
        #expect(still.offset == .milliseconds(-5) && still.latency == .milliseconds(40) && still.bestOf == 1)
    }

    @Test("The record of a picture from the library has no camera and no outline")
    func recordedFromLibrary() {
        var stage = SessionStage(name: "one")
        stage.outline = "card"
        let shot = SessionShot(picture: LibraryPicture(bytes: [1], format: .png, width: 4, height: 3))
        let still = SessionStill(
            Taking(number: 7, stage: 0, role: nil, zero: .zero), shot, of: stage, file: Self.still(7).file)
        #expect(still.origin == .library && still.role == nil && still.camera == nil)
        #expect(still.outline == nil && still.gates.isEmpty && still.taken == nil)
    }

    @Test("Two pictures in a row are rejected, the third is kept, and the count restarts")
    func rejected() {
        var pictures = SessionPictures(library: [])
        for _ in 0..<2 {
            let retakes = (0..<3).map { _ in pictures.rejects(in: 0) }
            #expect(retakes == [true, true, false])
            pictures.keepsPicture(of: 0)
        }
        let retakesOther = pictures.rejects(in: 1)
        #expect(retakesOther)
    }
}
