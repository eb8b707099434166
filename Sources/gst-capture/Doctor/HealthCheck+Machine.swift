// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit

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

    // The usual time services create these files once they have the time.
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
        SystemFile.text("/sys/devices/platform/soc/soc:firmware/get_throttled").flatMap { Int($0, radix: 16) }
    }

    private static let synchronize = "sudo timedatectl set-ntp true"

    private static var temperatures: [Int] {
        let zones = SystemFile.names(in: "/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
        return zones.compactMap { zone in
            SystemFile.text("/sys/class/thermal/\(zone)/temp").flatMap { Int($0) }.map { $0 / 1000 }
        }
    }
}
