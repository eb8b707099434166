// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// The names of the pictures in an export, the same in each export of the same pictures.
struct ExportNames {
    /// `true` if names that differ in case alone are one name.
    let ignoresCase: Bool
    /// The names that this export has given.
    private var given: Set<String> = []

    init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    /// Returns the names to try: that of the file; with the ID of the picture, if another picture has it; and the ID, for
    /// a file system that refuses the characters or the length of the name, such as FAT.
    func names(for item: LibraryItem) -> [String] {
        let name = item.facts.fileName
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let other = ["\(name[..<dot])_\(item.id)\(name[dot...])", "\(item.id)\(name[dot...])"]
        return given.contains(key(name)) ? other : [name] + other
    }

    /// Notes the name that a picture has.
    mutating func give(_ name: String) { given.insert(key(name)) }

    private func key(_ name: String) -> String { ignoresCase ? name.lowercased() : name }
}

extension LibraryIndex {
    /// Calls `body` with each picture that a search finds, newest first, and the path of its file: one that is there, if it
    /// has several.
    ///
    /// - Parameter progress: Receives the number of pictures that are done, and of all.
    /// - Throws: `CaptureError` `.temporary` if the task is canceled; the errors of the index and of `body`.
    func eachFile(
        _ query: LibraryQuery, progress: (Int, Int) -> Void,
        _ body: (LibraryItem, String) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        let all = try count(query)
        var (position, done) = (LibraryPosition?.none, 0)
        repeat {
            let page = try page(query, from: position, limit: Self.mostItems)
            for item in page.items {
                if Task.isCancelled { throw CaptureError(.temporary, "was canceled", subject: "the export") }
                if let path = try shownPath(of: item.id) { try body(item, path) }
                done += 1
                progress(done, max(all, done))
            }
            position = page.next
        } while position != nil
    }

    /// Returns the path of a picture's file: the first one that is there, also a link in an album, or the first one; `nil`
    /// if it has none.
    func shownPath(of id: ItemID) throws(CaptureError) -> String? {
        let places = try item(id)?.places.filter(\.role.isPicture) ?? []
        return (places.first { DeviceFiles.exists($0.path) } ?? places.first)?.path
    }
}
#endif
