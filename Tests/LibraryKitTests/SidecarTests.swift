// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import LibraryKit
import Testing

@Suite("XMP sidecars", .timeLimit(.minutes(1)))
struct SidecarTests {
    private func read(_ text: String) throws -> SidecarValues { try XMPSidecar(Array(text.utf8), path: "a.xmp").values }

    private func edit(_ text: String, _ change: (inout SidecarValues) -> Void) throws -> String {
        let sidecar = try XMPSidecar(Array(text.utf8), path: "a.xmp")
        var values = sidecar.values
        change(&values)
        let bytes = try sidecar.replacing(values)
        #expect(try XMPSidecar(bytes, path: "a.xmp").values == values.cleaned)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    @Test("The sidecar of a picture is named after the whole file name")
    func path() { #expect(XMPSidecar.path(of: "/srv/a.b.jpg") == "/srv/a.b.jpg.xmp") }

    @Test("Sidecars of digiKam, exiftool and darktable are read")
    func programs() throws {
        #expect(
            try read(SidecarSample.digiKam) == SidecarValues(tags: ["Berlin", "night"], rating: 4, title: "The gate"))
        let exiftool = SidecarValues(tags: ["cat", "dög & <co>"], rating: 4, title: "Hi \"you\"")
        #expect(try read(SidecarSample.exiftool) == exiftool)
        #expect(try read(SidecarSample.darktable) == SidecarValues(rating: -1))
    }

    @Test("Names are compared by namespace, not by prefix")
    func prefixes() throws {
        let text = """
            <RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Description xmlns:xmp="urn:other" \
            xmlns:a="http://ns.adobe.com/xap/1.0/" xmp:Rating="2" a:Rating="3"><b:subject \
            xmlns:b="http://purl.org/dc/elements/1.1/"><Bag><li>cat</li></Bag></b:subject></Description></RDF>
            """
        #expect(try read(text) == SidecarValues(tags: ["cat"], rating: 3))
        #expect(try edit(text) { $0.rating = 5 } == text.replacing("a:Rating=\"3\"", with: "a:Rating=\"5\""))
        let tagged = text.replacing("</li>", with: "</li><li>dog</li>")
        #expect(try edit(text) { $0.tags.append("dog") } == tagged)
    }

    @Test(
        "A rating is a number from -1 to 5, and other texts are no rating",
        arguments: [
            ("4", 4), (" 3 ", 3), ("5.0", 5), ("-1", -1), ("0", 0), ("6", nil), ("-2", nil), ("x", nil), ("", nil),
            ("<!-- 1 -->2", 2), ("<![CDATA[3]]>", 3), ("&#x34;", 4), ("1e999", nil),
        ])
    func ratings(text: String, rating: Int?) throws {
        let element = "<rdf:Description><xmp:Rating>\(text)</xmp:Rating></rdf:Description>"
        #expect(try read(SidecarSample.packet(element)).rating == rating)
    }

    @Test("Texts lose whitespace at their ends, line breaks, empty items and repetitions")
    func texts() throws {
        let list = """
            <rdf:li> a\r\nb </rdf:li><rdf:li/>\
            <rdf:li>a b</rdf:li><rdf:li>&#9;</rdf:li><rdf:li><![CDATA[<&>]]>&lt;</rdf:li>
            """
        let element = "<rdf:Description><dc:subject><rdf:Seq>\(list)</rdf:Seq></dc:subject></rdf:Description>"
        #expect(try read(SidecarSample.packet(element)).tags == ["a b", "<&><"])
    }

    @Test("The title is that of the default language, or else the first")
    func languages() throws {
        func title(_ items: String) throws -> String? {
            let title = "<rdf:Description><dc:title><rdf:Alt>\(items)</rdf:Alt></dc:title></rdf:Description>"
            return try read(SidecarSample.packet(title)).title
        }
        let german = "<rdf:li xml:lang=\"de\">Tor</rdf:li>"
        #expect(try title(german + "<rdf:li xml:lang=\"X-Default\">Gate</rdf:li>") == "Gate")
        #expect(try title(german + "<rdf:li>Gate</rdf:li>") == "Gate")
        #expect(try title(german) == "Tor")
        #expect(try title("") == nil)
    }

    // MARK: Changes

    @Test("Equal values return the same bytes")
    func unchanged() throws {
        let packets = ["", "<rdf:Description xmp:Rating=\"9\"/>", "<rdf:Description dc:title=\" x \"/>"]
        for text in [SidecarSample.digiKam, SidecarSample.exiftool, SidecarSample.darktable]
            + packets.map(SidecarSample.packet)
        {
            #expect(try edit(text) { _ in } == text)
            #expect(try edit(text) { $0.tags = $0.tags.map { " \($0)\n" } } == text)
        }
    }

    @Test("A change keeps all other bytes")
    func changes() throws {
        let text = SidecarSample.digiKam
        #expect(try edit(text) { $0.rating = 5 } == text.replacing("xmp:Rating=\"4\"", with: "xmp:Rating=\"5\""))
        #expect(try edit(text) { $0.title = "A & B" } == text.replacing("The gate", with: "A &amp; B"))
        let night = "     <rdf:li xml:lang=\"en\">night</rdf:li>\n"
        let longer = text.replacing(night, with: night + "     <rdf:li>&lt;new&gt;</rdf:li>\n")
        #expect(try edit(text) { $0.tags.append("<new>") } == longer)
        #expect(try edit(text) { $0.tags = ["Berlin"] } == text.replacing(night, with: ""))
        let turned = text.replacing("<rdf:li xml:lang=\"en\">night</rdf:li>", with: "<rdf:li>-</rdf:li>")
            .replacing("<rdf:li>Berlin</rdf:li>", with: "<rdf:li xml:lang=\"en\">night</rdf:li>")
            .replacing("<rdf:li>-</rdf:li>", with: "<rdf:li>Berlin</rdf:li>")
        #expect(try edit(text) { $0.tags.reverse() } == turned)
    }

    @Test("A removal leaves no trace of the property")
    func removals() throws {
        let text = SidecarSample.digiKam
        #expect(try edit(text) { $0.rating = nil } == text.replacing("\n   xmp:Rating=\"4\"", with: ""))
        let exiftool = SidecarSample.exiftool
        #expect(
            try edit(exiftool) { $0.rating = nil } == exiftool.replacing("\n  <xmp:Rating>4</xmp:Rating>", with: ""))
        let emptied = try edit(exiftool) { $0 = SidecarValues() }
        #expect(!emptied.contains("dc:subject") && !emptied.contains("dc:title"))
        #expect(emptied.contains("elements/1.1/'>\n </rdf:Description>\n\n <rdf:Description"))
    }

