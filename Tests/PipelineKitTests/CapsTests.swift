// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Caps", .criticalsAreFatal)
struct CapsTests {
    @Test(
        "Caps are parsed from text and written as the same text",
        arguments: [
            "ANY", "EMPTY", "image/jpeg", "video/x-raw, format=(string)I420, width=(int)640, height=(int)480",
            "video/x-raw, width=(int)[ 16, 4096, 16 ], framerate=(fraction)[ 0/1, 30/1 ]",
            "video/x-raw, format=(string){ I420, NV12 }; image/jpeg, parsed=(boolean)true",
            "video/x-raw(memory:DMABuf), format=(string)NV12",
        ])
    func roundTrip(text: String) throws {
        let caps = try Caps(text)
        #expect(try Caps(caps.description) == caps)
        #expect(caps.description == text)
    }

    @Test(
        "Invalid caps throw",
        arguments: [
            "", " ", ";", "video/x-raw,width", "video/x-raw,width=", "video/x-raw,=1", "=", "\u{0}", "a\0b", "1a",
            "\"quoted\"", "a; 1b", "a b", "ä", "a%b", "video/x-raw, width=1 height=2",
        ])
    func errors(text: String) {
        #expect(failure { try Caps(text) }?.code == .syntax)
    }

    @Test("Each alternative of caps is a structure, with fields of every kind")
    func structures() throws {
        let caps = try Caps(
            """
            video/x-raw, format={I420,NV12}, width=[16,4096,16], height=480, framerate=[0/1,30/1], \
            pixel-aspect-ratio=1/1, progressive=true, colorimetry="bt709", scale=1.5; image/jpeg
            """)
        let (raw, jpeg) = (caps.structures[0], caps.structures[1])
        #expect(jpeg == Structure("image/jpeg"))
        #expect(raw.name == "video/x-raw")
        #expect(raw.fields["format"] == .list([.string("I420"), .string("NV12")]))
        #expect(raw.fields["width"] == .intRange(16...4096, step: 16))
        #expect(raw["height"] == 480)
        #expect(raw["height"] == UInt64(480))
        #expect(raw["height"] == 480.0)
        #expect(raw.fields["framerate"] == .fractionRange(Fraction(0, 1), Fraction(30, 1)))
        #expect(raw["pixel-aspect-ratio"] == Fraction(1, 1))
        #expect(raw["progressive"] == true)
        #expect(raw["colorimetry"] == "bt709")
        #expect(raw["scale"] == 1.5)
        #expect(raw["scale", as: Int.self] == nil)
        #expect(raw["absent", as: String.self] == nil)
    }

    @Test("Equal caps with different numbers of alternatives are the same member of a set")
    func hashes() throws {
        let (one, two) = (try Caps("video/x-raw"), try Caps("video/x-raw; video/x-raw,width=(int)1"))
        #expect(one == two && Set([one, two]).count == 1)
    }

    @Test("Caps can be fixed, any or empty, and can be intersected")
    func relations() throws {
        let (wide, narrow) = (try Caps("video/x-raw,width=[1,100]"), try Caps("video/x-raw,width=50"))
        #expect(try Caps("ANY").isAny && !narrow.isAny)
        #expect(try Caps("EMPTY").isEmpty && !narrow.isEmpty)
        #expect(narrow.isFixed && !wide.isFixed)
        #expect(wide.intersects(narrow))
        #expect(wide.intersection(narrow) == narrow)
        #expect(try wide.intersection(Caps("image/jpeg")).isEmpty)
        #expect(try !wide.intersects(Caps("image/jpeg")))
        #expect(try Set([narrow, Caps("video/x-raw, width=(int)50")]).count == 1)
    }

    @Test("Only fixed caps of raw video have a video format")
    func videoInfo() throws {
        #expect(try Caps("video/x-raw,format=I420,width=4,height=4,framerate=1/1").videoInfo != nil)
        for text in [
            "ANY", "EMPTY", "image/jpeg,width=4,height=4", "video/x-raw,format=I420,width=[1,4],height=4",
            "video/x-raw,format=NOSUCH,width=4,height=4", "video/x-raw,format=I420", "video/x-raw",
            "video/x-raw,format=I420,width=-4,height=4", "video/x-raw,format=I420,width=2147483647,height=2147483647",
        ] {
            #expect(try Caps(text).videoInfo == nil, "\(text)")
        }
    }
}
