// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import PipelineKit
import Testing

@testable import CameraKit

@Suite("Network cameras that cannot be opened", .timeLimit(.minutes(5)))
struct NetworkProbeTests {
    private static let broken = CaptureError(.noCamera, "the stream broke off: error (-5)", subject: "source")

    private func explained(
        _ location: String, _ rest: String = "! multipartdemux ! fakesink"
    ) async throws -> CaptureError {
        let pipeline = try Pipeline("souphttpsrc location=\"\(location)\" is-live=true \(rest)")
        let source = try #require(NetworkSource(in: pipeline))
        return await NetworkProbe.explain(Self.broken, of: source)
    }

    @Test(
        "The error names the problem that the answer of the camera shows, and has advice",
        arguments: [
            (401, "text/html", "asks for a name and a password (401)"),
            (404, "text/html", "the camera has nothing at this path (404)"),
            (503, "text/html", "the camera answers with the error 503"),
            (200, "text/html; charset=utf-8", "sends text/html, no pictures"),
            (200, "image/jpeg", "sends single pictures, not a stream"),
        ])
    func answers(status: Int, media: String, problem: String) async throws {
        let camera = try #require(HTTPCamera { _, _ in .content(status: status, media: media, [1, 2, 3]) })
        defer { camera.stop() }
        let error = try await explained(camera.address("/stream?password=s3cret"))
        #expect(error.message == problem && error.advice?.isEmpty == false)
        #expect(error.subject == camera.address("/stream?password=***"))
        #expect(error.code == (status == 401 ? .permission : .noCamera))
    }

    @Test("A password that the camera refuses is reported as such, and the request has it")
    func password() async throws {
        let camera = try #require(HTTPCamera { _, _ in .content(status: 401, media: "text/html", []) })
        defer { camera.stop() }
        let error = try await explained("http://ann:s%20x@127.0.0.1:\(camera.port)/x")
        #expect(error.message == "refuses this name and password (401)")
        #expect(camera.requests.first?.contains("Authorization: Basic YW5uOnMgeA==") == true)
        #expect(!error.description.contains("ann"))
    }

    @Test("An answer without HTTP, and none at all, are reported")
    func foreign() async throws {
        let camera = try #require(HTTPCamera { _, number in .raw(number == 1 ? Array("220 mail\r\n\r\n".utf8) : []) })
        defer { camera.stop() }
        #expect(try await explained(camera.address()).message == "answers, but not as HTTP")
        #expect(try await explained(camera.address()).message == "connects, but does not answer")
    }

    @Test("A refused connection and an unknown host are reported")
    func notConnected() async throws {
        let camera = try #require(HTTPCamera { _, _ in .raw([]) })
        camera.stop()
        let refused = try await explained(camera.address())
        #expect(refused.message == "the host refuses the connection: nothing listens on port \(camera.port)")
        let unknown = try await explained("http://no-such-camera.invalid/x")
        #expect(unknown.message == #"there is no host "no-such-camera.invalid""#)
    }

    @Test("The error stays if the camera answers as it should")
    func fine() async throws {
        let camera = try #require(HTTPCamera { _, _ in .stream(picture: [1], count: 1) })
        defer { camera.stop() }
        #expect(try await explained(camera.address()) == Self.broken)
    }

    @Test(
        "Live sources and Motion JPEG have no end; files have one",
        arguments: [
            ("souphttpsrc location=http://127.0.0.1/x is-live=true ! fakesink", true),
            ("souphttpsrc location=http://127.0.0.1/x ! multipartdemux ! fakesink", true),
            ("souphttpsrc location=http://127.0.0.1/x ! fakesink", false), ("udpsrc ! fakesink", true),
            ("rtspsrc location=rtsp://127.0.0.1/x ! fakesink", true), ("tcpclientsrc ! fakesink", true),
        ])
    func ends(description: String, isEndless: Bool) throws {
        #expect(try #require(NetworkSource(in: Pipeline(description))).isEndless == isEndless)
    }

    @Test(
        "Sources of this machine are no network sources",
        arguments: ["videotestsrc is-live=true", "filesrc location=/x"])
    func local(source: String) throws {
        #expect(try NetworkSource(in: Pipeline("\(source) ! fakesink")) == nil)
    }

    @Test(
        "An address has its host, its port and its path",
        arguments: [
            ("http://192.0.2.10:81/stream?x=1#y", "192.0.2.10", 81, "/stream?x=1"), ("rtsp://cam", "cam", 554, "/"),
            ("HTTPS://u:p@[2001:db8::1]:8443/a", "2001:db8::1", 8443, "/a"), ("http://cam?x", "cam", 80, "/?x"),
        ])
    func addresses(text: String, host: String, port: Int, path: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect((address.host, address.port, address.path) == (host, port, path))
    }

    @Test(
        "Texts that are no address are none",
        arguments: ["", "/dev/video0", "file:///x", "http://", "http://a b/", "http://c:99999/"])
    func noAddress(text: String) { #expect(NetworkAddress(text) == nil) }
}