    @Test("New properties are written as the file's other ones, and their removal restores the file")
    func additions() throws {
        let text = SidecarSample.darktable.replacing("\n   xmp:Rating=\"-1\"", with: "")
        let added = """
               </darktable:history>
               <xmp:Rating>2</xmp:Rating>
               <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">
                <rdf:Alt>
                 <rdf:li xml:lang="x-default">T</rdf:li>
                </rdf:Alt>
               </dc:title>
               <dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/">
                <rdf:Bag>
                 <rdf:li>a</rdf:li>
                 <rdf:li>b</rdf:li>
                </rdf:Bag>
               </dc:subject>

            """
        let edited = try edit(text) { $0 = SidecarValues(tags: ["a", "b"], rating: 2, title: "T") }
        #expect(edited == text.replacing("   </darktable:history>\n", with: added))
        #expect(try edit(edited) { $0 = SidecarValues() } == text)
        // The same with CR LF and tabs.
        let (tabbed, original) = (edited.replacing("\n   ", with: "\n\t"), text.replacing("\n   ", with: "\n\t"))
        let emptied = try edit(tabbed.replacing("\n", with: "\r\n")) { $0 = SidecarValues() }
        #expect(emptied == original.replacing("\n", with: "\r\n"))
        #expect(try edit(emptied) { $0.rating = 1 }.contains(">\r\n\t<xmp:Rating>1</xmp:Rating>\r\n"))
    }

    @Test("A property goes into the description that has its namespace, or into a new one")
    func descriptions() throws {
        let namespace = "xmlns:q=\"http://ns.adobe.com/xap/1.0/\""
        let rdf = "<r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
        let two = rdf + "<r:Description/><r:Description \(namespace)/></r:RDF>"
        let into = "<r:Description/><r:Description \(namespace)><q:Rating>1</q:Rating></r:Description></r:RDF>"
        #expect(try edit(two) { $0.rating = 1 } == rdf + into)
        let declared = "<xmp:Rating xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">1</xmp:Rating>"
        let new = rdf + "<r:Description r:about=\"\">\(declared)</r:Description></r:RDF>"
        #expect(try edit(rdf + "</r:RDF>") { $0.rating = 1 } == new)
        #expect(try edit(rdf.dropLast() + "/>") { $0.rating = 1 } == new)
    }

    @Test("A new prefix hides none that the property needs")
    func freePrefix() throws {
        let text = """
            <dc:RDF xmlns:dc="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><dc:Description/></dc:RDF>
            """
        #expect(try edit(text) { $0.tags = ["a"] }.contains("<dc1:subject xmlns:dc1="))
        let hidden = """
            <RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xmp="http://ns.adobe.com/xap/1.0/">\
            <Description xmlns:xmp="urn:other"/></RDF>
            """
        #expect(try edit(hidden) { $0.rating = 1 }.contains("<xmp1:Rating xmlns:xmp1="))
        #expect(try edit(hidden.replacing("Description", with: "Other")) { $0.rating = 1 }.contains("rdf:about=\"\""))
    }

