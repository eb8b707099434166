// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import PresetKit

/// An accelerometer of Linux' industrial I/O subsystem. Each frame triggers a reading; nothing polls the sensor.
///
/// An actor on a separate thread, because a reading waits for the sensor's bus.
actor Accelerometer {
    private let executor = BlockingExecutor("gst-capture.accelerometer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The sensor's folder.
    nonisolated let folder: String
    private var detector: ShakeDetector

    /// Creates a reader for a sensor's folder, whether or not the folder exists.
    init(folder: String, threshold: Double = ShakeDetector.threshold) {
        self.folder = folder
        detector = ShakeDetector(threshold: threshold)
    }

    /// Returns the folder of the first sensor that measures acceleration along three axes; `nil` if there is none.
    /// Blocks on file access: do not call it on the cooperative pool.
    static func find(in devices: String = AccelerometerRequest.devices) -> String? {
        let numbers = DeviceFiles.names(in: devices).compactMap { name in
            name.hasPrefix("iio:device") ? Int(name.dropFirst(10)) : nil
        }
        let folders = numbers.sorted().map { "\(devices)/iio:device\($0)" }
        return folders.first { folder in
            ["x", "y", "z"].allSatisfy { DeviceFiles.exists("\(folder)/in_accel_\($0)_raw") }
        }
    }

    /// Reads the current acceleration; `nil` if a file is missing, or has no plausible number.
    func read() -> Acceleration? {
        guard let x = axis("x"), let y = axis("y"), let z = axis("z") else { return nil }
        return Acceleration(x: x, y: y, z: z)
    }

    /// Reads the sensor and judges whether it shakes; `nil` if it cannot be read.
    func judge() -> GateVerdict? { read().map { detector.add($0) } }

    /// Returns (raw + offset) · scale, in m/s². Offset and scale have a file for the axis or one for all axes.
    private func axis(_ name: String) -> Double? {
        guard let raw = number("in_accel_\(name)_raw"),
            let scale = number("in_accel_\(name)_scale") ?? number("in_accel_scale")
        else { return nil }
        let value = (raw + (number("in_accel_\(name)_offset") ?? number("in_accel_offset") ?? 0)) * scale
        // No sensor survives a larger acceleration: a higher value is a wrong file, not shake.
        return abs(value) < 10_000 ? value : nil
    }

    private func number(_ file: String) -> Double? {
        DeviceFiles.line("\(folder)/\(file)").flatMap(Double.init(decimal:))
    }
}

extension AccelerometerRequest {
    /// The sensor's folder, whether or not it exists; `nil` if no sensor is requested, or none is found.
    var path: String? {
        get async {
            switch self {
            case .automatic: await BlockingWork.run { Accelerometer.find() }
            case .off: nil
            case .folder(let path): path
            }
        }
    }
}
