// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import PresetKit
import Synchronization
import Testing

@testable import CaptureKit

@Suite("Shipped presets")
struct ShippedPresetTests {
    @Test("Shipped presets are valid, and state their purpose and their source", arguments: ShippedPresets.paths)
    func good(path: String) throws {
        let preset = try Preset(path: path)
        #expect(preset.description.hasSuffix("."))
        #expect(preset.description.count <= 120)
        #expect((preset.settings.camera == nil) != (preset.settings.source == nil))
    }

    @Test("All shipped presets are listed")
    func complete() {
        let names = ShippedPresets.paths.map { String($0.split(separator: "/").last?.dropLast(5) ?? "") }
        #expect(
            names == [
                "film-of-the-day", "id-card", "ip-webcam-mjpeg", "jetson-argus", "passport-photo",
                "raspberry-pi-libcamera", "rtsp", "scene",
                "timelapse-day", "usb-mjpeg-1080p", "usb-yuyv-480p",
            ])
    }

    @Test("Shipped presets are found by name from a program that was built here")
    func found() throws {
        #expect(try PresetLibrary().preset("scene").settings.camera == "scene")
    }

    @Test(
        "The preset for HTTP cameras captures streams, also without a first boundary, and single pictures",
        .timeLimit(.minutes(5)), arguments: 0..<3)
    func webcam(kind: Int) async throws {
        let picture = try await JPEGFile.made().bytes
        let camera = try #require(
            HTTPCamera { _, _ in
                switch kind {
                case 0: .stream(picture: picture, count: 100)
                case 1: .streamWithoutFirstBoundary(picture: picture, count: 100)
                default: .content(status: 200, media: "image/jpeg", picture)
                }
            })
        defer { camera.stop() }
        let source = try #require(try PresetLibrary().preset("ip-webcam-mjpeg").settings.source)
        #expect(source.contains("http://192.0.2.10:81/stream"))
        let local = source.replacing("http://192.0.2.10:81/stream", with: camera.address("/stream"))
        // A busy machine misses slots: the series continues until it has two pictures.
        let count = Mutex(0)
        let record = await CaptureRecord.of(local) {
            ($0.schedule, $0.stallLimit) = (.every(.milliseconds(600)), .seconds(300))
        } onEvent: { event, controller in
            guard case .captured = event else { return }
            let isSecond = count.withLock { count in
                count += 1
                return count == 2
            }
            if isSecond { await controller.finish() }
        }
        #expect(record.stills.count >= 2)
        #expect(!record.events.contains { if case .lost = $0 { true } else { false } })
    }

    @Test("Shipped presets have the settings that their hardware needs")
    func contents() throws {
        let library = PresetLibrary()
        let webcam = try library.preset("usb-mjpeg-1080p").settings
        #expect([webcam.width, webcam.height] == [1920, 1080] && webcam.format == "mjpeg")
        let raw = try library.preset("usb-yuyv-480p").settings
        #expect([raw.width, raw.height] == [640, 480] && raw.format == "YUY2")
        let pi = try library.preset("raspberry-pi-libcamera").settings
        #expect(pi.format == "NV12" && pi.source?.contains("colorimetry=bt709") == true)
        let jetson = try library.preset("jetson-argus").settings
        #expect(jetson.source?.contains("memory:NVMM") == true && jetson.source?.contains("! nvvidconv !") == true)
        let network = try library.preset("rtsp").settings
        #expect(network.source?.contains("protocols=tcp") == true && network.decode == "auto")
        let day = try library.preset("timelapse-day").settings
        #expect(day.mode == .timelapse && day.interval == .seconds(60) && day.until != nil)
        let film = try library.preset("film-of-the-day").settings
        #expect(film.film == .day && film.filmDeflicker == true && film.mode == .timelapse)
    }

    @Test("The layers of shipped presets exist", arguments: ShippedPresets.paths)
    func layers(path: String) throws {
        #expect(Preset.errors(inFile: path) == [])
    }

    @Test("Shipped presets can be used unchanged", arguments: ShippedPresets.paths)
    func usable(path: String) throws {
        let settings = try Preset(path: path).settings
        try CaptureConfiguration.check(settings, mode: settings.mode ?? .snap)
    }
}
