// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// Lists the pictures that a search finds.
struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List pictures, newest first.", aliases: ["list"])

    @Argument(help: "The words and terms that pictures have; none for all pictures.")
    var terms: [String] = []

    @Option(
        help: ArgumentHelp(
            "At most this many pictures; 0 for all (default: 20 in a table, else all).", valueName: "number"))
    var limit: Int?

    @OptionGroup var list: ListOptions
    @OptionGroup var library: LibraryOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more") }
    }

    func run() throws {
        let query = try LibraryQuery(words: terms)
        let index = try library.open()
        let most = limit ?? (list.isForPrograms ? 0 : 20)
        var (shown, position) = (0, LibraryPosition?.none)
        repeat {
            let page = try index.page(query, from: position, limit: most == 0 ? LibraryIndex.mostItems : most - shown)
            for item in page.items {
                list.show(item, try index.item(item.id)?.places ?? [])
                if StandardStream.isBroken { return }
            }
            shown += page.items.count
            position = page.next
        } while position != nil && (most == 0 || shown < most)
        guard !list.isForPrograms else { return }
        let count = position == nil ? shown : try index.count(query)
        Console().report(count == shown ? Self.words(count) : "\(shown) of \(Self.words(count)); --limit 0 lists all")
    }

    private static func words(_ count: Int) -> String { count == 1 ? "1 picture" : "\(count) pictures" }
}

/// Prints all that the library knows of a picture.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print all about a picture, as JSON.")

    @Argument(help: ArgumentHelp("The IDs of the pictures.", valueName: "id"))
    var ids: [String]

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let index = try library.open()
        var failure: CaptureError?
        for text in ids {
            do throws(CaptureError) {
                guard let id = ItemID(text), let (item, places) = try index.item(id) else { throw .unknownItem(text) }
                StandardStream.output.line(item.json(places).text)
            } catch {
                Console().report(error)
                failure = failure ?? error
            }
        }
        if let failure { throw ExitCode(failure.code.exitStatus) }
    }
}

/// Counts pictures by day.
struct Days: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Count pictures by day, newest first.")

    @Argument(help: "The words and terms that pictures have; none for all pictures.")
    var terms: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let query = try LibraryQuery(words: terms)
        for day in try library.open().days(query) {
            StandardStream.output.line(json ? day.json.text : "\(day.date)  \(day.count)")
        }
    }
}

/// Lists the tags.
struct Tags: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the tags with their number of pictures.")

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var library: LibraryOptions

    func run() throws {
        for (tag, count) in try library.open().values(of: .tag) {
            let object = JSONValue.object(["tag": .string(tag), "count": .integer(count)])
            StandardStream.output.line(json ? object.text : "\(tag.withoutControls)  \(count)")
        }
    }
}

extension LibraryQuery {
    /// Reads the arguments of a command. The last word is complete, while on the page it may be the beginning of one.
    init(words: [String]) throws(CaptureError) {
        try self.init(words.joined(separator: " ") + (words.isEmpty ? "" : " "))
    }
}
#endif
