// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CameraControl {
    /// Parses a value for this control from text:
    ///
    /// - `default`, for any control that has one.
    /// - A number, decimal or `0x…`, or a share of the range such as `50%`. It is rounded to the control's steps.
    /// - `on`, `off`, `true`, `false`, `yes`, `no`, `1`, `0` for a switch.
    /// - The index, the name or an unambiguous beginning of the name of a menu entry, in upper or lower case.
    ///
    /// - Throws: `CaptureError` `.usage` that states the accepted values.
    public func parse(_ text: String) throws(CaptureError) -> ControlValue {
        guard isWritable else {
            let obstacle = flags.intersection([.disabled, .readOnly]).names.first ?? "an array"
            throw failure("cannot be set", "it is \(obstacle)")
        }
        if kind == .string { return try parse(string: text) }
        let text = FixedText.trimmed(text).lowercased()
        if kind == .button { return try parse(button: text) }
        if text == "default" { return .integer(defaultValue) }
        switch kind {
        case .boolean: return try parse(boolean: text)
        case .menu, .integerMenu: return try parse(menu: text)
        case .bitmask: return try parse(bitmask: text)
        default: return try parse(number: text)
        }
    }

    /// The range in words, for messages.
    public var rangeDescription: String {
        switch kind {
        case .boolean: "on or off"
        case .menu, .integerMenu: "one of " + menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
        case .button: "press"
        case .bitmask: "bits within 0x\(String(UInt32(truncatingIfNeeded: maximum), radix: 16))"
        case .string: "\(minimum) to \(maximum) bytes of text"
        case .compound: "an array"
        case .integer, .integer64: "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
        }
    }

    private func failure(_ message: String, _ advice: String? = nil) -> CaptureError {
        CaptureError(.usage, message, subject: name, advice: advice ?? "give \(rangeDescription)")
    }

    private func parse(boolean text: String) throws(CaptureError) -> ControlValue {
        switch text {
        case "on", "true", "yes", "1": .integer(1)
        case "off", "false", "no", "0": .integer(0)
        default: throw failure("is a switch and does not take \(text)")
        }
    }

    private func parse(button text: String) throws(CaptureError) -> ControlValue {
        guard ["", "press", "on", "1"].contains(text) else { throw failure("is a button: it can only be pressed") }
        return .integer(1)
    }

    private func parse(menu text: String) throws(CaptureError) -> ControlValue {
        if let index = Self.number(text), let item = menu.first(where: { $0.index == index }) {
            return .integer(item.index)
        }
        let wanted = ControlName.spelled(text)
        let named = menu.map { (index: $0.index, name: ControlName.spelled($0.name)) }
        if !wanted.isEmpty {
            if let exact = named.first(where: { $0.name == wanted }) { return .integer(exact.index) }
            let begun = named.filter { $0.name.hasPrefix(wanted) }
            if begun.count == 1 { return .integer(begun[0].index) }
        }
        throw failure("has no choice \(text)")
    }

    private func parse(bitmask text: String) throws(CaptureError) -> ControlValue {
        let allowed = UInt32(truncatingIfNeeded: maximum)
        guard let number = Self.number(text), let bits = UInt32(exactly: number), bits & ~allowed == 0 else {
            throw failure("does not take \(text)")
        }
        return .integer(Int64(Int32(bitPattern: bits)))
    }

    private func parse(string text: String) throws(CaptureError) -> ControlValue {
        let length = Int64(text.utf8.count)
        guard length >= minimum, length <= maximum, !text.utf8.contains(0) else {
            throw failure("does not take text of \(length) bytes")
        }
        return .text(text)
    }

    private func parse(number text: String) throws(CaptureError) -> ControlValue {
        if text.hasSuffix("%") { return try parse(percent: text.dropLast()) }
        guard let number = Self.number(text) else { throw failure("takes a number, not \(text)") }
        guard number >= minimum, number <= maximum else { throw failure("\(number) is out of range") }
        return .integer(stepped(number))
    }

    private func parse(percent text: Substring) throws(CaptureError) -> ControlValue {
        guard let percent = Double(text), percent >= 0, percent <= 100 else {
            throw failure("takes 0% to 100%, not \(text)%")
        }
        // The span of a 64-bit control does not fit Int64, but always UInt64.
        let offset = percent == 100 ? span : UInt64(exactly: (Double(span) * percent / 100).rounded()) ?? span
        return .integer(stepped(minimum &+ Int64(bitPattern: offset)))
    }

    private var span: UInt64 { maximum > minimum ? UInt64(bitPattern: maximum &- minimum) : 0 }

    /// Returns the nearest value that is a whole number of steps above the minimum, rounded as the kernel does.
    func stepped(_ number: Int64) -> Int64 {
        guard maximum > minimum else { return minimum }
        let number = min(max(number, minimum), maximum)
        let offset = UInt64(bitPattern: number &- minimum)
        let (below, rest) = (offset - offset % step, offset % step)
        let roundsUp = rest >= step - rest && rest > 0 && span - below >= step
        return minimum &+ Int64(bitPattern: roundsUp ? below + step : below)
    }

    /// Parses a decimal or hexadecimal number; `nil` for other text, and for a number that does not fit.
    private static func number(_ text: String) -> Int64? {
        guard text.hasPrefix("0x") else { return Int64(text) }
        let digits = text.dropFirst(2)
        return digits.allSatisfy(\.isHexDigit) ? Int64(digits, radix: 16) : nil
    }
}
