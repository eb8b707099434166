// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import LedgerKit
import StillKit

/// The pictures of a folder, of an album, of a list, or of a series with its ledger. Every call blocks.
package struct FilmSource: Sendable {
    /// The path that the user has named, or the name of the list.
    package let path: String
    private let isConfined: Bool
    /// The title of the album, or the name of the folder.
    package private(set) var title: String
    /// The pictures; in the order of the series if there is one.
    package private(set) var pictures: [FilmPicture] = []
    /// The files that are no pictures.
    package private(set) var skipped: [SkippedPicture] = []
    /// `true` if a ledger decides the order.
    package private(set) var isSeries = false

    /// The ending of ledgers.
    private static let ledgerSuffix = ".ledger"

    /// Reads the heads of all pictures.
    ///
    /// - Parameters:
    ///   - path: A folder, or a ledger. A folder with one ledger is the series of that. If a folder has no pictures, those
    ///     in the folders inside count.
    ///   - isConfined: `true` to open no file outside the folder of the pictures, as a service does: a ledger or a link can
    ///     name any file.
    ///   - progress: Receives the number of pictures so far.
    /// - Throws: ``CaptureError`` with the path: `noInput` if there is none, or it is neither a folder nor a ledger;
    ///   `temporary` if the task is canceled; the errors of the ledger.
    package init(
        _ path: String, isConfined: Bool = false, progress: (Int) -> Void = { _ in }
    ) throws(CaptureError) {
        (self.path, self.isConfined, title) = (path, isConfined, Self.title(ofFolder: path))
        guard DeviceFiles.exists(path) else {
            throw CaptureError(.noInput, "there is no such file or folder", subject: RegularFile.display(path))
        }
        if RegularFile.isRegular(path) {
            guard path.hasSuffix(Self.ledgerSuffix) else {
                throw CaptureError(
                    .noInput, "is neither a folder nor a ledger", subject: RegularFile.display(path),
                    advice: "name a folder of pictures")
            }
            try read(ledger: path, progress)
            return
        }
        let ledgers = LedgerFinder.files(at: path, Self.ledgerSuffix)
        if ledgers.count == 1, let ledger = ledgers.first {
            try read(ledger: ledger, progress)
            guard pictures.isEmpty, skipped.isEmpty else { return }
            isSeries = false
        }
        try read(folder: path, progress)
    }

    /// Reads the heads of the files of a list.
    ///
    /// - Parameter name: The name of the list, for messages.
    /// - Throws: ``CaptureError`` `temporary` if the task is canceled. A file that cannot be read is skipped.
    package init(
        files: [String], of name: String, progress: (Int) -> Void = { _ in }
    ) throws(CaptureError) {
        (path, title, isConfined) = (name, name, false)
        for file in files {
            try checkCanceled()
            add(file, named: file)
            progress(pictures.count)
        }
    }

    // MARK: Titles

    /// The most bytes of the file of an album.
    private static let mostAlbumBytes = 1 << 16

    /// Returns the title of an album, or the name of a folder.
    private static func title(ofFolder folder: String) -> String {
        let album = LedgerPlace.folder(folder) + "album.yaml"
        if let bytes = try? RegularFile.read(album, most: mostAlbumBytes),
            let node = try? JSONNode(String(decoding: bytes, as: UTF8.self), path: album, levels: 2, mostValues: 100),
            let title = try? node.text("title")
        {
            return title
        }
        return DeviceFiles.name(of: LedgerPlace.absolute(folder))
    }

    // MARK: Folders

    private mutating func read(folder: String, _ progress: (Int) -> Void) throws(CaptureError) {
        var listing = try Listing(folder)
        var waiting = listing.files.isEmpty ? listing.folders : []
        while true {
            for file in listing.files {
                try checkCanceled()
                add(file, named: name(of: file))
                progress(pictures.count)
            }
            guard let next = waiting.popLast() else { return }
            do throws(CaptureError) {
                listing = try Listing(next)
                waiting += listing.folders
            } catch {
                skipped.append(SkippedPicture(name: name(of: next), reason: error.message))
                listing = Listing()
            }
        }
    }

    /// The pictures, by the endings of their names, and the folders in a folder, without hidden ones.
    private struct Listing {
        var files: [String] = []
        var folders: [String] = []

        init() {}

        init(_ folder: String) throws(CaptureError) {
            let base = folder.hasSuffix("/") ? folder : folder + "/"
            for name in try DeviceFiles.readableNames(in: folder) where !name.hasPrefix(".") {
                var status = stat()
                let path = base + name
                let format = StillFormat(fileName: name)
                let isPicture = format == .jpeg || format == .png
                guard lstat(path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG where isPicture, S_IFLNK where isPicture && RegularFile.isRegular(path): files.append(path)
                default: break
                }
            }
            files.sort(by: NaturalOrder.precedes)
        }
    }

    /// Returns a path without the folder of the film.
    private func name(of file: String) -> String {
        let base = path.hasSuffix("/") ? path : path + "/"
        return file.hasPrefix(base) ? String(file.dropFirst(base.count)) : file
    }

    private mutating func add(_ file: String, named name: String) {
        do throws(CaptureError) {
            let picture = try FilmPicture(file, named: name, below: isConfined ? path : nil)
            if !picture.isSheet { pictures.append(picture) }
        } catch {
            skipped.append(SkippedPicture(name: name, reason: error.message))
        }
    }

    // MARK: Ledgers

    private mutating func read(ledger: String, _ progress: (Int) -> Void) throws(CaptureError) {
        let reader = try LedgerReader(ledger)
        isSeries = true
        title = Self.title(ofFolder: reader.folder)
        let base = LedgerPlace.folder(reader.folder)
        var filter = LedgerFilter()
        filter.areStored = true
        var damaged = 0
        try reader.eachSoundLine(filter) { _ in
            damaged += 1
        } _: { (line) throws(CaptureError) in
            guard let result = FilmPicture.result(of: line, base: base, root: isConfined ? reader.folder : nil) else {
                return
            }
            try checkCanceled()
            switch result {
            case .success(let picture): pictures.append(picture)
            case .failure(let picture): skipped.append(picture)
            }
            progress(pictures.count)
        }
        if damaged > 0 {
            skipped.append(SkippedPicture(name: name(of: ledger), reason: "\(damaged) of its lines are damaged"))
        }
    }

    private func checkCanceled() throws(CaptureError) {
        if Task.isCancelled { throw CaptureError(.temporary, "reading was canceled", subject: path) }
    }
}

