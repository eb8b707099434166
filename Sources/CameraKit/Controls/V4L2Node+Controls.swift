// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Glibc

extension V4L2Node {
    /// Limits above those of any driver, so that an endless list ends.
    private enum Limit {
        static let controls = 1024
        static let menu = 512
        static let stringBytes = 65536
    }

    /// Returns all controls with their values (`VIDIOC_QUERY_EXT_CTRL`; `VIDIOC_QUERYCTRL` with old drivers).
    ///
    /// - Throws: ``CaptureError`` if the device was disconnected.
    package func controls() throws(CaptureError) -> [CameraControl] {
        let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
        var controls: [CameraControl] = []
        var last: UInt32 = 0
        while controls.count < Limit.controls {
            var entry = v4l2_query_ext_ctrl()
            entry.id = last | next
            let code = call(cv4l2_query_ext_ctrl, &entry)
            if code == ENOTTY, last == 0 { return legacyControls() }
            if code == ENODEV || code == ENXIO { throw CaptureError.querying(path, code) }
            guard code == 0, entry.id > last else { break }
            last = entry.id
            if entry.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue { controls.append(control(entry)) }
        }
        return controls
    }

    /// Returns a control with its current value; `nil` if the node lacks it or was disconnected.
    package func control(_ id: ControlID) -> CameraControl? {
        var entry = v4l2_query_ext_ctrl()
        entry.id = id.rawValue
        if call(cv4l2_query_ext_ctrl, &entry) == 0 { return control(entry) }
        return legacyControl(id.rawValue)
    }

    private func control(_ entry: v4l2_query_ext_ctrl) -> CameraControl {
        let isArray = entry.nr_of_dims > 0
        let kind = isArray ? .compound : CameraControl.Kind(type: entry.type)
        return withValue(
            CameraControl(
                id: ControlID(rawValue: entry.id), name: ControlName.spelled(FixedText.read(entry.name)),
                title: FixedText.read(entry.name), kind: kind, minimum: entry.minimum, maximum: entry.maximum,
                step: entry.step, defaultValue: entry.default_value,
                menu: menu(entry.id, kind, entry.minimum, entry.maximum), flags: .init(rawValue: entry.flags)))
    }

    /// Returns the control with its current value.
    private func withValue(_ control: CameraControl) -> CameraControl {
        var control = control
        control.value = value(of: control)
        return control
    }

    /// Returns the controls of a driver without the control framework (`VIDIOC_QUERYCTRL`). A driver that does not
    /// support `V4L2_CTRL_FLAG_NEXT_CTRL` numbers the user controls consecutively.
    private func legacyControls() -> [CameraControl] {
        let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        var controls: [CameraControl] = []
        while controls.count < Limit.controls, let control = legacyControl((controls.last?.id.rawValue ?? 0) | next),
            control.id.rawValue > controls.last?.id.rawValue ?? 0
        {
            controls.append(control)
        }
        guard controls.isEmpty else { return controls }
        return (UInt32(V4L2_CID_BASE)..<UInt32(V4L2_CID_LASTP1)).compactMap(legacyControl)
    }

    /// Returns a control of such a driver; `nil` if the node lacks it or was disconnected.
    private func legacyControl(_ id: UInt32) -> CameraControl? {
        var entry = v4l2_queryctrl()
        entry.id = id
        guard call(cv4l2_queryctrl, &entry) == 0 else { return nil }
        let kind = CameraControl.Kind(type: entry.type)
        let (minimum, maximum) = (Int64(entry.minimum), Int64(entry.maximum))
        return withValue(
            CameraControl(
                id: ControlID(rawValue: entry.id), name: ControlName.spelled(FixedText.read(entry.name)),
                title: FixedText.read(entry.name), kind: kind, minimum: minimum, maximum: maximum,
                step: UInt64(max(entry.step, 1)), defaultValue: Int64(entry.default_value),
                menu: menu(entry.id, kind, minimum, maximum), flags: .init(rawValue: entry.flags)))
    }

    private func menu(
        _ id: UInt32, _ kind: CameraControl.Kind, _ minimum: Int64, _ maximum: Int64
    )
        -> [CameraControl.MenuItem]
    {
        guard kind == .menu || kind == .integerMenu, minimum >= 0, maximum >= minimum else { return [] }
        let last = min(maximum, minimum.addingReportingOverflow(Int64(Limit.menu)).partialValue, Int64(UInt32.max))
        return (minimum...max(minimum, last)).compactMap { index in
            var entry = v4l2_querymenu()
            entry.id = id
            entry.index = UInt32(truncatingIfNeeded: index)
            // The driver returns an error for entries that the device lacks.
            guard call(cv4l2_querymenu, &entry) == 0 else { return nil }
            guard kind == .integerMenu else { return .init(index: index, name: FixedText.read(entry.name)) }
            return .init(index: index, name: "\(entry.value)", number: entry.value)
        }
    }
}

