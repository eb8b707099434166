// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit

extension HealthCheck {
    /// Checks GStreamer itself, and the elements that captures need.
    static func gstreamer() -> [HealthCheck] {
        do throws(PipelineError) {
            try GStreamer.initialize()
        } catch {
            return [.failure("gstreamer", error.message, error.advice ?? "reinstall libgstreamer1.0-0")]
        }
        return [version(GStreamer.version), needed(), optional(), registry()].compactMap { $0 }
    }

    private static func version(_ version: String) -> HealthCheck {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        let isOld = numbers.count >= 2 && (numbers[0], numbers[1]) < (1, 20)
        guard isOld else { return .good("gstreamer", "GStreamer \(version)") }
        return .warning("gstreamer", "GStreamer \(version) is older than the tested versions", "use 1.20 or newer")
    }

    private static func needed() -> HealthCheck {
        let elements = [
            "appsink", "appsrc", "decodebin", "jpegdec", "jpegenc", "v4l2src", "videoconvert", "videoflip",
            "videotestsrc",
        ]
        let missing = elements.filter { !GStreamer.hasElement($0) }
        guard !missing.isEmpty else { return .good("elements", "all \(elements.count) that captures need") }
        return .failure("elements", "missing: \(missing.joined(separator: ", "))", packages(bringing: missing))
    }

    private static func optional() -> HealthCheck {
        var wanted = [("pngenc", "PNG"), ("webpenc", "WebP"), ("rtspsrc", "network cameras")]
        if Board.current == .raspberryPi { wanted.append(("libcamerasrc", "the Raspberry Pi's own cameras")) }
        if Board.current == .jetson { wanted.append(("nvarguscamerasrc", "the Jetson's own cameras")) }
        let missing = wanted.filter { !GStreamer.hasElement($0.0) }
        guard !missing.isEmpty else {
            return .good("extras", "elements for " + wanted.map(\.1).joined(separator: ", "))
        }
        let uses = missing.map { "\($0.0) for \($0.1)" }.joined(separator: ", ")
        return .warning("extras", "missing: \(uses)", packages(bringing: missing.map(\.0)))
    }

    // PipelineKit's error for a missing element names the package.
    private static func packages(bringing elements: [String]) -> String? {
        var advice: [String] = []
        for element in elements {
            do throws(PipelineError) {
                _ = try Element.make(element)
            } catch {
                if let text = error.advice, !advice.contains(text) { advice.append(text) }
            }
        }
        return advice.isEmpty ? nil : advice.joined(separator: "; ")
    }

    // Without its cache GStreamer scans every plugin at each start: 300 ms instead of 7.
    private static func registry() -> HealthCheck? {
        if Terminal.variable("GST_REGISTRY") != nil { return nil }
        let home = Terminal.variable("HOME") ?? ""
        let cache = Terminal.variable("XDG_CACHE_HOME") ?? "\(home)/.cache"
        let folder = "\(cache)/gstreamer-1.0"
        guard access(folder, W_OK) != 0 else { return nil }
        return .warning(
            "registry", "\(folder) cannot be written: each start takes 0.3 s longer",
            "make it writable, or set GST_REGISTRY to a file that is")
    }
}

/// Single-board computers with built-in camera interfaces.
enum Board {
    case raspberryPi, jetson, other

    /// The board that this process runs on, from its device tree.
    static let current: Board = {
        let model = SystemFile.text("/proc/device-tree/model") ?? ""
        if model.hasPrefix("Raspberry Pi") { return .raspberryPi }
        return model.contains("Jetson") || access("/etc/nv_tegra_release", F_OK) == 0 ? .jetson : .other
    }()
}
