// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("A description in gst-launch syntax", .criticalsAreFatal)
struct ParsingTests {
    @Test(
        "Each error in a description throws with its code",
        arguments: [
            ("", PipelineError.Code.syntax),
            ("   ", .syntax),
            ("!", .syntax),
            ("videotestsrc !", .syntax),
            ("! fakesink", .syntax),
            ("videotestsrc ! ! fakesink", .syntax),
            ("videotestsrc ! \"", .syntax),
            ("videotestsrc\0 ! fakesink", .syntax),
            ("videotestsrc ( fakesink", .syntax),
            ("()", .syntax),
            ("videotestsrc colour=red ! fakesink", .unknownProperty),
            ("videotestsrc pattern=nonsense ! fakesink", .propertyType),
            ("videotestsrc num-buffers=many ! fakesink", .propertyType),
            ("videotestsrc ! fakesink sync=perhaps", .propertyType),
            ("videotestsrc ! video/x-raw,width=12x ! fakesink nosuch=1", .unknownProperty),
            ("videotestsrc ! audio/x-raw ! fakesink", .link),
            ("videotestsrc ! audioconvert ! fakesink", .link),
            ("videotestsrc ! nowhere. fakesink", .notFound),
            ("videotestsrc ! fakesink nowhere. ! fakesink", .notFound),
            ("fakesink ! fakesink", .link),
        ])
    func errors(description: String, code: PipelineError.Code) throws {
        let error = try #require(failure { try Pipeline(description) })
        #expect(error.code == code, "\(error)")
        #expect(!error.message.isEmpty)
    }

    @Test("The error names every missing element, and the package to install")
    func missingElements() throws {
        let error = try #require(
            failure { try Pipeline("nvarguscamerasrc ! nosuchfilter ! nosuchsink name=s") })
        #expect(error.code == .missingElement)
        #expect(error.element == "nvarguscamerasrc")
        #expect(error.message.contains("\"nosuchfilter\"") && error.message.contains("\"nosuchsink\""))
        #expect(error.advice?.contains("nvidia-l4t-gstreamer") == true)
    }

    @Test("An unknown element throws with the advice to check its spelling")
    func unknownElement() throws {
        let error = try #require(failure { try Pipeline("vidotestsrc ! fakesink") })
        #expect(error.description == "vidotestsrc: no element \"vidotestsrc\"; check its spelling with gst-inspect-1.0")
    }

    @Test(
        "One element alone, a bin and several chains all become a pipeline",
        arguments: [
            "fakesrc name=a", "( fakesrc name=a ! fakesink )", "fakesrc name=a ! fakesink fakesrc ! fakesink",
            "bin.( fakesrc name=a ! fakesink )", "pipeline.( fakesrc name=a ! fakesink )",
        ])
    func shapes(description: String) throws {
        let pipeline = try Pipeline(description)
        #expect(pipeline.typeName == "GstPipeline")
        #expect(try pipeline.element(named: "a").factoryName == "fakesrc")
        #expect(pipeline.state == .null)
    }

    @Test("Elements are found by name inside bins too; an unknown name throws")
    func find() throws {
        let pipeline = try Pipeline("fakesrc name=source ! ( identity name=inner ) ! fakesink")
        #expect(try pipeline.element(named: "inner").name == "inner")
        let error = try #require(
            failure { try pipeline.element(named: "outer") })
        #expect(error.code == .notFound)
        #expect(error.element == pipeline.name)
    }
}
