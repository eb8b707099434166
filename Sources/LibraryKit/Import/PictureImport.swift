// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CLinux
import CaptureBase
import Glibc
import StillKit

/// Copies pictures of a folder or a card into a library.
///
/// The source is only read. Each copy is read again from the disk before it gets its name, and only then is it in the
/// index: after a crash, or if the card is pulled, the next import resumes. A picture that the library has already, by its
/// content, is not copied.
///
/// Every call blocks.
public struct PictureImport {
    private let index: LibraryIndex
    private let folder: String
    private let progress: (Int, Int) -> Void
    private let store = StillStore(overwrites: false, latest: nil)
    private var report = ImportReport()

    /// Two pictures of a second can have the same name; more than this many are a loop.
    private static let mostNames = 10_000

    /// - Parameters:
    ///   - folder: The absolute path of the folder for the copies, which get folders of their days.
    ///   - progress: Receives the number of pictures that are done, and of all.
    public init(_ index: LibraryIndex, to folder: String, progress: @escaping (Int, Int) -> Void = { _, _ in }) {
        (self.index, self.folder, self.progress) = (index, folder, progress)
    }

    /// Imports all pictures below a folder.
    ///
    /// - Parameter source: The absolute path of the folder, such as the mount point of a card.
    /// - Returns: The imported pictures, and the number of known, other and unreadable files.
    /// - Throws: `CaptureError` `.noInput` if there is no such folder, the errors of the index, and those of writing: a
    ///   full disk ends the import. The pictures so far are imported.
    public consuming func run(_ source: String) throws(CaptureError) -> ImportReport {
        try completeIndex()
        // A picture whose deletion was interrupted would come back from the card, without its tags. The scan after an import
        // reports the errors.
        _ = try index.completeTrash { _ in }
        try add(try find(source), of: source)
        return report
    }

    /// Adds pictures of a source, until all of the source is gone, or the task is canceled.
    private mutating func add(_ pictures: [String], of source: String) throws(CaptureError) {
        var done = 0
        // Since the last picture that could be read: a disk that is removed fails before the kernel forgets it.
        var faults: [CaptureError] = []
        for picture in pictures where !Task.isCancelled {
            do throws(CaptureError) {
                try add(picture)
                report.faults += faults
                faults = []
            } catch {
                // Copying ends in the middle of a picture, too.
                if Task.isCancelled { break }
                // Errors of the source are about one file.
                guard error.subject == RegularFile.display(picture) || error.subject == picture else { throw error }
                report.isCut = Self.isGone(source)
                if report.isCut {
                    done -= faults.count
                    faults = []
                    break
                }
                faults.append(error)
            }
            done += 1
            progress(done, pictures.count)
        }
        report.faults += faults
        report.restCount = pictures.count - done
    }

    /// Makes the folder of the copies a part of the library, and scans the folders whose pictures the index may lack after
    /// a crash, because duplicates are found in the index.
    ///
    /// - Throws: `CaptureError` `.noInput` if the disk of the copies is away: they would go to the disk below.
    private func completeIndex() throws(CaptureError) {
        for root in try index.roots() where FolderRange(root.path, among: []).contains(folder) {
            guard RootMarker.current(root.path, like: root.marker) == root.marker else {
                throw CaptureError(
                    .noInput, "is offline: it has not the marker of the library", subject: root.path,
                    advice: "mount its disk, or give another folder with --to")
            }
        }
        try StillFolder.make(folder)
        try index.completeFolders()
        _ = try LibraryScan(index, folder: folder)
    }

    /// Returns the paths of the pictures, sorted, and counts the other files. Links are not followed.
    private mutating func find(_ source: String) throws(CaptureError) -> [String] {
        guard FileSystemIdentity(source) != nil else {
            throw CaptureError(.noInput, "there is no such folder", subject: source, advice: "mount the card")
        }
        var (pictures, folders) = ([String](), [source])
        while let folder = folders.popLast() {
            do throws(CaptureError) {
                for name in try DeviceFiles.readableNames(in: folder) where !name.hasPrefix(".") {
                    look(at: folder + "/" + name, name, &pictures, &folders)
                }
            } catch {
                report.faults.append(error)
            }
        }
        report.isCut = Self.isGone(source)
        return pictures.sorted()
    }

    /// Returns `true` if a folder is missing, or its disk was removed: the kernel answers from its caches for a while.
    private static func isGone(_ folder: String) -> Bool {
        var status = stat()
        guard stat(folder, &status) == 0 else { return true }
        // File systems without a disk, such as NFS, have the number 0.
        let (major, minor) = (gnu_dev_major(status.st_dev), gnu_dev_minor(status.st_dev))
        let disks = "/sys/dev/block"
        return major != 0 && DeviceFiles.exists(disks) && !DeviceFiles.exists("\(disks)/\(major):\(minor)")
    }

