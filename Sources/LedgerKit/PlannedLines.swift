// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import ScheduleKit

/// The run that planned lines belong to, as its ledger identifies it.
struct PlannedRun: Sendable, Hashable {
    let description: SeriesDescription
    /// The moment from which the slots of a new series are counted.
    let anchor: WallTime
    /// The position at which the run resumed its series; `nil` if it began one.
    let position: SeriesPosition?
    let start: WallTime
    let process: Int
}

/// The lines of pictures that are about to get their names, in a file beside the ledger.
///
/// A process that is killed after a picture has its name and before its line is durable leaves a picture without a
/// line. The next process finds the line here, see ``Ledger/recover(_:)``. The file is not synced, so that no picture
/// waits for it: it survives a kill, and may be lost if the power fails. Only the lines of live photos are synced, as
/// these wait for their movies.
///
/// Each record has the same number of fields, each of which ends with a NUL. Every call blocks.
struct PlannedLines: Sendable {
    private let place: LedgerPlace
    private let path: String
    /// The lines in the file that are not in the ledger yet, by slot.
    private var lines: [PlannedSlot: [LedgerEntry]] = [:]
    /// `false` if the file has lines of an earlier process, which must stay.
    private var isOwn = true

    init(_ place: LedgerPlace) { (self.place, path) = (place, Self.path(place)) }

    private static func path(_ place: LedgerPlace) -> String { place.path + "-planned" }

    /// Leaves the lines of an earlier process in the file, and adds none.
    mutating func leave() { isOwn = false }

    /// Adds the line of a picture. Without the file a picture is stored all the same, so errors are ignored.
    mutating func add(_ entry: LedgerEntry, of run: PlannedRun, isDurable: Bool) {
        let slot = PlannedSlot(entry)
        guard isOwn, lines[slot]?.contains(entry) != true, let record = PlannedRecord(run, entry, place),
            PlanFile.append(record.bytes, to: path, most: Self.most, isDurable: isDurable)
        else { return }
        lines[slot, default: []].append(entry)
    }

    /// Forgets the lines of pictures whose outcome is known: it is in the ledger, or never will be. Removes the file
    /// when none is left.
    mutating func remove(_ settled: [LedgerLine]) {
        guard !lines.isEmpty else { return }
        for case .slot(let entry) in settled { settle(entry) }
        if lines.isEmpty { unlink(path) }
    }

    private mutating func settle(_ line: LedgerEntry) {
        let slots = line.slots.count == 1 ? [PlannedSlot(line)] : lines.keys.filter { $0.isPart(of: line) }
        for slot in slots {
            lines[slot]?.removeAll { $0.isSettled(by: line) }
            if lines[slot]?.isEmpty == true { lines[slot] = nil }
        }
    }

    /// The most bytes in a file, enough for as many lines as wait in memory for a ledger.
    private static let most = 8 << 20

    // MARK: Reading

    /// `true` if a process has left lines.
    static func exist(beside place: LedgerPlace) -> Bool { DeviceFiles.exists(path(place)) }

    /// Removes the file.
    static func remove(beside place: LedgerPlace) { unlink(path(place)) }

    /// Returns the lines that a process has left, each once, and the run that they belong to; `nil` if there are none.
    static func read(beside place: LedgerPlace) -> (run: PlannedRun, entries: [LedgerEntry])? {
        guard let bytes = try? RegularFile.read(path(place), most: most) else { return nil }
        let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let count = PlannedRecord.fieldCount
        let records = stride(from: 0, through: fields.count - 1 - count, by: count).compactMap {
            PlannedRecord(fields[$0..<$0 + count], place)
        }
        guard let run = records.last?.run else { return nil }
        var known: Set<LedgerEntry> = []
        return (run, records.filter { $0.run == run }.map(\.entry).filter { known.insert($0).inserted })
    }
}

/// A slot with planned lines: one, or those of a burst.
private struct PlannedSlot: Hashable {
    private let number: Int
    private let cause: Slot.Cause

    init(_ line: LedgerEntry) { (number, cause) = (line.slots.lowerBound, line.cause) }

    /// `true` if a line is about this slot, and perhaps about others.
    func isPart(of line: LedgerEntry) -> Bool { cause == line.cause && line.slots.contains(number) }
}

extension LedgerEntry {
    /// `true` if a line about the slot of this planned picture says what became of it: it was stored, perhaps under
    /// another name, or never will be.
    fileprivate func isSettled(by line: LedgerEntry) -> Bool {
        guard case .captured(let planned) = outcome, case .captured(let still) = line.outcome else { return true }
        return still.burstIndex == planned.burstIndex
    }
}

