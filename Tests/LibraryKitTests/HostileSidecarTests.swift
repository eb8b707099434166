// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import LibraryKit

@Suite("Hostile XMP sidecars", .timeLimit(.minutes(1)))
struct HostileSidecarTests {
    private static let path = "a.jpg.xmp"

    /// Returns the error of a sidecar, and checks that it is one line with a remedy.
    private func refusal(_ bytes: [UInt8]) -> CaptureError? {
        do throws(CaptureError) {
            _ = try XMPSidecar(bytes, path: Self.path)
            return nil
        } catch {
            #expect(error.subject == Self.path && error.advice != nil && !error.description.contains("\n"))
            #expect([.inputOutput, .configuration].contains(error.code))
            return error
        }
    }

    @Test(
        "A sidecar that is not well-formed is refused with the line",
        arguments: [
            ("<a>\n<b></a>", "line 2: an end tag"), ("<a></a>\n<b/>", "line 2: a second root"), ("<a", "ends inside"),
            ("<a>\n<b>", "line 2: the file ends"), ("<a b='1' b='2'/>", "twice"), ("<a b=1/>", "not quoted"),
            ("<a b/>", "no value"), ("<a b='<'/>", "contains <"), ("<a>&nbsp;</a>", "&"), ("<a>&#0;</a>", "&"),
            ("<a>&#xD800;</a>", "&"), ("<a>&#+65;</a>", "&"), ("<a>&amp</a>", "&"), ("<a>]]></a>", "]]>"),
            ("<a/>text", "outside"), ("<![CDATA[]]><a/>", "outside"), ("<a><!-- -- --></a>", "--"), ("<a><!--", "ends"),
            ("<p:a/>", "no namespace"), ("<a p:b=''/>", "no namespace"), ("<a:b:c/>", "name"), ("<1/>", "name"),
            ("<a xmlns:p=''/>", "declaration"), ("<a xmlns:xml='urn:a'/>", "declaration"), ("<a b='1'c='2'/>", "space"),
            ("<a/><?xml version='1.0'?>", "name"), ("<?xml?><a/>", "name"), ("<a/ >", "space"), ("<a></a b=''>", "tag"),
            ("", "no XML"), (" ", "no XML"), ("<!ELEMENT a><a/>", "name"), ("<a>\u{1}</a>", "control"),
            ("<a>\u{FFFF}</a>", "noncharacter"), ("<a>\u{0}</a>", "NUL"),
            ("<?xml version='1.0' x='1'?><a/>", "invalid"),
        ])
    func damaged(text: String, message: String) throws {
        let error = try #require(refusal(Array(text.utf8)))
        #expect(error.code == .inputOutput)
        #expect(error.message.contains(message), "\(error)")
    }

    @Test("A valid file that cannot be edited is refused with the reason", arguments: unsupportedFiles)
    func unsupported(text: String, message: String) throws {
        let error = try #require(refusal(Array(text.utf8)))
        #expect(error.code == .configuration)
        #expect(error.message.contains(message), "\(error)")
    }

