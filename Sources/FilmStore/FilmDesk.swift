// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import ClipStore
import FilmKit
import OverlayCompositor
import StillKit
import Synchronization
import VideoKit

/// Makes the films that clients order, one at a time, and lists them.
///
/// An order is durable: after a crash, or a stop of the service, another process continues the film. Its file is complete
/// when its order is gone.
package actor FilmDesk {
    /// A film that is being made.
    package struct Making: Sendable, Hashable {
        package let order: FilmOrder
        /// When it was ordered.
        package let start: WallTime
        /// The number of pictures; `nil` before they are counted.
        package fileprivate(set) var pictureCount: Int?
        /// The number of pictures that are in the film, or skipped.
        package fileprivate(set) var doneCount = 0
    }

    /// A change of the films, or the progress of the one that is being made.
    package enum Report: Sendable {
        /// Another film is being made, or none.
        case making
        case change(FilmChange)
        /// This number of pictures is in the film, or skipped.
        case progress(Int, of: Int)
        /// A film could not be made.
        case failed(CaptureError)
    }

    /// Finds the pictures of an order.
    package typealias FindPictures = @Sendable (FilmOrder.Source) async throws(CaptureError) -> FilmSource

    /// The films on the disk.
    package nonisolated let folder: ClipFolder
    private let path: String
    private let rasterizer: (any Rasterizer)?
    private let find: FindPictures
    private let report: @Sendable (Report) -> Void
    private let orders = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private var pending: PendingFilm?
    /// The plan of the pending film; `nil` before it was made.
    private var planned: Plan?
    private let done = DoneCount()
    private var writer: FilmWriter?
    private var isCanceled = false
    private var hasEnded = false

    /// The number of reports about the progress of a film.
    private static let steps = 50
    /// The part of the disk that films leave free.
    private static let floor = StoragePolicy.floorForClients

    /// Prepares a desk; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder of the films.
    ///   - rasterizer: Draws the time into films.
    ///   - report: Receives changes and notices. It must not wait.
    package init(
        _ path: String, _ rasterizer: (any Rasterizer)?, find: @escaping FindPictures,
        report: @escaping @Sendable (Report) -> Void
    ) throws(CaptureError) {
        (self.path, self.rasterizer, self.find, self.report) = (path, rasterizer, find, report)
        let names = try FileNameTemplate(parsing: path.replacing("%", with: "%%") + "/%Y-%m-%d_%H%M%S.mp4")
        folder = ClipFolder(names, StoragePolicy()) { report(.change(FilmChange($0))) }
    }

    /// The film that is being made; `nil` if there is none.
    package var making: Making? {
        pending.map { pending in
            Making(
                order: pending.order, start: pending.start, pictureCount: planned?.plan.frames.count,
                doneCount: done.count.load(ordering: .relaxed))
        }
    }

    /// Orders a film. It is durable on return.
    ///
    /// - Throws: ``CaptureError`` `.cannotCreate` while another film is being made; the errors of ``FindPictures``, of the
    ///   plan, and of files.
    package func make(_ order: FilmOrder) async throws(CaptureError) {
        guard pending == nil else {
            throw CaptureError(
                .cannotCreate, "another film is being made", subject: "film", advice: "wait for it, or cancel it")
        }
        let new = PendingFilm(order: order, start: .now())
        pending = new
        isCanceled = false
        do throws(CaptureError) {
            planned = try await plan(order)
            try await BlockingWork.run { [path] () throws(CaptureError) in try new.write(in: path) }
        } catch {
            forget()
            throw error
        }
        report(.making)
        orders.continuation.yield()
    }

    /// Gives up the film that is being made, and removes its file.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if there is none.
    package func cancel() throws(CaptureError) {
        guard pending != nil else { throw CaptureError(.noInput, "no film is being made", subject: "film") }
        isCanceled = true
        writer?.stop()
    }

    /// Makes films until ``finish()``. Call it once.
    package func run() async {
        if pending == nil { pending = await BlockingWork.run { [path] in PendingFilm(in: path) } }
        repeat {
            if let pending, !hasEnded { await make(pending) }
            guard !hasEnded, !Task.isCancelled else { break }
            for await _ in orders.stream { break }
        } while !hasEnded && !Task.isCancelled
        await folder.close()
    }

    /// Ends ``run()``. The next process continues the film.
    package func finish() {
        hasEnded = true
        writer?.stop()
        orders.continuation.finish()
    }
}

extension FilmDesk {
    private func make(_ film: PendingFilm) async {
        do throws(CaptureError) {
            guard try await write(film) else { return }
            let made = try await folder.adopt(film.file(in: path), start: film.start, lackCount: nil).film
            try await settle(film)
            report(.change(.made(made)))
        } catch {
            await abandon(film, because: isCanceled ? nil : error)
        }
    }

