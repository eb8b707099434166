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
    private var names: Set<String> = []

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
        guard let source = try index.item(item.id)?.places.first(where: { $0.role == .shown })?.path else { return }
        let target = folder + "/" + name(for: item)
        do throws(CaptureError) {
            if DeviceFiles.exists(target), try Self.isSame(source, target) {
                report.knownCount += 1
            } else {
                report.byteCount += try store.copy(source, to: target).byteCount
                report.copiedCount += 1
            }
            try copySidecar(of: source, to: target)
        } catch {
            guard [source, RegularFile.display(source)].contains(error.subject) || error.systemError == EEXIST else {
                throw error
            }
            report.faults.append(error)
        }
    }

    /// Returns a name that is unique and the same in each export: that of the file, with the ID of the picture if another
    /// picture has it.
    private mutating func name(for item: LibraryItem) -> String {
        let name = item.facts.fileName
        if names.insert(name).inserted { return name }
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        return "\(name[..<dot])_\(item.id)\(name[dot...])"
    }

    private func copySidecar(of source: String, to target: String) throws(CaptureError) {
        let (from, to) = (XMPSidecar.path(of: source), XMPSidecar.path(of: target))
        guard Sidecars.stamp(of: from) != nil, !DeviceFiles.exists(to) else { return }
        _ = try store.copy(from, to: to)
    }

    private static func isSame(_ source: String, _ target: String) throws(CaptureError) -> Bool {
        let digest = try FileDigest(source, most: .max - 1)
        let found = try? FileDigest(target, most: digest.byteCount)
        return found?.byteCount == digest.byteCount && found?.sha256 == digest.sha256
    }
}
#endif
