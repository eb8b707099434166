// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit

/// Formats a camera for the list of cameras.
struct CameraListing {
    private let camera: Camera

    /// Creates the listing of a camera.
    init(_ camera: Camera) { self.camera = camera }

    /// Returns a line with id, name and path, one line for each format, and the camera's problem if it has one.
    func text(for terminal: Terminal, allSizes: Bool) -> String {
        let title = [camera.name, camera.path].compactMap { $0 }.filter { $0 != camera.id }.joined(separator: ", ")
        var lines = [terminal.styled(camera.id, .bold) + (title.isEmpty ? "" : "  \(title)")]
        lines += camera.formats.filter { !$0.sizes.isEmpty }.flatMap { allSizes ? Self.all($0) : [Self.largest($0)] }
        if let problem = camera.problem {
            lines.append("    " + terminal.styled(terminal.isUnicode ? "✗ " : "! ", .red) + problem.message)
            if let advice = problem.advice { lines.append("      \(terminal.isUnicode ? "→" : "->") \(advice)") }
        } else if camera.needsMediaController {
            lines.append("    a part of a camera that libcamera supports; it gives no pictures alone")
        }
        return lines.joined(separator: "\n")
    }

    /// One object for programs.
    var json: JSONValue { camera.json }

    private static func largest(_ format: CameraFormat) -> String {
        let (fixed, ranges) = (format.sizes.filter(\.isSingle), format.sizes.filter { !$0.isSingle })
        var parts: [String] = []
        if let size = fixed.max(by: { $0.area < $1.area }) {
            parts.append(text(size) + (fixed.count > 1 ? " (\(fixed.count) sizes)" : ""))
        }
        parts += ranges.map { "\(smallest($0)) to \(rated("\($0.width)x\($0.height)", $0))" }
        return "    \(label(format))  " + parts.joined(separator: ", or ")
    }

    private static func smallest(_ size: FrameSize) -> String { "\(size.widths.lowerBound)x\(size.heights.lowerBound)" }

    private static func all(_ format: CameraFormat) -> [String] {
        format.sizes.map { "    \(label(format))  \(text($0))" }
    }

    private static func label(_ format: CameraFormat) -> String {
        let name = format.shortName
        return name + String(repeating: " ", count: max(0, 5 - name.count))
    }

    private static func text(_ size: FrameSize) -> String { rated("\(size)", size) }

    private static func rated(_ text: String, _ size: FrameSize) -> String {
        size.rates.fastest.map { "\(text)@\(rate($0))" } ?? text
    }

    // The shortest form: 30, 29.97, 0.5.
    private static func rate(_ rate: FrameRate) -> String { JSONValue.number(rate.doubleValue).text }
}

extension CameraFormat {
    /// The name that `--format` accepts: V4L2's, or else GStreamer's.
    fileprivate var shortName: String {
        let name = fourcc.description
        return name.isEmpty ? pixelFormat ?? mediaName ?? title : name
    }
}
