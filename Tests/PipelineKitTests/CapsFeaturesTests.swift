// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite(.criticalsAreFatal)
struct `Features of caps` {
    @Test func `Each alternative of caps has its features`() throws {
        let caps = try Caps("video/x-raw(memory:DMABuf, meta:Overlay),format=NV12; image/jpeg; video/x-raw(ANY)")
        #expect(try caps.features == [CapsFeatures(["meta:Overlay", "memory:DMABuf"]), .systemMemory, .any])
        #expect(caps.features[0].names == ["memory:DMABuf", "meta:Overlay"])
        #expect(caps.features[0].contains("meta:Overlay"))
        #expect(!caps.features[1].contains("memory:DMABuf"))
        #expect(caps.features[1].contains("memory:SystemMemory"))
        #expect(caps.features[2].contains("memory:DMABuf"))
        #expect(try Caps("EMPTY").features.isEmpty)
        #expect(try Caps("ANY").features.isEmpty)
    }

    @Test func `Caps with other features are a copy, and the original does not change`() throws {
        let original = try Caps("video/x-raw,format=NV12; video/x-raw,format=I420")
        let caps = try original.with(CapsFeatures(["memory:DMABuf"]))
        #expect(try caps == Caps("video/x-raw(memory:DMABuf),format=NV12; video/x-raw(memory:DMABuf),format=I420"))
        #expect(original.features == [.systemMemory, .systemMemory])
        #expect(!original.intersects(caps))
        #expect(original.intersects(caps.with(.any)))
        #expect(caps.with(.systemMemory) == original)
        #expect(try Caps("EMPTY").with(.any).isEmpty)
        #expect(try Caps("ANY").with(.any).isAny)
    }

    @Test func `Features are equal in any order, and with repetitions`() throws {
        #expect(try CapsFeatures(["meta:B", "meta:A", "meta:B"]) == CapsFeatures(["meta:A", "meta:B"]))
        #expect(try CapsFeatures([]) == .systemMemory)
        #expect(try CapsFeatures(["memory:SystemMemory"]) == .systemMemory)
        #expect(CapsFeatures.any != .systemMemory)
        #expect(CapsFeatures.any.description == "ANY")
        #expect(try CapsFeatures(["meta:B", "meta:A"]).description == "meta:A, meta:B")
    }

    @Test(arguments: [
        "", ":", "memory", "memory:", "memory:1", "me mory:X", "memory:X Y", "memory:X\0", "1:X", "a:b:c", "memory:É",
        "ANY",
    ])
    func `A feature name that GStreamer does not allow throws`(name: String) {
        #expect(failure { try CapsFeatures(["memory:DMABuf", name]) }?.code == .syntax)
    }
}
