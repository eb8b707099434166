// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LedgerKit

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

    func emitStorageEvents() async {
        for event in await writer.drainEvents() { await emitDurable(event) }
    }

    func tidy() async {
        let limit = await writer.tidy()
        await emitStorageEvents()
        if let limit { handle(.limit(limit)) }
        await retryLater()
    }

    /// Schedules the next attempt to store pictures that wait for the disk, in case no new picture triggers one.
    func retryLater() async {
        guard let delay = await writer.retryDelay, retry == nil, machine.phase != .ended else { return }
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
        await writer.storeHeld()
        await emitStorageEvents()
        await tidy()
    }

    /// Stores the pending pictures for the last time, and emits the outcome of each.
    func endStoring() async {
        retry?.cancel()
        await retry?.value
        await writing.finish()
        await writer.endStoring()
        await emitStorageEvents()
    }
}
