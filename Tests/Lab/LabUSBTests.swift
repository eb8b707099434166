// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

extension LabSuite {
    /// USB webcams (`UVCCamera`) on the kernel's uvcvideo, while the script `usb.sh` moves and disturbs them.
    @Suite("USB webcams")
    struct USB {
        static let series = ["usb-moved", "usb-same-serial", "usb-no-serial", "usb-faults"]

        private func events(_ name: String) async throws -> [CommandOutput.Event] {
            try await CommandOutput.lines(of: step(name))
        }

        /// Slots that were missed because the camera was lost.
        private func missedSlots(_ events: [CommandOutput.Event]) -> [Int] {
            events.filter { $0.event == "missed" && $0.reason == "lost" }.flatMap(\.slots)
        }

        // MARK: A single camera

        @Test("A webcam is listed once, by maker, model and serial number")
        func listed() async throws {
            let cameras = try await CommandOutput.lines(of: step("usb-list"), as: CommandOutput.Camera.self)
            let webcams = cameras.filter { $0.id.hasPrefix("usb-") }
            #expect(webcams.map(\.id) == ["usb-Lab_Lab_Webcam_SLOW-video-index0"])
            #expect(webcams.first?.name == "Lab Webcam")
            #expect(webcams.first?.serial == "SLOW")
            #expect(webcams.first?.formats.map(\.fourcc) == ["MJPG", "YUYV"])
        }

        @Test("A webcam that answers slowly lists its controls and locks them")
        func controls() async throws {
            let listed = try await step("usb-controls")
            #expect(listed.status == 0, "\(listed.error)")
            for name in ["brightness", "focus_absolute", "exposure_time_absolute"] {
                #expect(listed.output.contains("\"\(name)\""), "\(listed.output)")
            }
            let locked = try await step("usb-slow")
            #expect(locked.status == 0, "\(locked.error)")
            #expect(try locked.files() == ["slow.jpg"])
        }

        @Test("JPEG pictures of 1920 x 1080 are the served bytes with EXIF inserted")
        func bytes() async throws {
            let burst = try await step("usb-bytes")
            #expect(burst.status == 0, "\(burst.error)")
            #expect(try burst.files().count == 8)
            try await expectServed(burst, size: "1920x1080")
            // A busy machine drops frames, so the burst need not have each of the five served pictures.
            let pictures = try burst.files().map { try Self.withoutExif(burst.file($0)) }
            #expect(Set(pictures).count > 1)
        }

        @Test("EXIF has the maker and the model of the device, without repetition")
        func exif() async throws {
            let file = try await step("usb-bytes").file("01.jpg")
            let tags = try await Program.run("exiftool", ["-s3", "-Make", "-Model", file.path])
            #expect(String(decoding: tags.output, as: UTF8.self) == "Lab\nLab Webcam\n")
        }

        @Test("Raw frames become a picture of the bars that the camera draws")
        func raw() async throws {
            let step = try await step("usb-raw")
            #expect(step.status == 0, "\(step.error)")
            let picture = try await Picture(jpeg: step.file("raw.jpg"))
            #expect((picture.width, picture.height) == (320, 240))
            #expect((60...180).contains(picture.mean))
        }

        // MARK: Light

