// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import FilmKit
import LibraryKit
import StillKit

extension ServiceLibrary {
    /// Reads the pictures of a contact sheet of an album, the oldest first: the index, and the heads of the pictures that
    /// are chosen. Blocks.
    ///
    /// - Parameters:
    ///   - album: The ID of the album.
    ///   - since: Only pictures that were captured at this moment or later; `nil` for all.
    ///   - until: Only pictures that were captured before this moment; `nil` for all.
    ///   - most: The maximum number of pictures.
    /// - Throws: `CaptureError` `.noInput` if no album has this ID; `.temporary` if the flag is set.
    package func sheet(
        ofAlbum album: String, since: WallTime?, until: WallTime?, most: Int, until flag: CancelFlag
    ) throws(CaptureError) -> SheetDraft {
        let index = index
        let album = try index.album(album)
        var query = LibraryQuery()
        query.terms = [.facet(Facet(.album, album.title))]
        (query.since, query.until) = (since, until)
        let all = try Self.pictures(query, index, until: flag)
        var roll = SheetRoll()
        for (number, picture) in all.enumerated() { roll.append(number, at: picture.taken) }
        var draft = SheetDraft(album.title.withoutControls, of: roll) { path throws(CaptureError) in
            guard let id = ItemID(path) else { throw .unknownItem(path) }
            return try Self.open(id, index)
        }
        for number in roll.chosen(most: most) {
            if flag.isSet { throw Self.canceled }
            guard let (item, _) = try index.item(all[number].id) else { continue }
            // Clients see no paths: the ID is the name with which the file is opened.
            draft.add("\(item.id)", named: item.facts.fileName, at: item.facts.taken)
        }
        return draft
    }

    /// Returns the pictures of a search that are no movies, the oldest first.
    private static func pictures(
        _ query: LibraryQuery, _ index: LibraryIndex, until flag: CancelFlag
    ) throws(CaptureError) -> [(id: ItemID, taken: WallTime)] {
        var (pictures, position) = ([(id: ItemID, taken: WallTime)](), LibraryPosition?.none)
        repeat {
            if flag.isSet { throw canceled }
            let page = try index.page(query, from: position, limit: LibraryIndex.mostItems)
            pictures += page.items.filter { !$0.isMovie }.map { ($0.id, $0.facts.taken) }
            position = page.next
        } while position != nil
        return pictures.reversed()
    }

    private static var canceled: CaptureError { CaptureError(.temporary, "the request was canceled") }
}
#endif
