// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import OverlayCompositor
import PipelineKit
import TerminalKit

extension HealthCheck {
    /// Checks the clock, which is in every picture's name and record.
    static func clock() -> HealthCheck {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // A time before the start of 2025 is wrong: it is older than the program.
        guard now.tv_sec > 1_735_689_600 else {
            return .failure("clock", "is wrong: \(Timestamp.iso8601(.now()))", synchronize)
        }
        let text = Timestamp.iso8601(.now())
        guard let keeper = clockKeeper else {
            return .warning("clock", "\(text), not set by a known time service", synchronize)
        }
        return .good("clock", "\(text), set by \(keeper)")
    }

    // systemd-timesyncd creates its file when it has the time, the other services when they start.
    private static var clockKeeper: String? {
        let traces = [
            ("systemd-timesyncd", "/run/systemd/timesync/synchronized"), ("chrony", "/run/chrony/chronyd.pid"),
            ("chrony", "/run/chronyd.pid"), ("ntpd", "/run/ntpd.pid"), ("ntpsec", "/run/ntpsec/ntpd.pid"),
        ]
        return traces.first { access($0.1, F_OK) == 0 }?.0
    }

    /// Checks for heat and weak power supplies, which throttle a small computer; returns `nil` if there is nothing to
    /// report.
    static func throttling() -> HealthCheck? {
        if let bits = throttlingBits, bits != 0 {
            let when = bits & 0xF != 0 ? "is slowed down now" : "was slowed down since the start"
            // Bits 0 and 16 mean undervoltage, now and earlier (vcgencmd get_throttled).
            let isPower = bits & 0x1_0001 != 0
            return .warning(
                "throttling", "the processor \(when)",
                isPower ? "use a stronger power supply" : "give it better cooling")
        }
        guard let hottest = temperatures.max(), hottest >= 80 else { return nil }
        return .warning("throttling", "\(hottest) °C", "give it better cooling; processors slow down at 80 to 100 °C")
    }

    private static var throttlingBits: Int? {
        DeviceFiles.line("/sys/devices/platform/soc/soc:firmware/get_throttled").flatMap { Int($0, radix: 16) }
    }

    private static let synchronize = "sudo timedatectl set-ntp true"

    private static var temperatures: [Int] {
        let zones = DeviceFiles.names(in: "/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
        return zones.compactMap { zone in
            DeviceFiles.line("/sys/class/thermal/\(zone)/temp").flatMap { Int($0) }.map { $0 / 1000 }
        }
    }
}

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

    /// Checks which encoder makes JPEG of raw frames, with the most common format.
    static func jpeg() async -> HealthCheck {
        let hardware = HardwareJPEG.shared
        guard let caps = try? Caps("video/x-raw,format=YUY2,width=1280,height=720,framerate=30/1,colorimetry=1:4:0:0")
        else { return .failure("jpeg", "GStreamer does not know YUY2", "reinstall gstreamer1.0-plugins-base") }
        guard case .library(let reason) = await hardware.choice(for: caps, quality: 90, isExact: true) else {
            return .good("jpeg", "\(hardware.element) encodes pictures and live pictures")
        }
        if await hardware.choice(for: caps, quality: 80, isExact: false) == .hardware {
            return .good("jpeg", "\(hardware.element) encodes live pictures; libjpeg-turbo encodes others: \(reason)")
        }
        return .good("jpeg", "libjpeg-turbo encodes: \(reason)")
    }

    /// Checks that texts are drawn: without a font, countdowns and instructions stay empty.
    static func text() async -> HealthCheck {
        let digit = RasterRequest(
            .text("0", TextStyle(font: "Sans", lineHeight: 32, color: .white)), width: 64, height: 64, point: (0, 0),
            anchor: UnitPoint(0, 0), extent: (64, 64))
        do throws(OverlayError) {
            let image = try await RasterProcess.standard().rasterize(digit)
            guard image.pixels.contains(where: { $0 != 0 }) else {
                return .warning("text", "no text is drawn: there is no font", "install fonts-dejavu-core")
            }
            return .good("text", "texts and outlines are drawn")
        } catch {
            let error = CaptureError(error)
            return .warning("text", "no text is drawn: \(error.message)", error.advice)
        }
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
        let model = DeviceFiles.line("/proc/device-tree/model") ?? ""
        if model.hasPrefix("Raspberry Pi") { return .raspberryPi }
        return model.contains("Jetson") || access("/etc/nv_tegra_release", F_OK) == 0 ? .jetson : .other
    }()
}

extension HealthCheck {
    /// Checks the permissions of the camera nodes.
    static func permissions() -> HealthCheck {
        let nodes = DeviceFiles.names(in: "/dev").filter { $0.hasPrefix("video") }.sorted().map { "/dev/\($0)" }
        guard !nodes.isEmpty else {
            return .warning(
                "permissions", "no camera node /dev/video*",
                "plug a camera in, or use --camera scene; dmesg shows the kernel's messages")
        }
        let closed = nodes.filter { access($0, R_OK | W_OK) != 0 }
        guard let first = closed.first else {
            return .good("permissions", "access to \(nodes.joined(separator: ", "))")
        }
        let group = owningGroup(of: first) ?? "video"
        return .failure(
            "permissions", "no access to \(closed.joined(separator: ", "))",
            "sudo usermod -aG \(group) $USER, then log in again", code: .permission)
    }

    /// Checks all cameras, or one.
    ///
    /// - Parameter needed: The camera that must be available; `nil` to check all.
    static func cameras(needed: String?) async -> [HealthCheck] {
        guard let needed else { return await CameraFinder.all().filter { $0.kind != .scene }.map(check) }
        do throws(CaptureError) {
            return [check(try await CameraCatalog.find(needed))]
        } catch {
            return [.failure("camera", error)]
        }
    }

    private static func check(_ camera: Camera) -> HealthCheck {
        if let problem = camera.problem { return .failure("camera", problem) }
        if camera.kind == .libcamera, let problem = FrameMemory.problem {
            return .warning("camera", "\(camera.id) may get no memory for frames", "\(problem)")
        }
        if camera.kind == .scene || camera.isUsable { return .good("camera", "\(camera.id), \(camera.name)") }
        let advice = camera.needsMediaController ? "use it through libcamera" : "see gst-capture cameras"
        return .warning("camera", "\(camera.id) gives no pictures by itself", advice)
    }

    private static func owningGroup(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, let entry = getgrgid(status.st_gid) else { return nil }
        return String(cString: entry.pointee.gr_name)
    }
}
