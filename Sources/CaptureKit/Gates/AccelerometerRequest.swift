// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Which accelerometer a session feels shake by.
public enum AccelerometerRequest: Sendable, Hashable {
    /// The first that the kernel lists; none where there is none.
    case automatic
    /// None: shake is seen in the picture alone.
    case off
    /// The one in this folder of Linux' industrial I/O subsystem, such as `/sys/bus/iio/devices/iio:device0`.
    case folder(String)
}

extension AccelerometerRequest {
    /// The sensor's folder, be it there or not; `nil` for none.
    var path: String? {
        get async {
            switch self {
            case .automatic: await BlockingWork.run { Accelerometer.find() }
            case .off: nil
            case .folder(let path): path
            }
        }
    }
}

extension AccelerometerRequest {
    /// Reads `auto`, `off`, or the absolute path of a sensor's folder.
    ///
    /// - Parameter option: What errors name.
    /// - Throws: ``CaptureError`` `.usage` where it is none of them.
    public init(parsing text: String, of option: String) throws(CaptureError) {
        do throws(InvalidValue) {
            self = try SettingSyntax<Self>.accelerometer.parse(.text(Written(text: text)))
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
                    "\(text.quoted) is no accelerometer",
                    advice: "give auto, off, or its folder, such as \(Accelerometer.devices)/iio:device0")
            }
            return .folder(text)
        }
    }
}
