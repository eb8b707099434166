// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc
import StillKit

/// Copies pictures of a library into a folder, with their sidecars.
///
/// Each copy is read again from the disk before it gets its name. A file that exists with the same bytes is left, so that an
/// export that was interrupted can be repeated. Every call blocks.
public struct PictureExport {
    /// The result of an export.
    public struct Report: Sendable, Hashable {
        /// The number of pictures that were copied, and their bytes.
        public var copiedCount = 0, byteCount = 0
        /// The number of pictures that were there already.
        public var knownCount = 0
        /// The errors of pictures that could not be copied.
        public var faults: [CaptureError] = []
    }

    private let index: LibraryIndex
    private let folder: String
    private let progress: (Int, Int) -> Void
    private let store = StillStore(overwrites: false, latest: nil)
    private var report = Report()
    /// The names that this export has given.
    private var given: Set<String> = []

    /// - Parameters:
    ///   - folder: The absolute path of the folder. A missing one is created.
    ///   - progress: Receives the number of pictures that are done, and of all.
    public init(_ index: LibraryIndex, to folder: String, progress: @escaping (Int, Int) -> Void = { _, _ in }) {
        (self.index, self.folder, self.progress) = (index, folder, progress)
    }

    /// Copies the pictures that a search finds.
    ///
    /// - Throws: `CaptureError` if the folder cannot be written, or the index not be read. Copies so far stay.
    public consuming func run(_ query: LibraryQuery) throws(CaptureError) -> Report {
        let all = try index.count(query)
        var (position, done) = (LibraryPosition?.none, 0)
        repeat {
            let page = try index.page(query, from: position, limit: LibraryIndex.mostItems)
            for item in page.items {
                if Task.isCancelled { throw CaptureError(.temporary, "was canceled", subject: "the export") }
                try add(item)
                done += 1
                progress(done, max(all, done))
            }
            position = page.next
        } while position != nil
        return report
    }

    private mutating func add(_ item: LibraryItem) throws(CaptureError) {
        let places = try index.item(item.id)?.places.pictures ?? []
        guard let source = (places.first { DeviceFiles.exists($0.path) } ?? places.first)?.path else { return }
        do throws(CaptureError) {
            let target = try copy(source, item)
            try copySidecar(of: source, to: target)
        } catch {
            guard Self.isAbout(source, error) || Self.isOfName(error) else { throw error }
            report.faults.append(error)
        }
    }

    /// Copies a picture under the first name that is free, and that the file system can have.
    ///
    /// - Returns: The path of the copy, which may have been there.
    private mutating func copy(_ source: String, _ item: LibraryItem) throws(CaptureError) -> String {
        var names = self.names(for: item)
        while true {
            let name = names.removeFirst()
            let target = folder + "/" + name
            do throws(CaptureError) {
                if DeviceFiles.exists(target), try Self.isSame(source, target) {
                    report.knownCount += 1
                } else {
                    report.byteCount += try store.copy(source, to: target).byteCount
                    report.copiedCount += 1
                }
                given.insert(name)
                return target
            } catch {
                guard !names.isEmpty, Self.isOfName(error), !Self.isAbout(source, error) else { throw error }
            }
        }
    }

    /// Returns the names to try, which are the same in each export: that of the file; with the ID of the picture, if another
    /// picture has it; and the ID, for a file system that refuses the characters or the length of the name, such as FAT.
    private func names(for item: LibraryItem) -> [String] {
        let name = item.facts.fileName
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let other = ["\(name[..<dot])_\(item.id)\(name[dot...])", "\(item.id)\(name[dot...])"]
        return given.contains(name) ? other : [name] + other
    }

    private func copySidecar(of source: String, to target: String) throws(CaptureError) {
        let (from, to) = (XMPSidecar.path(of: source), XMPSidecar.path(of: target))
        guard Sidecars.stamp(of: from) != nil, !DeviceFiles.exists(to) else { return }
        _ = try store.copy(from, to: to)
    }

    /// `true` for an error of a picture or of its sidecar; the others are of the folder, which the next copy needs, too.
    private static func isAbout(_ source: String, _ error: CaptureError) -> Bool {
        let paths = [source, XMPSidecar.path(of: source)]
        return paths.contains { [$0, RegularFile.display($0)].contains(error.subject) }
    }

    /// `true` if a name is taken, or is none on the file system.
    private static func isOfName(_ error: CaptureError) -> Bool {
        [EEXIST, EINVAL, ENAMETOOLONG, EILSEQ].contains(error.systemError)
    }

    private static func isSame(_ source: String, _ target: String) throws(CaptureError) -> Bool {
        let digest = try FileDigest(source, most: .max - 1)
        let found = try? FileDigest(target, most: digest.byteCount)
        return found?.byteCount == digest.byteCount && found?.sha256 == digest.sha256
    }
}
#endif
