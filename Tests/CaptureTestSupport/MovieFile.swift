// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation

/// An MP4 file with headers alone, which no player plays.
package struct MovieFile {
    package var width = 64, height = 48
    /// In milliseconds.
    package var duration = 1500
    /// The seconds since 1904; 0 if the file does not say.
    package var created: UInt32 = 0
    /// `true` if players turn the pictures by 90 degrees.
    package var isTurned = false
    /// `true` for a recording that is not complete: its header announces fragments.
    package var isFragmented = false
    /// The bytes of its samples.
    package var samples: [UInt8] = Array("samples".utf8)

    package init() {}

    /// The bytes of the file.
    package var bytes: [UInt8] {
        let type = Self.box("ftyp", Array("isom".utf8) + Self.number(0) + Array("isom".utf8))
        let data = Self.box("mdat", samples)
        return isFragmented ? type + movie + data : type + data + movie
    }

    /// Writes the file, and creates its folder.
    @discardableResult
    package func write(to path: String) throws -> String {
        try FileManager.default.createDirectory(atPath: StillFolder.path(of: path), withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private var movie: [UInt8] {
        let header = Self.number(0) + Self.number(created) + Self.number(0) + Self.number(1000)
        let mvhd = Self.box("mvhd", header + Self.number(UInt32(duration)) + [UInt8](repeating: 0, count: 80))
        let extensions = isFragmented ? Self.box("mvex", []) : []
        return Self.box("moov", mvhd + track + extensions)
    }

    private var track: [UInt8] {
        let one: UInt32 = 0x1_0000
        let turn: [UInt32] = isTurned ? [0, one, 0, UInt32.max - one + 1, 0] : [one, 0, 0, 0, one]
        let matrix = turn + [0, 0, 0, 0x4000_0000]
        let tkhd =
            [0, 0, 0, 1, 0, UInt32(duration), 0, 0, 0, 0] + matrix + [UInt32(width) << 16, UInt32(height) << 16]
        let handler = Self.number(0) + Self.number(0) + Array("vide".utf8) + [UInt8](repeating: 0, count: 13)
        return Self.box(
            "trak", Self.box("tkhd", tkhd.flatMap(Self.number)) + Self.box("mdia", Self.box("hdlr", handler)))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(UInt32(8 + content.count)) + Array(type.utf8) + content
    }
}
