// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// A JPEG picture with the movie around its moment at the end of the file (Motion Photo format 1.0, Google). Viewers that
/// do not know the format show the picture.
package enum MotionPhoto {
    /// Returns a picture with a movie. All other bytes of the picture stay as they are, in their order.
    ///
    /// An XMP packet that the picture has is extended. A packet that states another movie, or that has no room, is an
    /// error.
    ///
    /// - Parameters:
    ///   - still: A JPEG file.
    ///   - movie: An MP4 file.
    ///   - moment: The time of the picture in the movie; it is rounded down to microseconds.
    /// - Throws: ``CaptureError`` of kind `inputOutput`, without a subject, if the picture is not a complete JPEG, the
    ///   movie is not an MP4 file, or the XMP packet of the picture cannot be extended.
    package static func joined(
        still: [UInt8], movie: [UInt8], moment: Duration
    ) throws(CaptureError) -> [UInt8] {
        _ = try JPEGPicture(still)
        guard movie.count >= 16, isMovie(movie[...]) else {
            throw CaptureError(.inputOutput, "the movie of a live photo is not an MP4 file")
        }
        let segments = ApplicationSegments(still)
        let packet = MotionPhotoPacket(movieCount: movie.count, microseconds: max(0, moment.nanoseconds / 1000))
        let (range, xmp) = try segments.placeOfXMP(packet)
        let content = ApplicationSegments.xmpName + xmp
        guard content.count + 2 <= 0xFFFF else { throw .xmp("has no room for the tags of a live photo") }
        var result: [UInt8] = []
        result.reserveCapacity(still.count + movie.count + content.count + 4)
        result += still[..<range.lowerBound]
        result += [0xFF, 0xE1, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
        result += still[range.upperBound...]
        return result + movie
    }

    /// Returns the range of the movie in a file; `nil` if the file is not a Motion Photo. The file is not trusted.
    package static func movie(in file: [UInt8]) -> Range<Int>? {
        let segments = ApplicationSegments(file)
        guard let packet = segments.xmp.first, let extent = MotionPhotoPacket.movie(in: file[packet.content]) else {
            return nil
        }
        // The movie is before the items that follow it.
        let end = file.count - extent.bytesAfter
        let start = end - extent.byteCount
        guard start >= segments.end, extent.byteCount >= 16, isMovie(file[start..<end]) else { return nil }
        return start..<end
    }

    /// Returns `true` if bytes begin as an MP4 file does (ISO/IEC 14496-12, 4.3).
    private static func isMovie(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8)
    }
}

/// The application segments of a JPEG file before its first scan (ITU-T T.81, B.2.4.6).
private struct ApplicationSegments {
    struct Segment {
        /// The segment with its marker and length.
        let range: Range<Int>
        /// The bytes after the name of the segment.
        let content: Range<Int>
    }

    /// The name of a segment with XMP (XMP specification part 3, 1.1.3).
    static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let exifName = Array("Exif\0\0".utf8)

    private let bytes: [UInt8]
    /// The segments with XMP.
    private(set) var xmp: [Segment] = []
    /// The end of the headers with which a file begins: JFIF, and EXIF as the last of them.
    private var afterHeaders = 2
    private var hasExif = false
    /// The end of the last segment before the first scan.
    private(set) var end = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.starts(with: [0xFF, 0xD8]) else { return }
        end = 2
        while let range = next() { end = range.upperBound }
    }

    /// Reads the next segment; `nil` at the first scan, or if no whole segment begins there.
    private mutating func next() -> Range<Int>? {
        var start = end
        // Fill bytes may precede a marker (B.1.1.2).
        while start + 1 < bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xFF { start += 1 }
        guard start + 4 <= bytes.count, bytes[start] == 0xFF else { return nil }
        let (marker, length) = (bytes[start + 1], Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]))
        guard marker > 0x01, !(0xD0...0xDA).contains(marker), length >= 2, start + 2 + length <= bytes.count else {
            return nil
        }
        let range = start..<(start + 2 + length)
        let content = bytes[range].dropFirst(4)
        if marker == 0xE1, content.starts(with: Self.xmpName) {
            xmp.append(Segment(range: range, content: content.dropFirst(Self.xmpName.count).indices))
        }
        let isExif = marker == 0xE1 && content.starts(with: Self.exifName)
        if isExif || marker == 0xE0, afterHeaders == end, !hasExif { afterHeaders = range.upperBound }
        hasExif = hasExif || isExif
        return range
    }

    /// Returns the bytes that a segment with XMP replaces, and its packet: that of the picture, extended, or a new one
    /// after the headers.
    func placeOfXMP(_ packet: MotionPhotoPacket) throws(CaptureError) -> (range: Range<Int>, xmp: [UInt8]) {
        guard let old = xmp.first else { return (afterHeaders..<afterHeaders, packet.whole) }
        guard xmp.count == 1 else { throw .xmp("is there twice") }
        return (old.range, try packet.extending(Array(bytes[old.content])))
    }
}