    @Test("Forms that programs rarely write are replaced by the usual ones")
    func rareForms() throws {
        let text = SidecarSample.packet(
            "<rdf:Description dc:title=\"T\" dc:subject=\"cat\"><xmp:Rating/></rdf:Description>")
        #expect(try read(text) == SidecarValues(tags: ["cat"], title: "T"))
        let edited = """
            <rdf:Description><xmp:Rating>1</xmp:Rating><dc:title><rdf:Alt><rdf:li xml:lang="x-default">U</rdf:li>\
            </rdf:Alt></dc:title><dc:subject><rdf:Bag><rdf:li>dog</rdf:li></rdf:Bag></dc:subject></rdf:Description>
            """
        let all = SidecarValues(tags: ["dog"], rating: 1, title: "U")
        #expect(try edit(text) { $0 = all } == SidecarSample.packet(edited))
        let german = "<dc:title><rdf:Alt><rdf:li xml:lang=\"de\">Tor</rdf:li></rdf:Alt></dc:title>"
        let titled = "<rdf:Description>\(german)</rdf:Description>"
        let both = titled.replacing("<rdf:Alt>", with: "<rdf:Alt><rdf:li xml:lang=\"x-default\">Gate</rdf:li>")
        #expect(try edit(SidecarSample.packet(titled)) { $0.title = "Gate" } == SidecarSample.packet(both))
    }

    @Test("digiKam's tags are read without dc:subject, and do not come back when the last tag is removed")
    func tagsList() throws {
        let list = "<digiKam:TagsList><rdf:Seq><rdf:li>Places/Berlin</rdf:li></rdf:Seq></digiKam:TagsList>"
        let text = SidecarSample.packet("<rdf:Description>\(list)</rdf:Description>")
        #expect(try read(text).tags == ["Berlin"])
        let empty = list + "<dc:subject><rdf:Bag/></dc:subject>"
        let emptied = try edit(text) { $0.tags = [] }
        #expect(emptied == text.replacing(list, with: empty))
        #expect(
            try edit(emptied) { $0.tags = ["x"] }
                == text.replacing(list, with: list + "<dc:subject><rdf:Bag><rdf:li>x</rdf:li></rdf:Bag></dc:subject>"))
        #expect(
            try edit(SidecarSample.digiKam) { $0.tags = [] }.contains("<dc:subject>\n    <rdf:Bag/>\n   </dc:subject>"))
    }

    // MARK: New sidecars

    @Test("A new sidecar is minimal, and always the same")
    func new() throws {
        let values = SidecarValues(tags: ["a & b", "ü"], rating: 3, title: "<T>")
        let text = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about=""
                xmlns:xmp="http://ns.adobe.com/xap/1.0/"
                xmlns:dc="http://purl.org/dc/elements/1.1/">
               <xmp:Rating>3</xmp:Rating>
               <dc:title>
                <rdf:Alt>
                 <rdf:li xml:lang="x-default">&lt;T&gt;</rdf:li>
                </rdf:Alt>
               </dc:title>
               <dc:subject>
                <rdf:Bag>
                 <rdf:li>a &amp; b</rdf:li>
                 <rdf:li>ü</rdf:li>
                </rdf:Bag>
               </dc:subject>
              </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>

            """
        #expect(try String(decoding: XMPSidecar.new(values, path: "a.xmp"), as: UTF8.self) == text)
        #expect(try read(text) == values)
    }

    @Test(
        "exiftool reads what we write, and we read what exiftool writes",
        .enabled(if: StillTool.has("exiftool"), StillTool.advice))
    func exiftool() async throws {
        let folder = try TemporaryFolder()
        let values = SidecarValues(tags: ["cat & dog", "ü]]>", "'\"<"], rating: -1, title: "Grüße \u{1F600} <b>")
        let ours = [
            try String(decoding: XMPSidecar.new(values, path: "a.xmp"), as: UTF8.self),
            try edit(SidecarSample.digiKam) { $0 = values }, try edit(SidecarSample.exiftool) { $0 = values },
            try edit(SidecarSample.darktable) { $0 = values },
        ]
        let paths = try ours.enumerated().map { try folder.write("\($0.offset).jpg.xmp", $0.element) }
        let options = ["-q", "-s3", "-sep", "|", "-xmp-dc:Subject", "-xmp-xmp:Rating", "-xmp-dc:Title", "-Warning"]
        let read = try await StillTool.run("exiftool", options + paths).text
        let line = "cat & dog|ü]]>|'\"<\n-1\nGrüße \u{1F600} <b>\n"
        #expect(read == String(repeating: line, count: ours.count))

        let sources = ["", "OneDesc", "Shorthand", "AllFormat"].map { ($0, folder.path + "/exiftool\($0).xmp") }
        let set = ["-xmp-dc:Subject=cat & dog", "-xmp-dc:Subject=ü]]>", "-xmp-dc:Subject='\"<", "-xmp:Rating=-1"]
        let commands = sources.map { form, path in
            ["-q", "-api", "Compact=\(form)"] + set + ["-xmp-dc:Title=Grüße \u{1F600} <b>", "-o", path]
        }
        let written = try await StillTool.run("exiftool", Array(commands.joined(separator: ["-execute"])))
        for (_, path) in sources {
            let bytes = try RegularFile.read(path, most: XMPSidecar.mostBytes)
            #expect(try XMPSidecar(bytes, path: path).values == values, "\(written.text)")
        }
    }
}
