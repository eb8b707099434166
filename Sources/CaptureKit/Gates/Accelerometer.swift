// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// An accelerometer of Linux' industrial I/O subsystem, read when a frame comes: nothing polls it.
///
/// An actor on a thread of its own: reading asks the sensor, over a bus that takes its time.
actor Accelerometer {
    /// Where the kernel lists sensors (Documentation/ABI/testing/sysfs-bus-iio).
    static let devices = "/sys/bus/iio/devices"

    private let executor = BlockingExecutor("gst-capture.accelerometer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The sensor's folder.
    nonisolated let folder: String
    private var detector: ShakeDetector

    /// A sensor by its folder, be it there or not.
    init(folder: String, threshold: Double = ShakeDetector.threshold) {
        self.folder = folder
        detector = ShakeDetector(threshold: threshold)
    }

    /// The folder of the first sensor in a folder of them that measures acceleration along three axes. It reads files:
    /// not for the cooperative pool.
    static func find(in devices: String = Accelerometer.devices) -> String? {
        let numbers = DeviceFiles.names(in: devices).compactMap { name in
            name.hasPrefix("iio:device") ? Int(name.dropFirst(10)) : nil
        }
        let folders = numbers.sorted().map { "\(devices)/iio:device\($0)" }
        return folders.first { folder in
            ["x", "y", "z"].allSatisfy { DeviceFiles.exists("\(folder)/in_accel_\($0)_raw") }
        }
    }

    /// What it measures now; `nil` where a file is missing or holds no number.
    func read() -> Acceleration? {
        guard let x = axis("x"), let y = axis("y"), let z = axis("z") else { return nil }
        return Acceleration(x: x, y: y, z: z)
    }

    /// Reads it, and says whether it shakes; `nil` where it cannot be read.
    func judge() -> GateVerdict? { read().map { detector.add($0) } }

    /// (raw + offset) · scale is in m/s²; offset and scale are an axis' own, or those of all.
    private func axis(_ name: String) -> Double? {
        guard let raw = number("in_accel_\(name)_raw"),
            let scale = number("in_accel_\(name)_scale") ?? number("in_accel_scale")
        else { return nil }
        let value = (raw + (number("in_accel_\(name)_offset") ?? number("in_accel_offset") ?? 0)) * scale
        // No sensor that survives measures more: a mistake in a file is no shake.
        return abs(value) < 10_000 ? value : nil
    }

    private func number(_ file: String) -> Double? {
        DeviceFiles.line("\(folder)/\(file)").flatMap(Double.init(decimal:))
    }
}
