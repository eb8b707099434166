// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// The built command on real V4L2 cameras.
    @Suite("The command on V4L2 cameras")
    struct Command {
        @Test("The command cameras lists each camera once, with a stable ID, formats and sizes")
        func cameras() async throws {
            let step = try await step("cameras")
            #expect(step.status == 0, "\(step.error)")
            let cameras = try CommandOutput.lines(of: step, as: CommandOutput.Camera.self).filter { $0.kind == "v4l2" }
            #expect(cameras.map(\.path).sorted { ($0 ?? "") < ($1 ?? "") } == ["/dev/video0", "/dev/video1"])
            #expect(Set(cameras.map(\.id)).count == 2)
            for camera in cameras {
                #expect(!camera.name.isEmpty)
                #expect(!camera.id.contains("/dev/video"), "the number of a node changes from start to start")
                let yuyv = try #require(camera.formats.first { $0.fourcc == "YUYV" })
                #expect(yuyv.sizes.contains { ($0.width, $0.height) == (640, 480) })
                #expect(camera.formats.contains { $0.fourcc == "NV12" })
            }
        }

        @Test(
            "The command snap finds a camera by its stable ID, and captures a picture in each format",
            arguments: ["snap-yuyv", "snap-nv12"])
        func snap(name: String) async throws {
            let step = try await step(name)
            #expect(step.status == 0, "\(step.error)")
            #expect(try CommandOutput.events("captured", of: step).map { $0.file?.fileName } == ["still.jpg"])
            #expect(try step.files() == ["still.jpg"], "nothing else is left in the folder")
            let picture = try await Picture(jpeg: step.file("still.jpg"))
            #expect((picture.width, picture.height) == (640, 480))
            #expect((20...235).contains(picture.mean))
        }

        @Test("The formats of one camera show the same picture")
        func formatsAgree() async throws {
            let yuyv = try await Picture(jpeg: step("snap-yuyv").file("still.jpg"))
            let nv12 = try await Picture(jpeg: step("snap-nv12").file("still.jpg"))
            #expect(abs(yuyv.mean - nv12.mean) < 10)
        }

        @Test("The command snap encodes a picture according to the file name extension")
        func png() async throws {
            let step = try await step("snap-png")
            #expect(step.status == 0, "\(step.error)")
            let magic: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            #expect(try Data(contentsOf: step.file("still.png")).prefix(8) == Data(magic))
        }

        @Test("The EXIF of a picture has the time of its capture and the model of the camera")
        func metadata() async throws {
            let file = try await step("snap-yuyv").file("still.jpg")
            let tags = ["-Model", "-DateTimeOriginal", "-SubSecTimeOriginal", "-OffsetTimeOriginal"]
            let listed = try await Program.run("exiftool", ["-S"] + tags + [file.path])
            let text = String(decoding: listed.output, as: UTF8.self)
            for tag in tags { #expect(text.contains("\(tag.dropFirst()): "), "\(text)") }
        }

        @Test("The command controls lists the controls of the driver")
        func controls() async throws {
            let step = try await step("controls")
            #expect(step.status == 0, "\(step.error)")
            for name in ["brightness", "contrast", "saturation"] { #expect(step.output.lowercased().contains(name)) }
        }

        @Test("A changed control affects the picture")
        func brightness() async throws {
            for name in ["set-dark", "set-bright"] {
                let step = try await step(name)
                #expect(step.status == 0, "\(step.error)")
            }
            let dark = try await Picture(jpeg: step("snap-dark").file("still.jpg"))
            let bright = try await Picture(jpeg: step("snap-bright").file("still.jpg"))
            #expect(bright.mean > dark.mean + 60)
        }

        @Test("An automatic flash fires only for a dark picture, EXIF records it, and its control is restored")
        func automaticFlash() async throws {
            for (name, value) in [("snap-flash-bright", "24"), ("snap-flash-dark", "25")] {
                let step = try await step(name)
                #expect(step.status == 0, "\(step.error)")
                let listed = try await Program.run("exiftool", ["-s3", "-n", "-Flash", step.file("still.jpg").path])
                #expect(String(decoding: listed.output, as: UTF8.self).trimmingCharacters(in: .newlines) == value)
            }
            #expect(try await Picture(jpeg: step("snap-flash-dark").file("still.jpg")).mean > 150)
            #expect(try await step("flash-control").output.contains("brightness: 10"))
        }

        @Test("Without a flash, an automatic flash has no effect, and a required flash is an error")
        func withoutFlash() async throws {
            let automatic = try await step("snap-flash-none")
            #expect(automatic.status == 0, "\(automatic.error)")
            #expect(automatic.output.contains("has no flash control, so --flash auto has no effect"))
            #expect(try await Picture(jpeg: automatic.file("still.jpg")).mean < 60)
            let needed = try await step("snap-flash-needed")
            #expect(needed.status == 78, "\(needed.output)")
            #expect(needed.error.contains("--flash-control") || needed.output.contains("--flash-control"))
        }

        @Test("A timelapse accounts for all 10 slots, and numbers its complete files without gaps")
        func timelapse() async throws {
            let step = try await step("timelapse")
            #expect(step.status == 0, "\(step.error)")
            let captured = try CommandOutput.events("captured", of: step)
            let names = captured.indices.map { String(format: "still-%02d.jpg", $0 + 1) }
            #expect(captured.map { $0.file?.fileName } == names)
            // A busy machine may miss slots.
            let slots = captured.compactMap(\.slot)
            #expect(slots == slots.sorted() && Set(slots).isSubset(of: 0..<10) && !slots.isEmpty)
            let account = try #require(try CommandOutput.events("finished", of: step).first?.summary)
            #expect((account.captured, account.missed, account.failed) == (slots.count, 10 - slots.count, 0))
            #expect(try step.files() == names, "nothing else is left in the folder")
            for name in names { #expect(try await Picture(jpeg: step.file(name)).width == 640) }
        }

        @Test(
            "A fault ends the command with its exit status and its message, and without a picture", arguments: Fault.all
        )
        func faults(fault: Fault) async throws {
            let step = try await step(fault.step)
            #expect(step.status == fault.status, "\(step.error)")
            let lines = step.error.split(separator: "\n")
            let message = try #require(lines.first)
            #expect(message.lowercased().contains(fault.message))
            // The first line is the error, and a second one may be advice.
            #expect(lines.count <= 2, "\(step.error)")
            #expect(step.output.isEmpty)
            #expect(try step.files().isEmpty)
        }
    }

    /// A step that must fail, with its exit status and message.
    struct Fault: Sendable, CustomTestStringConvertible {
        let step: String
        let status: Int
        let message: String

        var testDescription: String { step }

        static let all = [
            Fault(step: "busy", status: 75, message: "busy"),
            Fault(step: "permission", status: 77, message: "permission denied"),
            Fault(step: "no-camera", status: 69, message: "usb-nonesuch"),
            Fault(step: "unplugged", status: 69, message: "camera"),
        ]
    }
}

extension String {
    /// The last part of a path.
    fileprivate var fileName: String { URL(fileURLWithPath: self).lastPathComponent }
}
