// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import LibraryKit
import TerminalKit

/// Makes and changes albums.
struct Albums: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "album", abstract: "List, create and change albums.",
        discussion: """
            An album is a folder with links to its pictures and the file album.yaml, which you can copy or rename. A \
            picture in several albums takes the space of one; on FAT, and on another disk than the picture, it is a copy.

            Examples:
              gst-capture library album create Summer
              gst-capture library search -q 'stars:4..5 after:2026-06-01' | gst-capture library album add Summer -
              gst-capture library search 'album:Summer'
              gst-capture film --album Summer
            """,
        subcommands: [
            AlbumList.self, AlbumPath.self, AlbumCreate.self, AlbumAdd.self, AlbumRemove.self, AlbumRename.self,
            AlbumDelete.self,
        ])
}

/// Lists the albums.
struct AlbumList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the albums with their number of pictures.")

    @Flag(help: "One JSON object a line.")
    var json = false

    @OptionGroup var library: LibraryOptions

    func run() throws {
        for album in try library.open().albums() {
            StandardStream.output.line(json ? album.json.text : "\(album.title)  \(album.count)")
        }
    }
}

/// Prints the folder of an album.
struct AlbumPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of an album's folder.")

    @Argument(help: "The title of the album, or its ID.")
    var album: String

    @OptionGroup var library: LibraryOptions

    func run() throws { StandardStream.output.line(try library.open().album(album).path) }
}

/// Creates an album.
struct AlbumCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an album, and print the path of its folder.")

    @Argument(help: "The title.")
    var title: String

    @Option(
        help: ArgumentHelp(
            "The folder for albums (default: pictures/albums in the state folder).", valueName: "folder"),
        completion: .directory)
    var `in`: String?

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let parent = try `in`.map(LibraryFolder.absolute) ?? LibraryFolder.albums(in: library.state)
        StandardStream.output.line(try library.open().createAlbum(title, in: parent).path)
    }
}

/// Adds pictures to an album.
struct AlbumAdd: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add pictures to an album.")

    @Argument(help: "The title of the album, or its ID.")
    var album: String

    @OptionGroup var items: ItemArguments

    func run() throws {
        let name = album
        try items.apply("added") { index, identifiers, report, _ throws(CaptureError) in
            try index.add(identifiers, to: try index.album(name), report: report)
        }
    }
}

/// Removes pictures from an album.
struct AlbumRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove pictures from an album; the pictures stay.")

    @Argument(help: "The title of the album, or its ID.")
    var album: String

    @OptionGroup var items: ItemArguments

    func run() throws {
        let name = album
        try items.apply("removed") { index, identifiers, report, _ throws(CaptureError) in
            try index.remove(identifiers, from: try index.album(name), report: report)
        }
    }
}

/// Gives an album another title.
struct AlbumRename: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Give an album another title.")

    @Argument(help: "The title of the album, or its ID.")
    var album: String

    @Argument(help: "The new title.")
    var title: String

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let index = try library.open()
        try index.rename(try index.album(album), to: title)
    }
}

/// Removes an album.
struct AlbumDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove an album; its pictures stay.",
        discussion: "A picture whose only file is in the album goes into the trash.")

    @Argument(help: "The title of the album, or its ID.")
    var album: String

    @OptionGroup var library: LibraryOptions

    func run() throws {
        let index = try library.openComplete()
        var failure: CaptureError?
        try index.remove(try index.album(album)) { error in
            Console().report(error)
            failure = failure ?? error
        }
        if let failure { throw ExitCode(failure.code.exitStatus) }
    }
}
#endif
