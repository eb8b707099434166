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
    private var given = ExportNames(ignoresCase: false)

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
        try index.eachFile(query, progress: progress) { item, source throws(CaptureError) in try add(item, source) }
        return report
    }

    private mutating func add(_ item: LibraryItem, _ source: String) throws(CaptureError) {
        do throws(CaptureError) {
            let target = try copy(source, item)
            try copySidecar(of: source, to: target)
        } catch {
            guard error.isAboutPicture(source) || Self.isOfName(error) else { throw error }
            report.faults.append(error)
        }
    }

    /// Copies a picture under the first name that is free, and that the file system can have.
    ///
    /// - Returns: The path of the copy, which may have been there.
    private mutating func copy(_ source: String, _ item: LibraryItem) throws(CaptureError) -> String {
        var names = given.names(for: item)
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
                given.give(name)
                return target
            } catch {
                guard !names.isEmpty, Self.isOfName(error), !error.isAboutPicture(source) else { throw error }
            }
        }
    }

    private func copySidecar(of source: String, to target: String) throws(CaptureError) {
        let (from, to) = (XMPSidecar.path(of: source), XMPSidecar.path(of: target))
        guard Sidecars.stamp(of: from) != nil, !DeviceFiles.exists(to) else { return }
        _ = try store.copy(from, to: to)
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

extension CaptureError {
    /// `true` for an error of a picture or of its sidecar; the others are of the copies, which the next picture needs, too.
    func isAboutPicture(_ source: String) -> Bool {
        let paths = [source, XMPSidecar.path(of: source)]
        return paths.contains { [$0, RegularFile.display($0)].contains(subject) }
    }
}
#endif
