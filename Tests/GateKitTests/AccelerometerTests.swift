// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

@testable import GateKit

@Suite("Detecting shake with an accelerometer")
struct AccelerometerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("iio:device0/in_voltage0_raw", "12\n")
        try folder.write("iio:device10/in_accel_x_raw", "1\n")
        try write(0, 0, 1280)
        try folder.write("iio:device2/in_accel_scale", "0.0078125\n")
    }

    private var sensor: String { folder.path + "/iio:device2" }

    private func write(_ x: Int, _ y: Int, _ z: Int) throws {
        for (axis, level) in [("x", x), ("y", y), ("z", z)] {
            try folder.write("iio:device2/in_accel_\(axis)_raw", "\(level)\n")
        }
    }

    @Test("The first sensor with three axes is found")
    func finding() {
        #expect(Accelerometer.find(in: folder.path) == sensor)
        #expect(Accelerometer.find(in: folder.path + "/none") == nil)
    }

    @Test("Raw values are converted to m/s² by the scale and offset of each axis or of all axes")
    func units() async throws {
        let accelerometer = Accelerometer(folder: sensor)
        #expect(await accelerometer.read() == Acceleration(x: 0, y: 0, z: 10))
        try folder.write("iio:device2/in_accel_x_offset", "200\n")
        try folder.write("iio:device2/in_accel_x_scale", "0.5\n")
        #expect(await accelerometer.read() == Acceleration(x: 100, y: 0, z: 10))
    }

    @Test("A sensor at rest passes; a tap fails the gate at once, and the gate passes again later")
    func shake() async throws {
        let accelerometer = Accelerometer(folder: sensor)
        for noise in [0, 3, -4, 2, 5, -1] {
            try write(noise, -noise, 1280 + noise)
            #expect(await accelerometer.judge()?.passes == true)
        }
        try write(150, 0, 1280)
        let tap = try #require(await accelerometer.judge())
        #expect(!tap.passes && tap.hint == .holdStill && tap.score > 1 && tap.threshold == 0.8)
        try write(0, 0, 1280)
        var last: GateVerdict?
        for _ in 0..<12 { last = await accelerometer.judge() }
        #expect(last?.passes == true)
    }

    @Test("A sensor without any motion passes the strictest limit")
    func motionless() {
        var detector = ShakeDetector(threshold: GateScale.shake.measure(of: 1))
        for _ in 0..<5 { #expect(detector.add(Acceleration(x: 0, y: 0, z: 9.81)).passes) }
    }

    @Test("A camera that is turned slowly does not shake")
    func turning() {
        var detector = ShakeDetector()
        for step in 0...900 {
            let angle = Double(step) / 900 * .pi / 2
            let gravity = Acceleration(x: 9.81 * sin(angle), y: 0, z: 9.81 * cos(angle))
            #expect(detector.add(gravity).passes)
        }
    }

    @Test(
        "Content that is not a number gives no reading",
        arguments: [
            "", "\n", "nan", "inf", "-inf", "0x10", "1e999", "12 13", "1,5", "--1", "\u{0}5", "٣", "1e308",
            String(repeating: "9", count: 40), "abc\n5",
        ])
    func hostile(content: String) async throws {
        for name in ["in_accel_x_raw", "in_accel_scale"] {
            try write(0, 0, 1280)
            try folder.write("iio:device2/in_accel_scale", "1")
            try folder.write("iio:device2/\(name)", content)
            let reading = await Accelerometer(folder: sensor).read()
            #expect(reading == nil)
        }
    }

    @Test("A sensor whose folder is missing, or whose file is a folder, gives no verdict")
    func gone() async throws {
        #expect(await Accelerometer(folder: folder.path + "/none").judge() == nil)
        try folder.remove("iio:device2/in_accel_y_raw")
        try folder.write("iio:device2/in_accel_y_raw/folder", "1")
        #expect(await Accelerometer(folder: sensor).judge() == nil)
    }

    @Test("Reading random bytes gives a finite reading or none, and never traps")
    func random() async throws {
        var generator = SplitMix(11)
        let accelerometer = Accelerometer(folder: sensor)
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            try Data(bytes).write(to: URL(filePath: sensor + "/in_accel_z_raw"))
            if let reading = await accelerometer.read() { #expect(reading.length.isFinite) }
        }
    }
}