extension V4L2Node {
    /// Reads a value (`VIDIOC_G_EXT_CTRLS`); `nil` for a control that cannot be read, or if the driver fails.
    private func value(of control: CameraControl) -> ControlValue? {
        guard control.isReadable else { return nil }
        if control.kind == .string { return string(of: control) }
        var entry = v4l2_ext_control()
        entry.id = control.id.rawValue
        let code = exchange(cv4l2_g_ext_ctrls, &entry)
        if code == ENOTTY { return legacyValue(of: control) }
        guard code == 0 else { return nil }
        return .integer(control.kind == .integer64 ? entry.value64 : Int64(entry.value))
    }

    /// Writes a value (`VIDIOC_S_EXT_CTRLS`).
    ///
    /// - Throws: ``CaptureError`` `.temporary` if another operation holds the control, `.usage` if the control refuses
    ///   the value.
    package func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        var entry = v4l2_ext_control()
        entry.id = setting.id.rawValue
        let code: Int32
        switch setting.value {
        case .text(let text):
            code = set(string: text, &entry)
        case .integer(let number):
            if kind == .integer64 { entry.value64 = number } else { entry.value = Int32(truncatingIfNeeded: number) }
            let extended = exchange(cv4l2_s_ext_ctrls, &entry)
            code = extended == ENOTTY ? setLegacy(setting.id, number) : extended
        }
        guard code == 0 else { throw failure(code, setting: setting) }
    }

    /// Reads or writes one control. Returns 0, or the error number.
    private func exchange(_ request: UInt, _ entry: inout v4l2_ext_control) -> Int32 {
        withUnsafeMutablePointer(to: &entry) { pointer in
            var list = v4l2_ext_controls()
            list.which = UInt32(V4L2_CTRL_WHICH_CUR_VAL)
            list.count = 1
            list.controls = pointer
            return call(request, &list)
        }
    }

    private func string(of control: CameraControl) -> ControlValue? {
        let size = Int(min(max(control.maximum, 0), Int64(Limit.stringBytes))) + 1
        var bytes = [CChar](repeating: 0, count: size)
        var entry = v4l2_ext_control()
        entry.id = control.id.rawValue
        entry.size = UInt32(size)
        let code = bytes.withUnsafeMutableBufferPointer { buffer in
            entry.string = buffer.baseAddress
            return exchange(cv4l2_g_ext_ctrls, &entry)
        }
        guard code == 0 else { return nil }
        return .text(String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    private func set(string text: String, _ entry: inout v4l2_ext_control) -> Int32 {
        var bytes = text.utf8.map(CChar.init(bitPattern:)) + [0]
        entry.size = UInt32(bytes.count)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            entry.string = buffer.baseAddress
            return exchange(cv4l2_s_ext_ctrls, &entry)
        }
    }

    /// Reads a value of a driver without extended controls (`VIDIOC_G_CTRL`).
    private func legacyValue(of control: CameraControl) -> ControlValue? {
        var entry = v4l2_control(id: control.id.rawValue, value: 0)
        let code = call(cv4l2_g_ctrl, &entry)
        guard code == 0 else { return nil }
        return .integer(Int64(entry.value))
    }

    /// Writes a value of a driver without extended controls (`VIDIOC_S_CTRL`). Returns 0, or the error number.
    private func setLegacy(_ id: ControlID, _ number: Int64) -> Int32 {
        var entry = v4l2_control(id: id.rawValue, value: Int32(truncatingIfNeeded: number))
        return call(cv4l2_s_ctrl, &entry)
    }

    private func failure(_ code: Int32, setting: ControlSetting) -> CaptureError {
        CaptureError.control(code, "\(setting.name) cannot be set to \(setting.value)", path)
    }
}

extension CameraControl.Kind {
    /// Converts the driver's type; unknown types and structures become `compound`.
    init(type: UInt32) {
        switch v4l2_ctrl_type(rawValue: type) {
        case V4L2_CTRL_TYPE_INTEGER: self = .integer
        case V4L2_CTRL_TYPE_BOOLEAN: self = .boolean
        case V4L2_CTRL_TYPE_MENU: self = .menu
        case V4L2_CTRL_TYPE_INTEGER_MENU: self = .integerMenu
        case V4L2_CTRL_TYPE_BUTTON: self = .button
        case V4L2_CTRL_TYPE_INTEGER64: self = .integer64
        case V4L2_CTRL_TYPE_BITMASK: self = .bitmask
        case V4L2_CTRL_TYPE_STRING: self = .string
        default: self = .compound
        }
    }
}
