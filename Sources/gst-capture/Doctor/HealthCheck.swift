// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit
import PresetKit
import TerminalKit

/// One check of this machine, and its result.
struct HealthCheck: Sendable {
    /// The outcome of a check.
    enum Outcome: String, Sendable {
        case good, warning, failure
    }

    /// The name of the check in one stable word: `gstreamer`, `disk`.
    let name: String
    /// The outcome.
    let outcome: Outcome
    /// The result in one line.
    let finding: String
    /// Advice for the user; `nil` if there is none.
    let advice: String?
    /// The code of the exit status if the check fails.
    let code: CaptureError.Code

    /// Creates a result without a problem.
    static func good(_ name: String, _ finding: String) -> HealthCheck {
        HealthCheck(name: name, outcome: .good, finding: finding, advice: nil, code: .configuration)
    }

    /// Creates a result for something that works, but not in all cases or not for long.
    static func warning(_ name: String, _ finding: String, _ advice: String?) -> HealthCheck {
        HealthCheck(name: name, outcome: .warning, finding: finding, advice: advice, code: .configuration)
    }

    /// Creates a result for something that does not work.
    static func failure(
        _ name: String, _ finding: String, _ advice: String?, code: CaptureError.Code = .configuration
    ) -> HealthCheck {
        HealthCheck(name: name, outcome: .failure, finding: finding, advice: advice, code: code)
    }

    /// Creates a result from an error.
    static func failure(_ name: String, _ error: CaptureError) -> HealthCheck {
        let subject = error.subject.map { "\($0): " } ?? ""
        return .failure(name, subject + error.message, error.advice, code: error.code)
    }

    /// Returns one line for people, and a second one with the advice.
    func text(for terminal: Terminal) -> String {
        let marks = terminal.isUnicode ? ["✓", "!", "✗"] : ["ok  ", "warn", "FAIL"]
        let mark =
            switch outcome {
            case .good: terminal.styled(marks[0], .green)
            case .warning: terminal.styled(marks[1], .yellow)
            case .failure: terminal.styled(marks[2], .red)
            }
        let label = name + String(repeating: " ", count: max(1, 14 - name.count))
        let arrow = terminal.isUnicode ? "→" : "->"
        let indent = String(repeating: " ", count: marks[0].count + 15)
        return "\(mark) \(label)\(finding)" + (advice.map { "\n\(indent)\(arrow) \($0)" } ?? "")
    }

    /// One object for programs.
    var json: JSONValue {
        .object([
            "check": .string(name), "outcome": .string(outcome.rawValue), "finding": .string(finding),
            "advice": .optional(advice),
        ])
    }
}

extension HealthCheck {
    /// Checks the free space of the folder for pictures, its permissions, and how long a durable write takes.
    static func disk(_ folder: String) -> [HealthCheck] {
        guard let space = DiskSpace(at: folder) else {
            let reason = String(cString: strerror(errno))
            return [.failure("disk", "\(folder): \(reason)", "make the folder, or choose another", code: .cannotCreate)]
        }
        return [check(space.free, folder), durability(folder)]
    }

    private static func check(_ free: Int, _ folder: String) -> HealthCheck {
        let finding = "\(Wording.bytes(free)) free in \(folder)"
        if free < 20_000_000 { return .failure("disk", finding, "make room", code: .cannotCreate) }
        if free < 1_000_000_000 { return .warning("disk", finding, "some hundred pictures fill it: make room") }
        return .good("disk", finding)
    }

    private static func durability(_ folder: String) -> HealthCheck {
        var name = Array("\(folder)/.gst-capture-doctor-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            return .failure(
                "writing", "\(folder): \(String(cString: strerror(errno)))", "choose a folder that you may write to",
                code: .cannotCreate)
        }
        defer { close(descriptor) }
        unlink(name)
        return syncing(descriptor, in: folder)
    }

    // Writes as many bytes as a picture has, and waits until they are on the disk (`fsync`).
    private static func syncing(_ descriptor: Int32, in folder: String) -> HealthCheck {
        let bytes = [UInt8](repeating: 0x55, count: 500_000)
        let start = PipelineClock.system.now
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            return .failure("writing", "\(folder): \(reason)", "check the disk", code: .inputOutput)
        }
        let span = PipelineClock.system.now - start
        let finding = "a picture is safe on disk after \(Wording.span(span))"
        guard span > .milliseconds(250) else { return .good("writing", finding) }
        return .warning("writing", finding, "shorter intervals than that cannot be kept: use a faster disk")
    }
}

extension HealthCheck {
    /// Checks the presets that are found for mistakes, such as outlines that do not exist.
    static func presets() -> [HealthCheck] {
        var (good, checks): ([String], [HealthCheck]) = ([], [])
        for entry in PresetLibrary().entries {
            var errors = Preset.errors(inFile: entry.path)
            if errors.isEmpty, case .failure(let refused) = entry.preset { errors = [refused] }
            if errors.isEmpty { good.append(entry.name) }
            // A mistake in one preset does not affect the others.
            checks += errors.map { .warning("presets", $0.description, "fix the preset, or remove it") }
        }
        if good.isEmpty {
            return checks + [.warning("presets", "none is found", "see gst-capture help presets for their folders")]
        }
        return [.good("presets", good.joined(separator: ", "))] + checks
    }
}

extension HealthCheck {
    /// Checks that shells and systemd start this copy; returns `nil` if they do, or if this copy is not installed.
    static func copies() -> HealthCheck? {
        let copies = InstalledCopies(
            of: "gst-capture", path: Terminal.variable("PATH") ?? "",
            units: ["gst-capture-serve.service", "gst-capture@.service"])
        let conflicts = copies.conflicts(running: InstalledProgram.running ?? "")
        guard !conflicts.isEmpty else { return nil }
        return .warning(
            "installation", conflicts.joined(separator: "; "),
            "keep one copy: sudo make uninstall, or sudo apt-get remove gst-capture")
    }
}
