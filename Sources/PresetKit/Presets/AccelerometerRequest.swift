// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The accelerometer by which a session detects shake.
public enum AccelerometerRequest: Sendable, Hashable {
    /// The first sensor that the kernel lists, if there is one.
    case automatic
    /// No sensor: shake is detected in the picture alone.
    case off
    /// The sensor in this folder of Linux' industrial I/O subsystem, such as `/sys/bus/iio/devices/iio:device0`.
    case folder(String)

    /// The folder in which the kernel lists sensors (Documentation/ABI/testing/sysfs-bus-iio).
    package static let devices = "/sys/bus/iio/devices"
}

extension AccelerometerRequest {
    /// Parses `auto`, `off`, or the absolute path of a sensor's folder.
    ///
    /// - Parameter option: The option that errors name.
    /// - Throws: `CaptureError` `.usage` if the text is anything else.
    public init(parsing text: String, of option: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try SettingSyntax<Self>.accelerometer.parse(.text(SourcedText(text: text)))
        } catch {
            throw CaptureError(.usage, error, subject: option)
        }
    }
}

extension SettingSyntax where Value == AccelerometerRequest {
    /// `auto`, `off`, or an absolute path.
    static var accelerometer: Self {
        Self("accelerometer") { text throws(InvalidValue) in
            switch text.lowercased() {
            case "auto": return .automatic
            case "off", "none": return .off
            default: break
            }
            guard text.hasPrefix("/"), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw InvalidValue(
                    "\(text.quoted) is not an accelerometer",
                    advice: "give auto, off, or its folder, such as \(Value.devices)/iio:device0")
            }
            return .folder(text)
        }
    }
}