/// The tags of a Motion Photo, as XMP (XMP specification part 1, 7).
private struct MotionPhotoPacket {
    /// The size of the movie in bytes.
    let movieCount: Int
    /// The time of the picture in the movie.
    let microseconds: Int64

    private static let namespace = "http://ns.google.com/photos/1.0/"
    private static let start =
        #"<?xpacket begin=""# + "\u{FEFF}" + #"" id="W5M0MpCehiHzreSzNTczkc9d"?>"#
        + #"<x:xmpmeta xmlns:x="adobe:ns:meta/">"#
        + #"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">"#

    /// A packet with these tags alone.
    var whole: [UInt8] {
        Array((Self.start + description + #"</rdf:RDF></x:xmpmeta><?xpacket end="w"?>"#).utf8)
    }

    /// Returns a packet of a picture with these tags as another description of the same picture.
    ///
    /// - Throws: ``CaptureError`` of kind `inputOutput` if the packet states another movie, or is not written as usual.
    func extending(_ packet: [UInt8]) throws(CaptureError) -> [UInt8] {
        guard let text = String(validating: packet, as: UTF8.self) else { throw .xmp("is not in UTF-8") }
        guard !text.contains(Self.namespace), !text.contains("MicroVideo") else {
            throw .xmp("states a movie already")
        }
        let parts = text.split(separator: "</rdf:RDF>", omittingEmptySubsequences: false)
        // All descriptions of a packet must name the same picture.
        guard parts.count == 2, text.contains(#"rdf:about="""#) || text.contains("rdf:about=''") else {
            throw .xmp("is not written as usual")
        }
        return Array((parts[0] + description + "</rdf:RDF>" + parts[1]).utf8)
    }

    private var description: String {
        let (camera, container) = (Self.namespace + "camera/", Self.namespace + "container/")
        return #"<rdf:Description rdf:about="" xmlns:Camera="\#(camera)" xmlns:Container="\#(container)" "#
            + #"xmlns:Item="\#(container)item/" Camera:MotionPhoto="1" Camera:MotionPhotoVersion="1" "#
            + #"Camera:MotionPhotoPresentationTimestampUs="\#(microseconds)"><Container:Directory><rdf:Seq>"#
            + item("image/jpeg", "Primary", 0) + item("video/mp4", "MotionPhoto", movieCount)
            + "</rdf:Seq></Container:Directory></rdf:Description>"
    }

    private func item(_ type: String, _ semantic: String, _ byteCount: Int) -> String {
        #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\#(type)" "#
            + #"Item:Semantic="\#(semantic)" Item:Length="\#(byteCount)" Item:Padding="0"/></rdf:li>"#
    }
}

extension MotionPhotoPacket {
    /// The position of a movie, counted from the end of its file.
    struct Extent {
        var byteCount: Int
        /// The bytes of the items after the movie.
        var bytesAfter: Int
    }

    /// Reads the directory of a packet: each item has the attributes `Semantic`, `Length` and `Padding`.
    ///
    /// - Returns: `nil` if no item is a movie, or a length is no number.
    static func movie(in packet: ArraySlice<UInt8>) -> Extent? {
        guard let text = String(validating: packet, as: UTF8.self) else { return nil }
        var found: Extent?
        for tag in text.split(separator: "<") {
            guard let semantic = value(of: "Semantic", in: tag) else { continue }
            // Padding follows the item. Each number is below 2^40, and a segment has less than 2^16: sums fit.
            guard let padding = number(of: "Padding", in: tag), let length = number(of: "Length", in: tag) else {
                return nil
            }
            if semantic == "MotionPhoto" {
                guard found == nil else { return nil }
                found = Extent(byteCount: length, bytesAfter: padding)
            } else {
                found?.bytesAfter += length + padding
            }
        }
        return found
    }

    /// Returns a number from 0 to 2^40; 0 if the attribute is missing, `nil` if it is no such number.
    private static func number(of name: String, in tag: Substring) -> Int? {
        guard let text = value(of: name, in: tag) else { return 0 }
        guard let number = Int(text), (0...(1 << 40)).contains(number) else { return nil }
        return number
    }

    /// Returns the value of an attribute with any prefix.
    private static func value(of name: String, in tag: Substring) -> Substring? {
        for quote: Character in ["\"", "'"] {
            let pieces = tag.split(separator: ":\(name)=\(quote)", maxSplits: 1, omittingEmptySubsequences: false)
            if pieces.count == 2, let end = pieces[1].firstIndex(of: quote) { return pieces[1][..<end] }
        }
        return nil
    }
}

extension CaptureError {
    fileprivate static func xmp(_ problem: String) -> CaptureError {
        CaptureError(
            .inputOutput, "the XMP packet of the picture \(problem)",
            advice: "store the movie in a file beside the picture")
    }
}
