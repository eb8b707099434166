// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing
import VideoKit

extension ClipFile.Step {
    /// The bytes that the step writes.
    var bytes: [UInt8]? {
        switch self {
        case .truncate: nil
        case .append(let bytes, _), .replace(let bytes, _): bytes
        }
    }

    /// Applies the step, or the first bytes of it.
    func apply(to file: inout [UInt8], count: Int = .max) {
        switch self {
        case .truncate(let length): file.removeLast(file.count - length)
        case .append(let bytes, let position), .replace(let bytes, let position):
            let written = bytes.prefix(count)
            if file.count < position + written.count {
                file += [UInt8](repeating: 0, count: position + written.count - file.count)
            }
            file.replaceSubrange(position..<(position + written.count), with: written)
        }
    }
}

/// A moment at which the finalizer is stopped.
struct Stop: CustomStringConvertible {
    /// The number of steps that were performed.
    private let steps: Int
    /// The number of bytes of the next step that were written.
    private let bytes: Int

    var description: String { "\(steps) steps and \(bytes) bytes" }

    /// Stops after each step, and in the middle of the appended index.
    static func all(of steps: [ClipFile.Step]) -> [Stop] {
        (0...steps.count).map { Stop(steps: $0, bytes: 0) }
            + steps.enumerated().flatMap { place, step in
                let count = step.bytes?.count ?? 0
                // Small writes are within a page, which the kernel and the disk write as a whole.
                return count > 64 ? [8, count / 3, count - 1].map { Stop(steps: place, bytes: $0) } : []
            }
    }

    func applied(to bytes: [UInt8], _ all: [ClipFile.Step]) -> [UInt8] {
        var file = bytes
        for step in all.prefix(steps) { step.apply(to: &file) }
        if self.bytes > 0 { all[steps].apply(to: &file, count: self.bytes) }
        return file
    }

    /// `true` if nothing was cut off, or the step that hides it was performed.
    func hasMark(isCut: Bool) -> Bool { !isCut || steps > 0 }
}