/// A planned line and its run as fields of text.
private struct PlannedRecord {
    static let fieldCount = 28

    let run: PlannedRun
    let entry: LedgerEntry
    private let fields: [String]

    /// The fields, each followed by a NUL.
    var bytes: [UInt8] { fields.flatMap { Array($0.utf8) + [0] } }

    /// `nil` for a line without a file, and for a text that a field cannot have.
    init?(_ run: PlannedRun, _ entry: LedgerEntry, _ place: LedgerPlace) {
        guard case .captured(let still) = entry.outcome, let file = still.file, let sha256 = still.sha256 else {
            return nil
        }
        (self.run, self.entry) = (run, entry)
        let ofRun =
            [run.description.template, run.description.schedule, Self.text(run.description.interval?.nanoseconds)]
            + Self.texts(run.anchor) + [Self.text(run.position?.lastIndex)] + Self.texts(run.start)
            + ["\(run.process)"]
        let ofSlot = ["\(entry.slots.lowerBound)", entry.cause.rawValue] + Self.texts(entry.due)
        let ofPicture =
            [place.relative(file), sha256, still.controls ?? ""] + Self.texts(still.captured)
            + [still.errorMilliseconds, still.brightness, still.sharpness].map(Self.text)
            + [still.isLate ? 1 : 0, still.byteCount, still.width, still.height, still.burstIndex, still.sequence]
            .map(Self.text)
        fields = ofRun + ofSlot + ofPicture + [Self.end]
        guard fields.count == Self.fieldCount, !fields.contains(where: { $0.utf8.contains(0) }) else { return nil }
    }

    /// `nil` if a field is invalid.
    init?(_ fields: ArraySlice<String>, _ place: LedgerPlace) {
        self.fields = Array(fields)
        var rest = Fields(fields)
        guard let template = rest.next(), let schedule = rest.next(), let interval = rest.next(),
            let anchor = rest.moment(), let last = rest.next(), let start = rest.moment(),
            let process = rest.number(), let slot = rest.number(), let cause = rest.next().flatMap(Slot.Cause.init),
            let due = rest.moment(), let file = rest.next(), let sha256 = rest.next(), let controls = rest.next(),
            let captured = rest.moment(), let error = rest.next().flatMap(Double.init), error.isFinite,
            let brightness = rest.next(), let sharpness = rest.next(), let late = rest.number(),
            let byteCount = rest.number(), let width = rest.number(), let height = rest.number(),
            let burstIndex = rest.number(), let sequence = rest.number(), rest.next() == Self.end,
            sha256.utf8.count == 64
        else { return nil }
        run = PlannedRun(
            description: SeriesDescription(
                template: template, interval: Int64(interval).map(Duration.nanoseconds), schedule: schedule),
            anchor: anchor,
            position: Int(last).map { SeriesPosition(anchor: anchor, lastIndex: $0, lastDue: anchor) }, start: start,
            process: process)
        entry = LedgerEntry(
            slots: slot...slot, cause: cause, due: due, lastDue: due,
            outcome: .captured(
                LedgerStill(
                    captured: captured, errorMilliseconds: error, isLate: late != 0, file: place.absolute(file),
                    byteCount: byteCount, width: width, height: height, sha256: sha256,
                    brightness: Double(brightness), sharpness: Double(sharpness),
                    controls: controls.isEmpty ? nil : controls, burstIndex: burstIndex, sequence: sequence)))
    }

    /// The last field, which shows that the record is complete.
    private static let end = "."

    private static func texts(_ time: WallTime) -> [String] { ["\(time.nanosecondsSince1970)", "\(time.utcOffset)"] }
    private static func text(_ number: (some CustomStringConvertible)?) -> String { number.map { "\($0)" } ?? "" }

    /// The fields that are not read yet.
    private struct Fields {
        private var rest: ArraySlice<String>

        init(_ fields: ArraySlice<String>) { rest = fields }

        mutating func next() -> String? { rest.popFirst() }

        /// A number that a ledger accepts.
        mutating func number() -> Int? { next().flatMap { Int($0) }.flatMap { 0...(1 << 60) ~= $0 ? $0 : nil } }

        mutating func moment() -> WallTime? {
            guard let time = next().flatMap({ Int64($0) }), let zone = next().flatMap({ Int($0) }),
                -86399...86399 ~= zone
            else { return nil }
            return WallTime(nanosecondsSince1970: time, utcOffset: zone)
        }
    }
}