    /// Files, and a part of the reason for each.
    private static let unsupportedFiles: [(String, String)] = {
        let declarations = (0..<300).map { " xmlns:p\($0)='u'" }.joined()
        let manyTags = SidecarSample.packet(tags((0...200).map { "\($0)" }))
        let structure = "<dc:subject><rdf:Bag><a/></rdf:Bag></dc:subject>"
        return [
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "DOCTYPE"), ("<?xml version='1.1'?><a/>", "XML 1.0"),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "UTF-8"), ("<a/>", "rdf:RDF"),
            (SidecarSample.packet("<a>" * 64 + "</a>" * 64), "levels"), ("<a>" + "<b/>" * 50_001, "too many"),
            ("<a\(declarations)/>", "namespaces"), (" " * 1_048_577, "1 MiB"), (manyTags, "201 tags"),
            (SidecarSample.packet(tags(["ü" * 129])), "258 bytes"),
            (SidecarSample.packet("<rdf:Description dc:title='\("x" * 4097)'/>"), "4097 bytes"),
            (SidecarSample.packet("<rdf:Description><xmp:Rating><a/></xmp:Rating></rdf:Description>"), "form"),
            (SidecarSample.packet("<rdf:Description>\(structure)</rdf:Description>"), "form"),
        ]
    }()

    private static func tags(_ tags: [String]) -> String {
        let items = tags.map { "<rdf:li>\($0)</rdf:li>" }.joined()
        return "<rdf:Description><dc:subject><rdf:Bag>\(items)</rdf:Bag></dc:subject></rdf:Description>"
    }

    @Test("UTF-16 and invalid UTF-8 are refused")
    func encodings() {
        let wide = SidecarSample.digiKam.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(refusal(wide)?.message == "is UTF-16, not UTF-8")
        #expect(refusal([0xFF, 0xFE] + wide)?.message == "is UTF-16, not UTF-8")
        #expect(refusal([0xFE, 0xFF, 0] + wide.dropLast())?.message == "is UTF-16, not UTF-8")
        #expect(refusal(Array("<a>".utf8) + [0xC3] + Array("</a>".utf8))?.message == "is not UTF-8")
    }

    @Test(
        "A property that appears twice is refused",
        arguments: [
            "<rdf:Description xmp:Rating='1'><xmp:Rating>1</xmp:Rating></rdf:Description>",
            "<rdf:Description xmp:Rating='1'/><rdf:Description xmp:Rating='1'/>",
            "<rdf:Description xmp:Rating='1' p:Rating='2' xmlns:p='http://ns.adobe.com/xap/1.0/'/>",
            "<rdf:Description><dc:subject/><dc:subject/></rdf:Description>",
        ])
    func duplicates(content: String) throws {
        let error = try #require(refusal(Array(SidecarSample.packet(content).utf8)))
        #expect(error.message.contains("a second time"), "\(error)")
    }

    @Test("A sidecar that is truncated at any byte is refused, or ends within its last whitespace or wrapper")
    func truncations() {
        let bytes = Array(SidecarSample.digiKam.utf8)
        let end = Array(SidecarSample.digiKam.split(separator: "\n<?xpacket end")[0].utf8).count
        for count in 0..<bytes.count where refusal(Array(bytes.prefix(count))) == nil {
            #expect([end, end + 1].contains(count))
        }
    }

    @Test("Values beyond a limit are refused, and characters that XML lacks become spaces")
    func values() throws {
        let sidecar = try XMPSidecar(Array(SidecarSample.digiKam.utf8), path: Self.path)
        for values in [
            SidecarValues(tags: (0...200).map { "\($0)" }), SidecarValues(tags: ["x" * 257]), SidecarValues(rating: 6),
            SidecarValues(rating: -2), SidecarValues(title: "x" * 4097),
        ] {
            let error = try #require(throws: CaptureError.self) { try sidecar.replacing(values) }
            #expect(error.code == .usage && error.advice != nil)
        }
        let odd = SidecarValues(tags: ["a\u{0}b", "\u{FFFE}", "\r\n\t", "x\r\ny"], title: "\u{1B}[1m")
        #expect(odd.cleaned == SidecarValues(tags: ["a b", "x y"], title: "[1m"))
        #expect(try XMPSidecar(XMPSidecar.new(odd, path: Self.path), path: Self.path).values == odd.cleaned)
        let most = SidecarValues(tags: (0..<200).map { "\($0)" + "&" * 250 }, title: "\u{1F600}" * 1024)
        #expect(try XMPSidecar(sidecar.replacing(most), path: Self.path).values == most)
        let padding = String(repeating: " ", count: XMPSidecar.mostBytes - SidecarSample.digiKam.utf8.count)
        let full = try XMPSidecar(Array((SidecarSample.digiKam + padding).utf8), path: Self.path)
        #expect(try #require(throws: CaptureError.self) { try full.replacing(most) }.message.contains("1 MiB"))
    }

    @Test("Random changes of a sidecar lead to an error, or to an edit that keeps all foreign bytes", arguments: 0..<4)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed)
        let samples = [SidecarSample.digiKam, SidecarSample.exiftool, SidecarSample.darktable].map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<80 {
            let bytes = shuffled(samples[round % samples.count], &random)
            guard refusal(bytes) == nil else { continue }
            accepted += 1
            try checkEdits(bytes, &random)
        }
        #expect(accepted > 3)
    }

    /// Returns the bytes with a few that are changed, moved or removed. Bytes of the file often make a valid one.
    private func shuffled(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let (from, to) = (
                Int.random(in: 0..<bytes.count - 40, using: &random),
                Int.random(in: 0..<bytes.count - 40, using: &random)
            )
            let source = bytes[from..<from + Int.random(in: 1...40, using: &random)]
            switch Int.random(in: 0...3, using: &random) {
            case 0: bytes.insert(contentsOf: source, at: to)
            case 1: bytes.removeSubrange(source.indices)
            case 2: bytes[to] = bytes[from]
            default: bytes[to] ^= 1
            }
        }
        return bytes
    }

    @Test("Sidecars of random pieces lead to an error, or to an edit that keeps all foreign bytes", arguments: 0..<4)
    func pieces(seed: UInt64) throws {
        var random = SplitMix(seed)
        let pieces = [
            "<rdf:Description>", "</rdf:Description>", "<rdf:Description xmp:Rating='2'>", "<!-- c -->", "\n ",
            "<?p i?>",
            "<dc:subject><rdf:Bag><rdf:li>a</rdf:li>\n<rdf:li/></rdf:Bag></dc:subject>", "<xmp:Rating>3</xmp:Rating>",
            "<dc:title>\n<rdf:Alt><rdf:li xml:lang='x-default'/></rdf:Alt></dc:title>", "<dc:subject>x</dc:subject>",
            "<o:p xmlns:o='urn:o'><xmp:Rating>1</xmp:Rating></o:p>", "<dc:title><![CDATA[x]]></dc:title>",
        ]
        for _ in 0..<30 {
            let content = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let bytes = Array(SidecarSample.packet(content.joined()).utf8)
            if refusal(bytes) == nil { try checkEdits(bytes, &random) }
        }
    }

    /// Edits a sidecar to random values and to none, and compares the values and the foreign bytes.
    private func checkEdits(_ bytes: [UInt8], _ random: inout SplitMix) throws {
        let sidecar = try XMPSidecar(bytes, path: Self.path)
        #expect(try sidecar.replacing(sidecar.values) == bytes)
        let words = [
            "cat", "<&>'\"", "]]>", "ü\u{301}", "\u{1F600}", " a\nb ", "", "x" * 256, "night", "Berlin", "&#0;",
        ]
        let values = SidecarValues(
            tags: (0..<Int.random(in: 0...6, using: &random)).map { _ in words.randomElement(using: &random) ?? "" },
            rating: [nil, -1, 0, 5].randomElement(using: &random) ?? nil, title: words.randomElement(using: &random))
        let edited = try XMPSidecar(sidecar.replacing(values), path: Self.path)
        #expect(edited.values == values.cleaned)
        let emptied = try edited.replacing(SidecarValues())
        #expect(try XMPSidecar(emptied, path: Self.path).values == SidecarValues())
        let before = try foreign(bytes)
        #expect(try foreign(edited.replacing(edited.values)) == before, "\(String(decoding: bytes, as: UTF8.self))")
        #expect(try foreign(emptied) == before, "\(String(decoding: bytes, as: UTF8.self))")
    }

    /// The bytes outside of our properties, without whitespace, and without the rest of an empty `rdf:Description`,
    /// which an edit may add.
    private func foreign(_ bytes: [UInt8]) throws -> String {
        let outline = try XMPOutline(bytes)
        var kept = Array(bytes.map(Optional.some))
        for property in [XMPProperty.rating, .title, .subject] {
            let range =
                switch outline[property]?.form {
                case .attribute(let attribute)?: attribute.range
                case .text(let element)?, .list(let element, _)?: element.range
                case nil: 0..<0
                }
            for index in range { kept[index] = nil }
        }
        return String(decoding: kept.compactMap { $0 }.filter { !$0.isXMLSpace }, as: UTF8.self)
            .replacing("<rdf:Descriptionrdf:about=\"\"></rdf:Description>", with: "")
    }
}

/// Returns the text as often as the number says.
private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
