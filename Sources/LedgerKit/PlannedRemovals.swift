// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The pictures that are about to be removed, in a file beside the ledger.
///
/// A process that is killed after it has removed a picture and before the ledger has the removal leaves a line whose
/// picture is missing. The next process finds the removal here, see ``Ledger/recover(_:)``. As the file of
/// ``PlannedLines``, it survives a kill without being synced, so that no picture waits for it. The removal that a person
/// has requested is synced: targets have to erase that picture.
///
/// Each record has five fields, each of which ends with a NUL. Every call blocks.
struct PlannedRemovals: Sendable {
    private let place: LedgerPlace
    private let path: String
    /// The files of the removals that are not in the ledger yet.
    private var files: Set<String> = []
    /// `false` if the file has removals of an earlier process, which must stay.
    private var isOwn = true

    private static let end = "."
    private static let fieldCount = 5
    private static let most = 8 << 20

    init(_ place: LedgerPlace) { (self.place, path) = (place, Self.path(place)) }

    private static func path(_ place: LedgerPlace) -> String { place.path + "-removing" }

    /// Leaves the removals of an earlier process in the file, and adds none.
    mutating func leave() { isOwn = false }

    /// Adds a removal. Without the file a picture is removed all the same, so errors are ignored.
    mutating func add(_ removal: LedgerRemoval, isDurable: Bool) {
        guard isOwn, !files.contains(removal.file) else { return }
        let fields = [
            place.relative(removal.file), "\(removal.time.nanosecondsSince1970)", "\(removal.time.utcOffset)",
            removal.reason, Self.end,
        ]
        guard !fields.contains(where: { $0.utf8.contains(0) }) else { return }
        let record: [UInt8] = fields.flatMap { Array($0.utf8) + [0] }
        if PlanFile.append(record, to: path, most: Self.most, isDurable: isDurable) { files.insert(removal.file) }
    }

    /// Forgets the removals that are in the ledger. Removes the file when none is left.
    mutating func remove(_ lines: [LedgerLine]) {
        guard !files.isEmpty else { return }
        for case .removal(let removal) in lines { files.remove(removal.file) }
        if files.isEmpty { unlink(path) }
    }

    // MARK: Reading

    /// `true` if a process has left removals.
    static func exist(beside place: LedgerPlace) -> Bool { DeviceFiles.exists(path(place)) }

    /// Removes the file.
    static func remove(beside place: LedgerPlace) { unlink(path(place)) }

    /// Returns the removals that a process has left, each once.
    static func read(beside place: LedgerPlace) -> [LedgerRemoval] {
        guard let bytes = try? RegularFile.read(path(place), most: most) else { return [] }
        let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        var known: Set<String> = []
        return stride(from: 0, through: fields.count - 1 - fieldCount, by: fieldCount).compactMap {
            removal(Array(fields[$0..<$0 + fieldCount]), place)
        }.filter { known.insert($0.file).inserted }
    }

    private static func removal(_ fields: [String], _ place: LedgerPlace) -> LedgerRemoval? {
        guard let time = Int64(fields[1]), let zone = Int(fields[2]), -86399...86399 ~= zone, fields[4] == end else {
            return nil
        }
        return LedgerRemoval(
            file: place.absolute(fields[0]), time: WallTime(nanosecondsSince1970: time, utcOffset: zone),
            reason: fields[3])
    }
}