        @Test("A ramp by request on the service follows the light, and ends with the camera's automatic exposure")
        func ramp() async throws {
            let time = "exposure_time_absolute"
            let mode = "auto_exposure"
            let begun = try await LabControls(of: step("usb-ramp-begun"))
            #expect(begun.ramped == ["exposure"])
            // 15.6 ms, which automatic exposure had set; 1 is manual.
            #expect(begun.value(time) == 156 && begun.value(mode) == 1)
            // Half of the light, for which a ramp takes six pictures.
            let followed = try await LabControls(of: step("usb-ramp-followed"))
            #expect((280...345).contains(try #require(followed.value(time))))
            let ended = try await LabControls(of: step("usb-ramp-ended"))
            // 3 is automatic.
            #expect(ended.ramped.isEmpty && ended.value(mode) == 3)
            let levels = try await CommandOutput.lines(of: step("usb-ramp-ledger"), as: CommandOutput.LedgerEntry.self)
                .compactMap(\.brightness)
            let (first, last, darkest) = (try #require(levels.first), try #require(levels.last), levels.min() ?? 0)
            #expect(darkest < first * 0.85, "\(levels)")
            #expect(abs(last - first) < first * 0.1, "\(levels)")
        }

        @Test("A webcam that hangs when a program starts is reported with a remedy")
        func hangAtStart() async throws {
            let step = try await step("usb-hang")
            #expect(step.status == 69, "\(step.error)")
            let error = try #require(try await events("usb-hang").compactMap(\.error).first)
            #expect(error.message == "does not answer: its driver cannot set the format")
            #expect(step.error.contains("reconnect it"), "\(step.error)")
        }

        @Test("A webcam that sleeps and cannot be woken up is reported with a remedy")
        func hangAsleep() async throws {
            let step = try await step("usb-hang-asleep")
            #expect(step.status == 69, "\(step.error)")
            let error = try #require(try await events("usb-hang-asleep").compactMap(\.error).first)
            #expect(error.message == "does not answer: its driver cannot open it")
            #expect(step.error.contains("reconnect it"), "\(step.error)")
        }

        @Test("Two webcams that sleep are woken up at the same time", arguments: ["left", "right"])
        func asleep(name: String) async throws {
            let step = try await step("usb-asleep-\(name)")
            #expect(step.status == 0, "\(step.error)")
            #expect(try step.files() == ["woken.jpg"])
        }

        // MARK: Cameras that move

        @Test(
            "Events account for each slot of a series once, and each file is a picture of its camera", arguments: series
        )
        func agrees(name: String) async throws {
            let step = try await step(name)
            let hasFailures = name == "usb-faults"
            #expect(step.status == (hasFailures ? 74 : 0), "\(step.error)")
            let events = try await events(name)
            let captured = events.filter { $0.event == "captured" }
            #expect(try step.files() == captured.compactMap(\.file).sorted())
            let slots = events.filter { ["captured", "missed", "failed"].contains($0.event) }.flatMap(\.slots)
            #expect(slots.sorted() == Array(0..<slots.count))
            let failed = events.count { $0.event == "failed" }
            #expect(events.last?.summary?.failed == failed && (failed > 0) == hasFailures)
            // The twins serve other pictures.
            try await expectServed(step, size: "640x480")
            try await expectLedger(of: name)
        }

        @Test(
            "A camera that reconnects misses only the slots of its absence",
            arguments: [
                ("usb-moved", 1), ("usb-same-serial", 1), ("usb-no-serial", 1), ("usb-faults", 3),
            ])
        func comesBack(name: String, losses: Int) async throws {
            let events = try await events(name)
            #expect(events.count { $0.event == "lost" } == losses)
            let recovered = events.indices.filter { events[$0].event == "recovered" }
            #expect(recovered.count == losses)
            let last = try #require(recovered.last)
            #expect(events[last...].count { $0.event == "captured" } >= 2)
            // The event of a slot may come after "recovered" although the slot was due before, so slots are compared.
            let first = try #require(events[last...].first { $0.event == "captured" }?.slot)
            #expect(missedSlots(events).allSatisfy { $0 < first })
        }

        @Test("A slot with damaged frames alone fails, and the camera is not lost")
        func damagedFrames() async throws {
            let events = try await events("usb-faults")
            let failed = events.filter { $0.event == "failed" }
            #expect(failed.count >= 2)
            #expect(failed.allSatisfy { $0.error?.message == "the frame is not a complete JPEG picture" })
            #expect(events.lastIndex { $0.event == "failed" } ?? 0 < events.firstIndex { $0.event == "lost" } ?? 0)
        }

        @Test("A twin on the camera's node is refused by serial number; the camera is found at another port")
        func twin() async throws {
            let nodes = try await String(
                decoding: Data(contentsOf: LabRun.shared.value.folder.appendingPathComponent("usb-nodes")),
                as: UTF8.self
            ).split(whereSeparator: \.isWhitespace)
            #expect(nodes.count == 2 && nodes[0] == nodes[1])
            let messages = try await events("usb-moved").compactMap(\.error?.message)
            let expected =
                "is another camera now, Lab Webcam (serial number LAB0002), not Lab Webcam (serial number LAB0001)"
            #expect(messages.contains { $0.contains(expected) }, "\(messages)")
        }

        @Test(
            "A series waits at the port for a camera that only its port identifies",
            arguments: [
                ("usb-same-serial", "shares its serial number with another camera"),
                ("usb-no-serial", "has no serial number"),
            ])
        func port(name: String, reason: String) async throws {
            let messages = try await events(name).compactMap(\.error?.message)
            #expect(messages.contains { $0.contains(reason) && $0.contains("known only by its port") }, "\(messages)")
        }

        @Test("A session resumes with a camera that reconnects at another port")
        func session() async throws {
            let account = try await LabSession("usb-session")
            #expect(account.step.status == 0, "\(account.step.error)")
            // On a busy machine the camera may also deliver no frame for a while.
            #expect(account.events.count { $0.event == "lost" } >= 1)
            #expect(account.pictures.map(\.stage) == ["front", "side"])
            try account.expectWhole()
        }

        @Test("A preview resumes with a camera that reconnects at another port, and captures again")
        func preview() async throws {
            let step = try await step("usb-preview")
            let names = try await events("usb-preview").map(\.event).filter {
                ["captured", "lost", "recovered"].contains($0)
            }
            #expect(names == ["captured", "lost", "recovered", "captured"])
            try await expectServed(step, size: "640x480")
        }

        // MARK: Bytes

        /// Checks that all files of a step are pictures that its camera served, except for EXIF.
        private func expectServed(_ step: LabStep, size: String) async throws {
            let folder = try await LabRun.shared.value.folder.appendingPathComponent("usb-pictures/\(size)")
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            let served = try Set(files.map { try Data(contentsOf: $0) })
            #expect(!served.isEmpty)
            for file in try step.files() {
                #expect(try served.contains(Self.withoutExif(step.file(file))), "\(file)")
            }
        }

        /// A JPEG without its first APP1 segment of EXIF.
        private static func withoutExif(_ file: URL) throws -> Data {
            let bytes = try [UInt8](Data(contentsOf: file))
            let marker: [UInt8] = [0xFF, 0xE1]
            let name = Array("Exif\0\0".utf8)
            for place in 0..<max(0, min(4096, bytes.count - 10)) where bytes[place..<(place + 2)].elementsEqual(marker)
            {
                guard bytes[(place + 4)..<(place + 10)].elementsEqual(name) else { continue }
                let end = place + 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
                return Data(bytes[..<place] + bytes[min(end, bytes.count)...])
            }
            throw LabRun.Failure(description: "\(file.lastPathComponent) has no EXIF")
        }
    }
}
