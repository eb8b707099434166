// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The names that a picture may have: the requested one, and those that follow it while names are taken.
///
/// A name with a number is followed by the next numbers, any other by the same name with a number: `120000.jpg`,
/// `120000-2.jpg`.
package struct StillName: Sendable, Hashable {
    private struct Numbered: Sendable, Hashable {
        let template: FileNameTemplate
        let time: WallTime
        let sequence: Int
    }

    /// The requested path.
    package let path: String
    /// The fields of a name with a number; `nil` for other names.
    private let numbered: Numbered?

    /// Creates the names of a path without a number.
    package init(_ path: String) { (self.path, numbered) = (path, nil) }

    /// Creates the names of a picture of a template.
    package init(_ template: FileNameTemplate, _ time: WallTime, sequence: Int) {
        path = template.render(time, sequence: sequence)
        numbered = template.usesSequence ? Numbered(template: template, time: time, sequence: sequence) : nil
    }

    /// Returns the name for an attempt, from 0 for the requested one.
    package func path(_ attempt: Int) -> String {
        guard attempt > 0 else { return path }
        if let numbered { return numbered.template.render(numbered.time, sequence: numbered.sequence + attempt) }
        let (stem, ending) = parts
        return "\(stem)-\(attempt + 1)\(ending)"
    }

    /// Returns how far the picture's number grows with an attempt: 0 if names have no number.
    package func step(_ attempt: Int) -> Int { numbered == nil ? 0 : attempt }

    /// Returns the path of a picture's side file.
    package static func sidePath(of path: String) -> String { path + ".json" }

    /// Returns the path of a picture's sidecar with tags: `NAME.jpg.xmp` for `NAME.jpg`, as darktable and digiKam name it.
    ///
    /// The library and other programs write it. Code that removes a picture removes it, too: it would describe the next
    /// picture of this name, and can have names of people.
    package static func sidecarPath(of path: String) -> String { path + sidecarEnd }

    /// Returns the name of the picture to which a sidecar belongs; any other name stays as it is.
    package static func pictureName(_ name: String) -> String {
        name.hasSuffix(sidecarEnd) ? String(name.dropLast(sidecarEnd.count)) : name
    }

    private static let sidecarEnd = ".xmp"

    /// Returns `true` if a file has the name, or that of its side file.
    package static func isTaken(_ path: String, withSideFile hasSideFile: Bool) -> Bool {
        DeviceFiles.exists(path) || hasSideFile && DeviceFiles.exists(sidePath(of: path))
    }

    /// The path before and from its extension. A leading dot does not begin an extension.
    private var parts: (stem: Substring, ending: Substring) {
        // Bytes: a combining character after a dot or slash would hide it.
        let bytes = path.utf8
        let name = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? path.startIndex
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > name else { return (path[...], "") }
        return (path[..<dot], path[dot...])
    }
}

/// Finds free names.
///
/// A name by time repeats if the clock is set back, if summer time ends, or if several pictures belong to the same
/// second. A name by day repeats with each picture: the search starts at the attempt that succeeded last, doubles its
/// steps, and then halves them, so that the number of checks grows with log n.
package struct FreeNames: Sendable {
    /// The last requested path that was taken, and the attempt that found a free name for it.
    private var last: (path: String, attempt: Int)?

    package init() {}

    /// Returns the attempt whose name is free.
    package mutating func attempt(for name: StillName, isTaken: (String) -> Bool) -> Int {
        guard isTaken(name.path) else { return 0 }
        let attempt = search(from: last?.path == name.path ? last?.attempt ?? 1 : 1) { isTaken(name.path($0)) }
        last = (name.path, attempt)
        return attempt
    }

    /// Returns `first` if it is free, or else a free attempt after a taken one.
    private func search(from first: Int, isTaken: (Int) -> Bool) -> Int {
        guard isTaken(first) else { return first }
        var (taken, step) = (first, 1)
        while step < 1 << 40, isTaken(taken + step) {
            taken += step
            step *= 2
        }
        return taken + (1..<step).partition { !isTaken(taken + $0) }
    }
}