extension FilmSource {
    /// Plans a film of the pictures.
    ///
    /// - Parameter name: The name of the pictures in the report.
    /// - Throws: The errors of ``FilmPlan``.
    package func plan(
        _ settings: FilmSettings, of name: String
    ) throws(CaptureError) -> (plan: FilmPlan, report: FilmReport) {
        let plan = try FilmPlan(pictures, settings, isOrdered: isSeries)
        return (plan, FilmReport(plan, of: name, skipped: skipped))
    }
}

extension FilmPicture {
    /// Reads the head of the picture of a line of a ledger; `nil` if the line has none, or it was removed or replaced.
    ///
    /// - Parameters:
    ///   - base: The folder of the ledger's pictures, with a trailing slash.
    ///   - root: The folder that the path must not leave; `nil` for any path.
    static func result(
        of line: LedgerReader.Line, base: String, root: String?
    ) -> Result<FilmPicture, SkippedPicture>? {
        guard let still = line.still, let file = still.file, line.removal == nil, !line.isReplaced else { return nil }
        let name = file.hasPrefix(base) ? String(file.dropFirst(base.count)) : file
        do throws(CaptureError) {
            var picture = try FilmPicture(file, named: name, below: root)
            picture.describe(by: still, of: line)
            return .success(picture)
        } catch {
            return .failure(SkippedPicture(name: name, reason: error.message))
        }
    }

    /// Reads the head of a file.
    ///
    /// - Parameter root: The folder that the path must not leave; `nil` for any path.
    /// - Throws: ``CaptureError`` `noInput` if it is neither JPEG nor PNG, `inputOutput` if its head has no size, and the
    ///   errors of files.
    init(_ path: String, named name: String, below root: String? = nil) throws(CaptureError) {
        try self.init(try Self.open(path, below: root), path, named: name)
        self.root = root
    }

    /// Reads the head of a file that is open.
    ///
    /// - Parameter path: The path, or another name by which a ``PictureOpener`` opens the file again.
    /// - Throws: As ``init(_:named:)``.
    package init(_ file: borrowing RegularFile, _ path: String, named name: String) throws(CaptureError) {
        let head: PictureHead?
        do throws(RegularFile.Failure) {
            head = try Self.head(of: file)
        } catch {
            throw CaptureError(error, path)
        }
        let status = file.status
        guard let head else {
            throw CaptureError(.noInput, status.st_size == 0 ? "is empty" : "is neither a JPEG nor a PNG picture")
        }
        let (width, height) = head.shownSize
        guard width > 0, height > 0 else { throw CaptureError(.inputOutput, "is damaged: its head states no size") }
        let modified = WallTime(
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
        let taken = head.exif?.taken
        self.init(
            path: path, name: name, moment: taken.map { Moment($0, .capture) } ?? Moment(modified, .file),
            size: FrameSize(width: width, height: height))
        orientation = head.exif?.orientation ?? .upright
        camera = head.exif.flatMap(Self.camera)
        isSheet = head.exif.flatMap { Self.text("Software", $0) } == SheetWriter.software
        byteCount = Int(status.st_size)
        self.modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Reads the first bytes, and more of them if the tags are long.
    private static func head(of file: borrowing RegularFile) throws(RegularFile.Failure) -> PictureHead? {
        var bytes = try file.bytes(most: PictureHead.firstBytes)
        guard let head = PictureHead(bytes), !head.isComplete else { return PictureHead(bytes) }
        bytes += try file.bytes(most: PictureHead.mostBytes - bytes.count)
        return PictureHead(bytes)
    }

    /// Returns make and model, as programs show them: without a make that the model repeats.
    private static func camera(_ exif: ExifBlock) -> String? {
        guard let model = text("Model", exif) else { return text("Make", exif) }
        guard let make = text("Make", exif), !model.lowercased().hasPrefix(make.lowercased()) else { return model }
        return "\(make) \(model)"
    }

    /// Returns the text of a tag without superfluous spaces.
    private static func text(_ name: String, _ exif: ExifBlock) -> String? {
        guard case .text(let text)? = exif.values.first(where: { $0.name == name })?.value else { return nil }
        let words = text.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : words
    }

    /// Adds the facts of a ledger.
    fileprivate mutating func describe(by still: LedgerStill, of line: LedgerReader.Line) {
        moment = Moment(still.captured, .capture)
        brightness = still.brightness.flatMap { (0...1).contains($0) ? $0 : nil }
        slot = line.filmSlot
    }
}

extension LedgerReader.Line {
    /// The slot of the line, between which and others pictures can be missing; `nil` for a picture besides the schedule.
    package var filmSlot: FilmPicture.Slot? {
        guard entry.cause == .schedule else { return nil }
        return FilmPicture.Slot(series: series, index: entry.slots.lowerBound)
    }
}
