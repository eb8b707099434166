// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing
import VideoKit

@Suite("A live photo", .timeLimit(.minutes(5)))
struct MotionPhotoTests {
    /// The start of an MP4 file; the format does not depend on the rest.
    private static let movie = [0, 0, 0, 16] + Array("ftypmp42".utf8) + [UInt8](0...99)
    private static let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// A JPEG file with EXIF, as this program stores it.
    private static func still() async throws -> [UInt8] {
        try JPEGFile.metadata.embedded(in: try await JPEGFile.made().bytes, .jpeg)
    }

    private static func packet(_ content: String) -> String {
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#
            + content + "</rdf:RDF></x:xmpmeta>"
    }

    private static let rating = packet(
        #"<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/>"#)

    /// Returns a JPEG file with an XMP packet.
    private static func still(xmp: String) async throws -> [UInt8] {
        var file = try JPEGFile(try await still())
        file.segments.append((0xE1, name + Array(xmp.utf8)))
        return file.bytes
    }

    @Test("The picture keeps its bytes, and the movie is at the end")
    func joining() async throws {
        let still = try await Self.still()
        let photo = try MotionPhoto.joined(still: still, movie: Self.movie, moment: .milliseconds(1500))
        let range = try #require(MotionPhoto.movie(in: photo))
        #expect(range == (photo.count - Self.movie.count)..<photo.count && Array(photo[range]) == Self.movie)
        var file = try JPEGFile(Array(photo[..<range.lowerBound]))
        let xmp = try #require(file.segments.firstIndex { $0.content.starts(with: Self.name) })
        // EXIF must be first, and readers expect XMP directly after it.
        let exif = try #require(file.segments.firstIndex { $0.content.starts(with: Array("Exif\0\0".utf8)) })
        #expect(xmp == exif + 1)
        file.segments.remove(at: xmp)
        #expect(file.bytes == still)
        #expect(MotionPhoto.movie(in: still) == nil)
    }

    @Test("Bytes after the picture stay", arguments: [1, 5000])
    func padding(count: Int) async throws {
        let still = try await Self.still() + [UInt8](repeating: 0, count: count)
        let photo = try MotionPhoto.joined(still: still, movie: Self.movie, moment: .zero)
        let end = still.suffix(still.count / 2) + Self.movie
        #expect(photo.suffix(end.count).elementsEqual(end))
        #expect(MotionPhoto.movie(in: photo)?.count == Self.movie.count)
    }

    @Test(
        "exiftool reads the tags of the movie, and those of the picture",
        .enabled(if: StillTool.has("exiftool"), StillTool.advice))
    func tags() async throws {
        let still = try await Self.still()
        let photo = try MotionPhoto.joined(still: still, movie: Self.movie, moment: .microseconds(1_234_567))
        let tags = try await StillTool.tags(of: photo, "photo.jpg")
        #expect(tags["MotionPhoto"] == "1" && tags["MotionPhotoVersion"] == "1")
        #expect(tags["MotionPhotoPresentationTimestampUs"] == "1234567")
        let items = try await StillTool.judge(
            photo, "photo.jpg", "exiftool", "-a", "-s3", "-DirectoryItemSemantic", "-DirectoryItemLength",
            "-DirectoryItemMime")
        #expect(items.text == "Primary\nMotionPhoto\n0\n\(Self.movie.count)\nimage/jpeg\nvideo/mp4\n")
        let before = try await StillTool.tags(of: still, "photo.jpg")
        #expect(tags["DateTimeOriginal"] == before["DateTimeOriginal"] && before["DateTimeOriginal"] != nil)
        #expect(tags["Warning"] == before["Warning"])
    }

    @Test("The movie inside plays", ProbedMovie.isPossible, Recording.isPossible)
    func plays() async throws {
        let clip = try ClipPath(try await Recording.aac.bytes(frames: 30))
        _ = try ClipFile.finalize(clip.path)
        let movie = try clip.read()
        let photo = try MotionPhoto.joined(still: try await Self.still(), movie: movie, moment: .milliseconds(500))
        let copy = try ClipPath(Array(photo[try #require(MotionPhoto.movie(in: photo))]))
        #expect(try copy.read() == movie)
        #expect(try await ProbedMovie(copy.path).count(0) == 30)
    }

    // MARK: XMP of the picture

    @Test("Tags that the picture has in XMP stay", .enabled(if: StillTool.has("exiftool"), StillTool.advice))
    func extended() async throws {
        let still = try await Self.still(xmp: Self.rating)
        let photo = try MotionPhoto.joined(still: still, movie: Self.movie, moment: .zero)
        let tags = try await StillTool.tags(of: photo, "photo.jpg")
        let before = try await StillTool.tags(of: still, "photo.jpg")
        #expect(tags["Rating"] == "4" && tags["MotionPhoto"] == "1" && tags["Warning"] == before["Warning"])
        #expect(MotionPhoto.movie(in: photo)?.count == Self.movie.count)
    }

    @Test(
        "XMP that cannot be extended is refused",
        arguments: [
            "", "no XML", rating + rating, rating.replacing("rdf:", with: "r:"),
            rating.replacing(#"about="""#, with: #"about="uuid:1""#),
            rating.replacing("xmp:Rating", with: "GCamera:MicroVideo"),
            rating + String(repeating: " ", count: 65_000),
        ])
    func refused(xmp: String) async throws {
        let still = try await Self.still(xmp: xmp)
        let error = #expect(throws: CaptureError.self) {
            try MotionPhoto.joined(still: still, movie: Self.movie, moment: .zero)
        }
        #expect(error?.advice != nil)
    }

    @Test("A live photo gets no second movie")
    func again() async throws {
        let photo = try MotionPhoto.joined(still: try await Self.still(), movie: Self.movie, moment: .zero)
        #expect(throws: CaptureError.self) { try MotionPhoto.joined(still: photo, movie: Self.movie, moment: .zero) }
    }

    @Test("Files that are no JPEG and MP4 are refused")
    func foreign() async throws {
        let still = try await Self.still()
        for (still, movie) in [(still, []), (still, still), ([], Self.movie), (Self.movie, Self.movie)] {
            #expect(throws: CaptureError.self) { try MotionPhoto.joined(still: still, movie: movie, moment: .zero) }
        }
    }

    // MARK: Other writers, hostile files

    /// Returns a file with a directory of these items, and bytes at its end.
    private static func file(items: String, end: [UInt8]) async throws -> [UInt8] {
        let description = #"<rdf:Description rdf:about="" xmlns:Container="c"><Container:Directory><rdf:Seq>"#
        let xmp = packet(description + items + "</rdf:Seq></Container:Directory></rdf:Description>")
        return try await still(xmp: xmp) + end
    }

    @Test("Movies of other writers are found: other prefixes and quotes, padding, further items")
    func others() async throws {
        let items = """
            <rdf:li><GContainer:Item GItem:Semantic='Primary' GItem:Mime='image/jpeg' GItem:Padding='9'/></rdf:li>
            <rdf:li><GContainer:Item GItem:Length='\(Self.movie.count)'
              GItem:Padding='4' GItem:Semantic='MotionPhoto'/></rdf:li>
            <rdf:li><GContainer:Item GItem:Length='20' GItem:Semantic='Other'/></rdf:li>
            """
        let file = try await Self.file(items: items, end: Self.movie + [UInt8](repeating: 7, count: 24))
        let range = try #require(MotionPhoto.movie(in: file))
        #expect(Array(file[range]) == Self.movie)
    }

    @Test(
        "Directories with false numbers name no movie",
        arguments: [
            "0", "-1", "15", "115", "1000000", "9223372036854775807", "18446744073709551616", "", "1e2", " 116",
        ])
    func lies(length: String) async throws {
        let item = #"<Container:Item Item:Semantic="MotionPhoto" Item:Length="\#(length)"/>"#
        #expect(MotionPhoto.movie(in: try await Self.file(items: item, end: Self.movie)) == nil)
    }

    @Test("Two movies are none")
    func two() async throws {
        let item = #"<Container:Item Item:Semantic="MotionPhoto" Item:Length="\#(Self.movie.count)"/>"#
        #expect(MotionPhoto.movie(in: try await Self.file(items: item, end: Self.movie)) != nil)
        #expect(MotionPhoto.movie(in: try await Self.file(items: item + item, end: Self.movie)) == nil)
    }

    @Test("A mutated live photo names a movie inside of it, or none", arguments: 0..<4)
    func mutations(seed: UInt64) async throws {
        var generator = SplitMix(seed)
        let photo = try MotionPhoto.joined(still: try await Self.still(), movie: Self.movie, moment: .zero)
        for _ in 0..<1000 {
            // Most errors are made in the headers.
            let end = photo[2000...].prefix(.random(in: 0...9999, using: &generator))
            let file = Array(photo[..<2000]).mutated(&generator) + end
            guard let range = MotionPhoto.movie(in: file) else { continue }
            #expect(range.lowerBound >= 2 && range.upperBound <= file.count)
            #expect(file[range].dropFirst(4).starts(with: Array("ftyp".utf8)))
        }
    }
}
