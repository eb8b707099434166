// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import TerminalKit

/// Formats a control for the list of controls.
struct ControlListing {
    private let control: CameraControl

    /// Creates the listing of a control.
    init(_ control: CameraControl) { self.control = control }

    /// `brightness  128  (0 to 255, default 128)`.
    func text(for terminal: Terminal) -> String {
        var notes = [control.rangeDescription]
        if control.isReadable, control.kind != .string { notes.append("default \(words(control.defaultValue))") }
        notes += control.flags.names
        return "\(Self.padded(control.name, 30)) \(Self.padded(value, 14)) "
            + terminal.styled(notes.joined(separator: ", "), .dim)
    }

    /// `brightness=128`.
    var assignment: String { "\(control.name)=\(value)" }

    /// The value; for menus and switches in words.
    var value: String {
        switch control.value {
        case .integer(let number): words(number)
        case .text(let text): text
        case nil: "-"
        }
    }

    /// One object for programs.
    var json: JSONValue { control.json }

    private func words(_ number: Int64) -> String {
        switch control.kind {
        case .boolean: number == 0 ? "off" : "on"
        case .menu, .integerMenu: control.menu.first { $0.index == number }?.name ?? "\(number)"
        case .bitmask: "0x" + String(UInt32(truncatingIfNeeded: number), radix: 16)
        default: "\(number)"
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
