// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The properties that udev stored for a device node, in `/run/udev/data`.
struct UdevRecord: Sendable, Hashable {
    private var properties: [String: String] = [:]

    /// Creates an empty record.
    init() {}

    /// Parses a file of udev's database. Only lines such as `E:KEY=VALUE` are properties.
    init(_ content: [UInt8]) {
        for line in content.split(separator: UInt8(ascii: "\n")) where line.starts(with: "E:".utf8) {
            let parts = line.dropFirst(2).split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let value = FixedText.clean(parts[1])
            if !value.isEmpty { properties[FixedText.clean(parts[0])] = value }
        }
    }

    /// `true` if the node captures video; `nil` if udev's `v4l_id` has not examined it.
    var isCapture: Bool? { properties["ID_V4L_CAPABILITIES"]?.contains(":capture:") }

    /// The manufacturer's name, as the device spells it.
    var maker: String? { name("ID_VENDOR") }
    /// The product's name, as the device spells it.
    var model: String? { name("ID_MODEL") }
    /// The manufacturer's name in the list of USB IDs that comes with udev.
    var listedMaker: String? { properties["ID_VENDOR_FROM_DATABASE"] }
    /// The product's name in the list of USB IDs that comes with udev.
    var listedModel: String? { properties["ID_MODEL_FROM_DATABASE"] }

    /// Returns `KEY_ENC` if it exists, because `KEY` has underscores instead of blanks and other characters. Returns
    /// `nil` for a device without a name, which has its hexadecimal ID in `KEY`.
    private func name(_ key: String) -> String? {
        guard let plain = properties[key], plain != properties["\(key)_ID"] else { return nil }
        let exact = properties["\(key)_ENC"].map { FixedText.clean(Self.decoded($0)) }
        return exact.flatMap { $0.isEmpty ? nil : $0 } ?? plain
    }

    /// Decodes a text in which `\x20` stands for a blank (`udev_util_encode_string`).
    private static func decoded(_ text: String) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), Substring(text).utf8)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, digits.first == UInt8(ascii: "x"),
                let code = UInt8(String(decoding: digits.dropFirst(), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension NodeFacts {
    /// EXIF's `Make`: the device's own name first, then the list of USB IDs, because many cameras report no
    /// manufacturer.
    var make: String? { usb?.maker ?? udev.maker ?? udev.listedMaker }
    /// EXIF's `Model`.
    var model: String? { usb?.model ?? udev.model ?? udev.listedModel }
}
