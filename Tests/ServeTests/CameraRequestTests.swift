// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

/// The lab tests controls with a real driver.
@Suite("Cameras, presets and outlines over HTTP", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct CameraRequestTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"
    private static let path = "/api/v1/cameras/garden"

    /// The built outlines and presets are found in the configuration folder of the user.
    private static func start() throws -> ServedProgram {
        let folder = try ServedProgram.makeFolder()
        let own = folder.appendingPathComponent("config/gst-capture")
        try FileManager.default.createDirectory(
            at: own.appendingPathComponent("outlines"), withIntermediateDirectories: true)
        let drawing =
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4"/></svg>"#
        try Data(drawing.utf8).write(to: own.appendingPathComponent("outlines/ring.svg"))
        try Data("# A small picture.\nwidth: 320\n".utf8).write(to: own.appendingPathComponent("small.yaml"))
        let source = "source: rtspsrc location=rtsp://ann:s3cret@192.0.2.1/x user-pw=s3cret ! rtph264depay\n"
        try Data(source.utf8).write(to: own.appendingPathComponent("door.yaml"))
        return try ServedProgram(
            cameras, in: folder, environment: ["XDG_CONFIG_HOME": folder.appendingPathComponent("config").path])
    }

    @Test("Formats, devices, presets and outlines are listed, and outlines are drawn")
    func lists() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect((try program.get(Self.path + "/formats").json["formats"] as? [Any])?.isEmpty == false)
        let devices = try program.get("/api/v1/devices").json["devices"] as? [[String: Any]] ?? []
        #expect(devices.contains { $0["id"] as? String == "scene" })
        let presets = try program.get("/api/v1/presets").json["presets"] as? [[String: Any]] ?? []
        #expect(presets.contains { $0["name"] as? String == "small" && $0["path"] == nil })
        #expect(try program.get("/api/v1/presets/small").text == "# A small picture.\nwidth: 320\n")
        let door = try program.get("/api/v1/presets/door").text
        #expect(door == "source: rtspsrc location=rtsp://***@192.0.2.1/x user-pw=*** ! rtph264depay\n")
        let outlines = try program.get("/api/v1/outlines").json["outlines"] as? [[String: Any]] ?? []
        #expect(outlines.contains { $0["name"] as? String == "ring" && $0["path"] == nil })
        let drawing = try program.get("/api/v1/outlines/ring")
        #expect(drawing.status == 200 && drawing.head.contains("Content-Type: image/svg+xml"))
        #expect(drawing.head.contains("Content-Security-Policy: default-src 'none'"))
        let picture = try program.get("/api/v1/outlines/ring/render?width=64&height=48")
        #expect(picture.body.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]), "\(picture.text.prefix(200))")
        for path in ["presets/none", "presets/..%2fsmall", "outlines/none", "outlines/..%2fring/render"] {
            #expect(try program.get("/api/v1/" + path).status == 404, "\(path)")
        }
        #expect(try program.get("/api/v1/outlines/ring/render?width=9999").status == 400)
    }

    @Test("Live pictures show outlines that a client names")
    func outlines() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        let plain = try program.get("/snapshot?width=160")
        let outlined = try program.get("/snapshot?width=160&layers=ring")
        #expect(plain.status == 200 && outlined.status == 200 && plain.body != outlined.body)
        for (names, status) in [("none", 404), ("ring,none", 404), ("ring,ring", 400), ("..%2fring", 400), ("", 400)] {
            #expect(try program.get("/snapshot?layers=\(names)").status == status, "\(names)")
        }
        let metrics = try program.get("/metrics").text
        #expect(metrics.contains("gst_capture_stream_encoding_duration_seconds_count{camera=\"garden\"}"))
    }

    @Test("Requests about controls that the camera does not have are problems")
    func controls() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect((try program.get(Self.path + "/controls").json["controls"] as? [Any])?.isEmpty == true)
        for body in [
            #"{"brightness": 5}"#, "{}", "[]", #"{"a": null}"#, #"{"a": [1]}"#, #"{"a": {"b": 1}}"#, "{", "\u{0}",
            #"{"a": 1, "a": 2}"#, #"{"": 1}"#,
        ] {
            #expect(try program.send("PATCH", Self.path + "/controls", json: body).status == 400, "\(body)")
        }
        #expect(try program.request("POST", Self.path + "/lock?controls=exposure").status == 200)
        #expect(try program.request("POST", Self.path + "/lock?controls=everything").status == 400)
        #expect(try program.request("POST", Self.path + "/unlock").status == 200)
        #expect(try program.request("POST", Self.path + "/controls/reset").status == 200)
        #expect(try program.get("/api/v1/cameras/desk/controls").status == 404)
    }

    @Test("A camera that is switched to another device keeps its ID; an unknown device changes nothing")
    func switching() throws {
        let program = try Self.start()
        defer { try? FileManager.default.removeItem(at: program.folder) }
        #expect(try program.request("POST", Self.path + "/switch?device=nowhere").status == 404)
        #expect(try program.request("POST", Self.path + "/switch").status == 400)
        let response = try program.request("POST", Self.path + "/switch?device=scene")
        #expect(response.status == 202 && response.json["id"] as? String == "garden")
        #expect(try program.request("POST", Self.path + "/snap").status == 200)
    }
}
#endif
