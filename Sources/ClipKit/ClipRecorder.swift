// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import ScheduleKit
import StillKit
import VideoKit

/// Writes the units of a recording into files, as a ``ClipMachine`` decides.
///
/// Sound is encoded later than the pictures of the same moment. So a file waits for its last sound when the next file has
/// begun already, and at the end.
///
/// One call at a time: the next call must wait for the previous one.
actor ClipRecorder {
    /// A file that is being written.
    private struct File {
        let writer: ClipWriter
        let start: WallTime
        let format: ClipFormat
        /// The number of pictures that had been dropped before it.
        let droppedBefore: Int
        /// The pictures that were dropped during it; 0 before its end.
        var droppedCount = 0
        /// The time of its last picture.
        var last: ClockTime
        /// The end of its last picture: sound that was captured before it belongs to this file.
        var end: ClockTime
        var ending = ClipEnding.stopped

        /// Follows the time of a picture that was written.
        mutating func follow(_ time: ClockTime) { (last, end) = (time, time + max(.zero, time - last)) }
    }

    private var machine: ClipMachine
    private let names: ClipNames
    private let accounting: (any ClipAccounting)?
    /// The number of the last file; `nil` before the first.
    private var number: Int?
    private let emit: @Sendable (ClipEvent) -> Void
    private var current: File?
    /// A file that waits for its last sound.
    private var closing: File?
    private var pictures: EncodedRing?
    private var sounds: EncodedRing?
    private var format: ClipFormat?
    /// The format of the sound; `nil` while there is none.
    private var soundCaps: Caps?
    /// The number of pictures that were dropped so far, before and behind the encoder, and the part of earlier encoders.
    private var (droppedCount, earlierDroppedCount) = (0, 0)
    /// `true` if a trigger came before the first picture.
    private var waitsForPicture = false
    private(set) var summary = ClipSummary()
    /// `true` if the last call wants a key frame.
    private(set) var needsKeyFrame = false

    /// How long a file waits for its last sound.
    private static let soundDelay = Duration.seconds(1)

    /// - Parameters:
    ///   - accounting: Accounts for the files; `nil` if nothing does.
    ///   - byteLimit: How many bytes of pictures before a trigger are kept at most.
    init(
        _ plan: ClipPlan, _ names: FileNameTemplate, _ accounting: (any ClipAccounting)? = nil, byteLimit: Int,
        _ emit: @escaping @Sendable (ClipEvent) -> Void
    ) {
        machine = ClipMachine(plan)
        self.names = ClipNames(names, accounting)
        (self.accounting, self.emit) = (accounting, emit)
        if let memory = machine.memory {
            pictures = EncodedRing(duration: memory, limit: byteLimit)
            sounds = EncodedRing(duration: memory, limit: 1 << 20)
        }
    }

    /// `true` after the last picture; a file may still wait for its sound.
    var isOver: Bool { machine.isOver }

    /// `true` while a file waits for its last sound.
    var isClosing: Bool { closing != nil }

    /// Sets the format of the pictures that follow.
    func use(_ format: ClipFormat) { (self.format, earlierDroppedCount) = (format, droppedCount) }

    /// Sets the format of the sound; `nil` if the microphone is gone.
    func use(sound caps: Caps?) { soundCaps = caps }

    /// Records a picture.
    ///
    /// - Parameter dropped: The number of pictures that were dropped since the encoder began.
    func add(picture unit: EncodedUnit, dropped: Int) async {
        droppedCount = earlierDroppedCount + dropped
        pictures?.append(unit)
        if let closing, unit.time - closing.end > Self.soundDelay { await finishClosing() }
        var effects = machine.handle(.picture(unit.time, isKey: unit.isKey))
        if waitsForPicture, unit.isKey, effects == [.write] { effects = [.begin] }
        await carryOut(effects, unit)
    }

    /// Records a packet of sound.
    func add(sound unit: EncodedUnit) async {
        sounds?.append(unit)
        if let closing {
            if unit.time < closing.end { return await write(sound: unit, to: closing) }
            await finishClosing()
        }
        if let current { await write(sound: unit, to: current) }
    }

    /// Begins a clip, or extends it.
    func trigger(at time: ClockTime) async { await carryOut(machine.handle(.trigger(time)), nil) }

    /// Ends the current file early.
    func interrupt(_ ending: ClipEnding) async { await carryOut(machine.handle(.interruption(ending)), nil) }

    /// Ends the recording with the last picture.
    func stop() async { await carryOut(machine.handle(.stop), nil) }

    /// Finishes the file that waits for its last sound.
    func finishClosing() async {
        guard let file = closing else { return }
        closing = nil
        await finish(file)
    }

    private func carryOut(_ effects: [ClipMachine.Effect], _ unit: EncodedUnit?) async {
        needsKeyFrame = false
        for effect in effects {
            switch effect {
            case .begin: if let unit { await begin(with: [unit]) }
            case .beginBefore(let time): await begin(with: pictures?.units(since: time) ?? [])
            case .write: if let unit, !waitsForPicture { await write(picture: unit) }
            case .requestKeyFrame: needsKeyFrame = true
            // The next picture ends the last one, or else that lasts as long as the one before it.
            case .end(let ending): await end(ending, at: unit?.time)
            case .finish(let ending):
                summary.ending = ending.error.map(CaptureEnding.failed) ?? (ending == .stopped ? .stopped : .completed)
            }
        }
    }

    // MARK: Files

    /// Begins a file with pictures, the first of which is a key frame.
    private func begin(with units: [EncodedUnit]) async {
        waitsForPicture = units.isEmpty
        guard let first = units.first, let caps = first.sample.caps, let format else { return }
        let start = WallTime.of(first.time)
        do throws(CaptureError) {
            let (writer, number) = try await names.create(
                after: number, at: start, format: format, video: caps, sound: soundCaps)
            self.number = number
            current = File(
                writer: writer, start: start, format: format, droppedBefore: droppedCount, last: first.time,
                end: first.time)
            emit(.began(path: writer.path, start: start))
        } catch {
            return await interrupt(.storage(error))
        }
        for unit in units { await write(picture: unit) }
        guard let current else { return }
        for unit in sounds?.units(since: first.time) ?? [] { await write(sound: unit, to: current) }
    }

    private func write(picture unit: EncodedUnit) async {
        guard let writer = current?.writer else { return }
        do throws(CaptureError) {
            try await writer.append(unit, of: .video)
            current?.follow(unit.time)
        } catch {
            guard !writer.takes(unit, of: .video) else { return await interrupt(.storage(error)) }
            await interrupt(.format)
            // The new format begins with a key frame, which begins the next file.
            await carryOut(machine.handle(.picture(unit.time, isKey: unit.isKey)), unit)
        }
    }

    private func write(sound unit: EncodedUnit, to file: File) async {
        // A failure of the disk is reported with the next picture. A packet of another format is left out.
        try? await file.writer.append(unit, of: .audio)
    }

    private func end(_ ending: ClipEnding, at time: ClockTime?) async {
        waitsForPicture = false
        guard var file = current else { return }
        current = nil
        await finishClosing()
        (file.ending, file.end) = (ending, time ?? file.end)
        file.droppedCount = droppedCount - file.droppedBefore
        if soundCaps == nil || ending.error != nil { await finish(file) } else { closing = file }
    }

    private func finish(_ file: File) async {
        do throws(CaptureError) {
            let result = try await file.writer.finish(at: file.end)
            let clip = Clip(
                path: result.path, start: file.start, duration: result.duration, frameCount: result.frameCount,
                droppedCount: file.droppedCount, soundDuration: result.soundDuration, byteCount: result.byteCount,
                width: file.format.width, height: file.format.height, ending: file.ending)
            summary.add(clip)
            await account(for: clip)
            emit(.recorded(clip))
        } catch {
            await accounting?.fail(file.writer.path, because: error)
            emit(.notice(Notice(.clipNotFinished, error)))
        }
    }

    private func account(for clip: Clip) async {
        do throws(CaptureError) {
            try await accounting?.complete(clip)
        } catch {
            emit(.notice(Notice(.clipNotListed, error)))
        }
    }
}