    private mutating func look(at path: String, _ name: String, _ pictures: inout [String], _ folders: inout [String]) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            report.faults.append(.file(errno, path, "cannot be read"))
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: folders.append(path)
        case S_IFREG:
            let kind = SourceFileKind(fileName: name)
            // Sidecars come with their pictures.
            if kind == .picture {
                pictures.append(path)
            } else if !name.lowercased().hasSuffix(".xmp") {
                report.left[kind, default: 0] += 1
            }
        default: break
        }
    }

    private mutating func add(_ picture: String) throws(CaptureError) {
        let scan = try PictureScan(picture)
        switch try whereabouts(of: picture, scan) {
        case .library:
            report.knownCount += 1
            return
        case .trash:
            report.deletedCount += 1
            return
        case nil: break
        }
        let place = try copy(picture, scan)
        var facts = scan.facts
        (facts.fileName, facts.sha256) = (place.place.name, place.digest.sha256)
        let item = LibraryItem(id: ItemID(index.board, .file(scan.mark)), facts: facts)
        let notes = Self.copySidecar(of: picture, to: place.place)
        let stamp = Sidecars.stamp(of: place.place.path) ?? 0
        try index.write { writer in
            try writer.put(item, file: place.place, stamp: stamp)
            if let notes {
                try writer.set(notes.notes, of: item.id)
                try writer.setSidecar(notes.stamp, of: place.place)
            }
        }
        report.imported.append(item.id)
        report.byteCount += place.digest.byteCount
    }

    /// The part of the library that has a picture.
    private enum Whereabouts {
        case library, trash
    }

    /// Returns the part that has a file with the same bytes now; `nil` if there is none. Only a picture whose size is known is read
    /// for that.
    private func whereabouts(of picture: String, _ scan: PictureScan) throws(CaptureError) -> Whereabouts? {
        guard try index.hasItem(byteCount: scan.facts.byteCount) else { return nil }
        try index.hashClips(of: [scan.facts.byteCount])
        let digest = try FileDigest(picture, most: scan.facts.byteCount)
        let id = ItemID(index.board, .file(scan.mark))
        // The user may remove the source afterwards: only bytes that can be read now are a reason to copy nothing.
        if try index.paths(of: digest, or: id).contains(where: { Self.has(digest, $0) }) { return .library }
        // A person who has deleted a picture does not expect it back from the card.
        for deleted in try index.deleted(like: digest, or: id) {
            if let path = try index.trashedPath(of: deleted), Self.has(digest, path) { return .trash }
        }
        return nil
    }

    private static func has(_ digest: FileDigest, _ path: String) -> Bool {
        guard let found = try? FileDigest(path, most: digest.byteCount) else { return false }
        return found.byteCount == digest.byteCount && found.sha256 == digest.sha256
    }

    /// Copies a picture into the folder of its day, under its own name or, if another picture has it, `NAME-2.jpg`.
    private func copy(
        _ picture: String, _ scan: PictureScan
    ) throws(CaptureError) -> (place: ItemPlace, digest: FileDigest) {
        let date = scan.facts.taken.iso8601.prefix(10)
        let day = "\(folder)/\(date.prefix(4))/\(date)"
        let name = DeviceFiles.name(of: picture)
        for number in 1...Self.mostNames {
            let place = ItemPlace(folder: day, name: Self.name(name, number))
            if DeviceFiles.exists(place.path) { continue }
            do throws(CaptureError) {
                return (place, try store.copy(picture, to: place.path))
            } catch {
                guard error.systemError == EEXIST else { throw error }
            }
        }
        throw CaptureError(.cannotCreate, "has too many files of this name", subject: "\(day)/\(name)")
    }

    private static func name(_ name: String, _ number: Int) -> String {
        guard number > 1, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
        return "\(name[..<dot])-\(number)\(name[dot...])"
    }

    /// Copies a sidecar that can be read; tags in a damaged one stay with the source.
    private static func copySidecar(of picture: String, to place: ItemPlace) -> (notes: ItemNotes, stamp: Int64)? {
        guard Sidecars.stamp(of: XMPSidecar.path(of: picture)) != nil, (try? Sidecars.read(picture)) != nil,
            (try? StillStore(overwrites: false, latest: nil)
                .copy(XMPSidecar.path(of: picture), to: XMPSidecar.path(of: place.path))) != nil
        else { return nil }
        return try? Sidecars.read(place.path)
    }
}

/// Finds memory cards that are mounted.
public enum MemoryCards {
    /// Returns the mount points of file systems with the folder `DCIM` of cameras (DCF 2.0), in the order of their paths.
    /// Blocks.
    public static func mounted() -> [String] {
        guard let bytes = try? RegularFile.read("/proc/self/mountinfo", most: 1 << 20) else { return [] }
        let points = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.split(separator: " ").dropFirst(4).first.map { unescaped(String($0)) }
        }
        return Set(points).filter { $0 != "/" && FileSystemIdentity($0 + "/DCIM") != nil }.sorted()
    }

    /// Replaces the escapes of the kernel: `\040` for a space.
    private static func unescaped(_ text: String) -> String {
        [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(text) { text, escape in
            text.replacing(escape.0, with: escape.1)
        }
    }
}
#endif