    /// Writes a film.
    ///
    /// - Returns: `false` if the next process continues it.
    private func write(_ film: PendingFilm) async throws(CaptureError) -> Bool {
        try await folder.open()
        try await BlockingWork.run { [path] () throws(CaptureError) in try Self.checkSpace(path) }
        let file = film.file(in: path)
        // A crash came after the film was complete.
        if await BlockingWork.run({ FilmWriter.isComplete(file) }) { return true }
        let (plan, report) = try await planFirst(film.order)
        self.report(.making)
        let writer = FilmWriter(plan, film.order.settings, to: file, rasterizer) { [done, report = self.report] event in
            guard case .written(let count, let all) = event else { return }
            done.count.store(count, ordering: .relaxed)
            if count * Self.steps / all != (count - 1) * Self.steps / all { report(.progress(count, of: all)) }
        }
        self.writer = writer
        defer { self.writer = nil }
        if isCanceled || hasEnded { writer.stop() }
        let result: FilmReport
        do throws(CaptureError) {
            result = try await writer.run(report)
        } catch  where hasEnded && !isCanceled {
            return false
        }
        guard !isCanceled else { throw CaptureError(.temporary, "was canceled", subject: "film") }
        return result.film?.isComplete == true
    }

    private static func checkSpace(_ path: String) throws(CaptureError) {
        var limits = StorageLimits()
        limits.keepFree = floor
        guard let space = DiskSpace(at: path), space.free < limits.floor(space) else { return }
        throw CaptureError(
            .inputOutput, "the disk has too little free space", subject: "film", advice: "make room, and order it again"
        )
    }

    private typealias Plan = (plan: FilmPlan, report: FilmReport)

    /// Returns the plan of the pending film, which an order of this process has already.
    private func planFirst(_ order: FilmOrder) async throws(CaptureError) -> Plan {
        if let planned { return planned }
        let plan = try await plan(order)
        planned = plan
        return plan
    }

    private func plan(_ order: FilmOrder) async throws(CaptureError) -> Plan {
        let source = try await find(order.source)
        return try await BlockingWork.run { () throws(CaptureError) in
            do throws(CaptureError) {
                return try source.plan(order.settings, of: source.title)
            } catch {
                // Clients see no paths.
                throw CaptureError(error.code, error.message, subject: "film", advice: error.advice)
            }
        }
    }

    private func settle(_ film: PendingFilm) async throws(CaptureError) {
        try await BlockingWork.run { [path] () throws(CaptureError) in try film.remove(in: path) }
        forget()
    }

    private func abandon(_ film: PendingFilm, because error: CaptureError?) async {
        await BlockingWork.run { [path] in
            FilmWriter.remove(film.file(in: path))
            try? film.remove(in: path)
        }
        forget()
        // Clients see no paths.
        let failure = error.map { CaptureError($0.code, $0.message, subject: "film", advice: $0.advice) }
        report(failure.map(Report.failed) ?? .making)
    }

    private func forget() {
        (pending, planned) = (nil, nil)
        done.count.store(0, ordering: .relaxed)
    }
}

/// The number of pictures that are in a film, or skipped. Any thread may use it.
private final class DoneCount: Sendable {
    let count = Atomic(0)
}

/// The order of the film that is being made, as a file beside the films. Every call blocks.
private struct PendingFilm: Sendable {
    let order: FilmOrder
    let start: WallTime

    init(order: FilmOrder, start: WallTime) { (self.order, self.start) = (order, start) }

    /// Reads the order of an earlier process; `nil` if there is none, or it is damaged.
    init?(in folder: String) {
        let path = Self.path(in: folder)
        guard let bytes = try? RegularFile.read(path, most: FilmOrder.mostBytes * 2),
            let node = try? JSONNode(String(decoding: bytes, as: UTF8.self), path: path, levels: 2, mostValues: 8),
            let seconds = try? node.integer("start_s", 0...1 << 40), let text = try? node.text("order"),
            let order = try? FilmOrder(Array(text.utf8))
        else { return nil }
        self.init(order: order, start: WallTime(seconds: Int64(seconds), nanoseconds: 0))
    }

    private static func path(in folder: String) -> String { folder + "/order.json" }

    func file(in folder: String) -> String { "\(folder)/\(start.formatted("%Y-%m-%d_%H%M%S") ?? "film").mp4" }

    func write(in folder: String) throws(CaptureError) {
        try PrivateFolder.make(folder)
        let json = JSONValue.object(["start_s": .integer(Int(start.seconds)), "order": .string(order.json.text)])
        try StillStore(overwrites: true, latest: nil, isPrivate: true).write(
            Array((json.text + "\n").utf8), to: Self.path(in: folder))
    }

    func remove(in folder: String) throws(CaptureError) {
        let path = Self.path(in: folder)
        guard DeviceFiles.exists(path) else { return }
        try StillStore(overwrites: true, latest: nil).remove(path)
        try StillFolder.syncName(of: path)
    }
}
