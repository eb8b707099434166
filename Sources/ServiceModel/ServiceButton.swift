// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import PresetKit

/// A button of a device, such as a USB buzzer, and the request that it makes.
public struct ServiceButton: Sendable, Hashable {
    /// A request of a button.
    public enum Action: Sendable, Hashable {
        /// Captures a picture of the camera with this ID.
        case snap(camera: String)
        /// Starts a recording of the camera with this ID, or ends the one that runs.
        case record(camera: String)
        /// Begins a clip around the present, or extends the current one.
        case trigger(camera: String)
        /// Continues a session; starts it first if it is not running.
        case capture(session: String)
        /// Another input of a session that is running, by its name: `skip`, `abort`, `cancel`, `switch-camera`, `accept`
        /// or `discard`.
        case input(String, session: String)
    }

    /// The name of the device, or the path of its node: `/dev/input/by-id/usb-…`.
    public var device: String
    /// The code of the key (`linux/input-event-codes.h`); `nil` for every key of the device.
    public var key: Int?
    /// `true` to keep the keys from all other programs, such as the browser of a kiosk.
    public var isGrabbed = true
    /// The request.
    public var action: Action

    /// Creates a button.
    public init(device: String, key: Int? = nil, action: Action) {
        (self.device, self.key, self.action) = (device, key, action)
    }
}

extension ServiceButton {
    static let keys = ["device", "key", "grab", "camera", "session", "do"]
    /// The codes of keys by their names, which are those of the kernel without `KEY_`, in lowercase.
    static let codes: [String: Int] = {
        var codes = [
            "enter": KEY_ENTER, "kpenter": KEY_KPENTER, "space": KEY_SPACE, "esc": KEY_ESC, "tab": KEY_TAB,
            "backspace": KEY_BACKSPACE, "delete": KEY_DELETE, "home": KEY_HOME, "end": KEY_END, "pageup": KEY_PAGEUP,
            "pagedown": KEY_PAGEDOWN, "up": KEY_UP, "down": KEY_DOWN, "left": KEY_LEFT, "right": KEY_RIGHT,
            "camera": KEY_CAMERA, "camera_focus": KEY_CAMERA_FOCUS, "power": KEY_POWER, "volumeup": KEY_VOLUMEUP,
            "volumedown": KEY_VOLUMEDOWN, "mute": KEY_MUTE, "playpause": KEY_PLAYPAUSE, "nextsong": KEY_NEXTSONG,
            "previoussong": KEY_PREVIOUSSONG, "prog1": KEY_PROG1, "prog2": KEY_PROG2, "btn_left": BTN_LEFT,
            "btn_right": BTN_RIGHT, "btn_middle": BTN_MIDDLE, "btn_trigger": BTN_TRIGGER, "btn_south": BTN_SOUTH,
            "btn_east": BTN_EAST, "btn_start": BTN_START,
        ].mapValues(Int.init)
        for (index, letter) in "1234567890".enumerated() { codes[String(letter)] = Int(KEY_1) + index }
        for (row, first) in [("qwertyuiop", KEY_Q), ("asdfghjkl", KEY_A), ("zxcvbnm", KEY_Z)] {
            for (index, letter) in row.enumerated() { codes[String(letter)] = Int(first) + index }
        }
        for number in 0..<10 {
            codes["f\(number + 1)"] = Int(KEY_F1) + number
            codes["btn_\(number)"] = Int(BTN_0) + number
        }
        return codes
    }()

    /// Returns the code of a key.
    ///
    /// - Parameter text: A name, or a number of the kernel.
    static func code(_ text: String) throws(InvalidValue) -> Int {
        let name = text.lowercased()
        if let code = codes[name.hasPrefix("key_") ? String(name.dropFirst(4)) : name] { return code }
        // A single digit is the key of that digit.
        if name.utf8.count > 1, let code = Int(name), (1..<Int(KEY_MAX)).contains(code) { return code }
        let near = Spelling.nearest(to: name, among: codes.keys.sorted()).map { "did you mean \($0)?" }
        throw InvalidValue("key: \(text.quoted) is not a key", advice: near ?? "give a name such as enter, or a code")
    }
}
