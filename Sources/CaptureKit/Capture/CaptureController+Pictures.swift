// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import LedgerKit
import ScheduleKit
import StillKit

/// Pictures: from the slot to the frame, and from the frame to the disk.
extension CaptureController {
    func capture(_ slot: Slot) async {
        guard machine.phase == .picking(slot), let feed, let open else { return }
        emit(.willCapture(slot))
        let lit = await light(open, feed)
        let count = await captureFrames(slot, max(slot.due, lit ?? slot.due), feed, open)
        await open.turnOff()
        if count > 0 {
            conclude(slot, count)
        } else if machine.phase == .picking(slot), !Task.isCancelled {
            handle(.noFrame(open.session.failure ?? .sourceEnded(configuration.sourceName)))
        }
    }

    /// Lights the flash. If that fails, it emits a notice and the picture is captured without the flash, which is
    /// better than no picture.
    ///
    /// - Returns: The moment from which frames show the flash; `nil` if it is not lit.
    func light(_ camera: OpenCamera, _ feed: FrameFeed) async -> ClockTime? {
        do throws(CaptureError) {
            return try await camera.light(feed)
        } catch {
            emit(.notice(Notice(.flashNotLit, error)))
            return nil
        }
    }

    /// Queues the frames of a slot for storing as they arrive. Returns how many there were: 0 if the slot was abandoned
    /// or is too late, or if the source ended.
    func captureFrames(_ slot: Slot, _ moment: ClockTime, _ feed: FrameFeed, _ camera: OpenCamera) async -> Int {
        let nearest = await feed.nearest(to: moment)
        guard let first = await whole(nearest, feed, after: moment), machine.phase == .picking(slot) else { return 0 }
        guard configuration.schedule.latePolicy == .late || first.time - slot.due <= tolerance else {
            handle(.tooLate)
            return 0
        }
        handle(.found)
        let exposure = await camera.exposure()
        store(first, slot, 0, exposure)
        var (count, last) = (1, first)
        while count < configuration.burst {
            if count >= configuration.heldFrames { await writing.finish() }
            guard let frame = await whole(feed.next(), feed, after: last.time) else { break }
            store(frame, slot, count, exposure)
            (count, last) = (count + 1, frame)
        }
        follow(last)
        return count
    }

    /// Returns `frame`, or the first whole frame after it if it is cut off. The search ends with half the interval or
    /// ``FramePicker/patience``, whichever is shorter. Then it returns a frame that is cut off, which fails when it is
    /// stored.
    func whole(_ frame: Frame?, _ feed: FrameFeed, after moment: ClockTime) async -> Frame? {
        let half = configuration.schedule.interval.map { $0 / 2 }
        return await feed.whole(frame, after: moment, patience: min(half ?? FramePicker.patience, FramePicker.patience))
    }

    /// Adjusts the ramped controls to the light of this frame, for the next picture. It runs in a separate task: no
    /// picture waits for it.
    func follow(_ frame: Frame) {
        guard !configuration.ramps.isEmpty else { return }
        tasks.add { [camera] in await camera.follow(frame) }
    }

    func conclude(_ slot: Slot, _ count: Int) {
        if count < configuration.burst { emitShortBurst(slot, count) }
        handle(.picked)
        writing.add { [self] in await conclude(slot) }
    }

    func conclude(_ slot: Slot) {
        emit(.stored(slot))
        handle(.stored)
    }

    /// Reports a burst that is too short: as a notice if the user stopped it, as a failure if the source ended.
    func emitShortBurst(_ slot: Slot, _ count: Int) {
        let error = CaptureError.shortBurst(configuration.sourceName, count, of: configuration.burst)
        let notice = Notice(.burstShort, about: error.subject, error.message)
        emit(Task.isCancelled ? .notice(notice) : .failed(slot, error))
    }

    /// Queues a frame for storing. Frames are stored one after the other: the encoder takes one at a time, and numbers
    /// follow the slots.
    ///
    /// The queue is separate from the task that chooses frames: canceling that task must not lose a picture.
    func store(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) {
        writing.add { [self] in await write(frame, slot, index, exposure) }
    }

    func write(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) async {
        do throws(CaptureError) {
            guard machine.phase != .ended else { throw .givenUp }
            let written = try await writer.write(
                frame, slot: slot, burstIndex: index, tolerance: tolerance, exposure: exposure)
            await emitDurable(written.events)
            if let still = written.still { await emitDurable(.captured(still)) }
            for notice in written.notices { emit(.notice(notice)) }
        } catch {
            await emitDurable(await writer.drainEvents())
            emit(.failed(slot, machine.phase == .ended ? .givenUp : error))
            if error.subject == StillStore.standardOutput { handle(.lost(error)) }
        }
        await tidy()
    }

    /// The offset beyond which a picture is late: one and a half frames, at least 10 ms.
    var tolerance: Duration { max(.milliseconds(10), frameDuration * 3 / 2) }
}

/// The ledger and the disk.
extension CaptureController {
    /// Emits a picture after its ledger line is durable. If the line has to wait, the picture is emitted all the same,
    /// as its file is durable.
    func emitDurable(_ event: CaptureEvent) async {
        if let ledger, case .captured(let still) = event {
            if let anchor = machine.anchor { ledger.begin(at: anchor) }
            try? await ledger.append([LedgerEntry(still)])
        }
        if case .storagePaused(let error, _) = event, !error.isFullDisk { await ledger?.rest() }
        emit(event)
    }

    /// Records other events in the ledger soon, without waiting until the line is durable.
    func record(_ event: CaptureEvent) {
        guard let ledger else { return }
        if let anchor = machine.anchor { ledger.begin(at: anchor) }
        switch event {
        case .missed(let slots, let reason): ledger.record(LedgerEntry(missed: slots, reason))
        case .failed(let slot, let error): ledger.record(LedgerEntry(failed: slot, error))
        case .removed(let stills): ledger.record(stills.map { LedgerRemoval($0) })
        default: break
        }
    }

    func emitDurable(_ events: [CaptureEvent]) async {
        for event in events { await emitDurable(event) }
    }

    func tidy() async {
        let tidied = await writer.tidy()
        await emitDurable(tidied.events)
        if let limit = tidied.limit { handle(.limit(limit)) }
        retryLater(after: tidied.retryDelay)
    }

    /// Schedules the next attempt to store pictures that wait for the disk, in case no new picture triggers one.
    func retryLater(after delay: Duration?) {
        guard let delay, retry == nil, machine.phase != .ended else { return }
        retry = Task {
            try? await Task.sleep(for: delay, tolerance: .milliseconds(100), clock: .suspending)
            retry = nil
            if !Task.isCancelled { storeHeld() }
        }
    }

    /// Queues an attempt to store the held pictures. It runs between two pictures, so that numbers follow the slots.
    func storeHeld() {
        writing.add { [self] in await resumeStoring() }
    }

    func resumeStoring() async {
        await emitDurable(await writer.storeHeld())
        await tidy()
    }

    /// Stores the pending pictures for the last time, and emits the outcome of each.
    func endStoring() async {
        retry?.cancel()
        await retry?.value
        await writing.finish()
        await emitDurable(await writer.endStoring())
    }
}
