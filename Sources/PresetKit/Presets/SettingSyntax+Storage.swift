// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

extension SettingSyntax where Value == Int {
    /// A number of bytes, such as `64MiB`.
    static func byteSize(from least: Int = 1, to most: Int = .max) -> Self {
        Self("size") { text throws(InvalidValue) in
            let size = try ByteSize.parse(text)
            guard size >= least else {
                throw InvalidValue("\(text.quoted) is too small", advice: "give a size such as 50GB")
            }
            guard size <= most else { throw InvalidValue("\(text.quoted) is too large", advice: "give 1TiB or less") }
            return size
        }
    }
}

extension SettingSyntax where Value == FreeSpaceFloor {
    /// A number of bytes, or a percentage of the disk.
    static var freeSpace: Self {
        Self("size|percent") { text throws(InvalidValue) in
            if let share = try ByteSize.parseShare(text) { return .share(share) }
            return .bytes(try ByteSize.parse(text))
        }
    }
}

extension SettingSyntax where Value == LimitPolicy {
    /// `stop`, `prune`, `thin`, or `thin:4` to keep every 4th.
    static var limitPolicy: Self {
        Self("stop|prune|thin[:n]", choices: ["stop", "prune", "thin", "thin:4"]) { text throws(InvalidValue) in
            let parts = text.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            switch (parts[0], parts.count) {
            case ("stop", 1): return .stop
            case ("prune", 1): return .prune
            case ("thin", 1): return .thin(every: 2)
            case ("thin", _):
                let number = SettingSyntax<Int>.integer("n", 2...1000)
                return .thin(every: try number.parse(.text(SourcedText(text: String(parts[1])))))
            default: throw InvalidValue("\(text.quoted) is not known", advice: "give stop, prune, thin or thin:4")
            }
        }
    }
}
