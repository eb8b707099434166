// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// The formats of lists of pictures.
struct ListOptions: ParsableArguments {
    @Flag(help: "One JSON object a line.")
    var json = false

    @Flag(name: [.customShort("q"), .long], help: "Only the IDs, one a line, for other commands.")
    var quiet = false

    @Flag(help: "Only the paths of the files, one a line, for other programs.")
    var paths = false

    func validate() throws {
        let chosen = [("--json", json), ("--quiet", quiet), ("--paths", paths)].filter(\.1).map(\.0)
        if chosen.count > 1 { throw ValidationError("\(chosen.joined(separator: " and ")): one is enough") }
    }

    /// `true` if other programs read the list.
    var isForPrograms: Bool { json || quiet || paths }

    /// Prints a picture.
    func show(_ item: LibraryItem, _ places: [ItemPlace]) {
        let output = StandardStream.output
        if quiet {
            output.line("\(item.id)")
        } else if paths {
            if let path = places.pictures.first?.path { output.line(path) }
        } else if json {
            output.line(item.json(places).text)
        } else {
            output.line(ItemLine(item, places).text(for: Terminal(.output)))
        }
    }
}

/// A picture as a line of a table.
struct ItemLine {
    private let item: LibraryItem
    private let path: String

    init(_ item: LibraryItem, _ places: [ItemPlace]) {
        (self.item, path) = (item, places.first?.path ?? item.facts.fileName)
    }

    func text(for terminal: Terminal) -> String {
        let time = item.facts.taken.iso8601.prefix(19).replacing("T", with: " ")
        let star = terminal.isUnicode ? "★" : "*"
        let stars = String(repeating: star, count: item.notes.stars)
        let tags = item.notes.tags.map { "#" + $0 }.joined(separator: " ")
        let length = item.facts.duration.map { max($0, .seconds(1)).clockText } ?? ""
        let parts = [String(time), "\(item.id)", path, length, stars, item.notes.title ?? "", tags]
        return parts.filter { !$0.isEmpty }.map(\.withoutControls).joined(separator: "  ")
    }
}

extension LibraryItem {
    /// The picture as an object for programs of this machine, with the path of its file.
    func json(_ places: [ItemPlace]) -> JSONValue {
        var members = members
        let path = JSONValue.optional(places.pictures.first?.path)
        members.insert(JSONValue.Member(name: "path", value: path), at: 1)
        return .object(members)
    }
}
#endif
