// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Pictures: from the slot to the frame, and from the frame to the disk.
extension CaptureController {
    func take(_ slot: Slot) async {
        guard machine.phase == .picking(slot), let feed, let open else { return }
        tell(.willCapture(slot))
        let lit = await light(open, feed)
        let count = await takeFrames(slot, max(slot.due, lit ?? slot.due), feed, open)
        await open.douse()
        if count > 0 {
            conclude(slot, count)
        } else if machine.phase == .picking(slot), !Task.isCancelled {
            handle(.noFrame(open.session.failure ?? .sourceEnded(configuration.sourceName)))
        }
    }

    /// A picture without its flash is better than none, but not by itself what was asked for.
    ///
    /// - Returns: The moment from which frames show the flash; `nil` if it is not lit.
    func light(_ camera: OpenCamera, _ feed: FrameFeed) async -> ClockTime? {
        do throws(CaptureError) {
            return try await camera.light(feed)
        } catch {
            tell(.notice("\(error)"))
            return nil
        }
    }

    /// Hands the frames of a slot on as they come; answers how many there were. A slot without a frame was abandoned, or
    /// the source came to its end.
    func takeFrames(_ slot: Slot, _ moment: ClockTime, _ feed: FrameFeed, _ camera: OpenCamera) async -> Int {
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

    /// The frame, or where that is cut off the first after it that is not, as long as its slot has time for that: then it
    /// fails as it is.
    func whole(_ frame: Frame?, _ feed: FrameFeed, after moment: ClockTime) async -> Frame? {
        let half = configuration.schedule.interval.map { $0 / 2 }
        return await feed.whole(frame, after: moment, patience: min(half ?? FramePicker.patience, FramePicker.patience))
    }

    /// Beside all else: what is ramped changes for the next picture, and none waits for it.
    func follow(_ frame: Frame) {
        guard !configuration.ramps.isEmpty else { return }
        Task { await camera.follow(frame) }
    }

    func conclude(_ slot: Slot, _ count: Int) {
        if count < configuration.burst { tellShort(slot, count) }
        handle(.picked)
        writing.add { [self] in await conclude(slot) }
    }

    func conclude(_ slot: Slot) {
        tell(.stored(slot))
        handle(.stored)
    }

    /// Whoever stopped a burst knows that it is short: only a source that ends is a failure.
    func tellShort(_ slot: Slot, _ count: Int) {
        let error = CaptureError.shortBurst(configuration.sourceName, count, of: configuration.burst)
        tell(Task.isCancelled ? .notice(error.message) : .failed(slot, error))
    }

    /// One after the other: the encoder takes one frame at a time, and numbers follow the slots.
    ///
    /// A task of its own: the one that chooses frames is cancelled when it has to stop, and a picture is not lost by that.
    func store(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) {
        writing.add { [self] in await write(frame, slot, index, exposure) }
    }

    func write(_ frame: Frame, _ slot: Slot, _ index: Int, _ exposure: ExposureReading?) async {
        do throws(CaptureError) {
            guard machine.phase != .ended else { throw .givenUp }
            let still = try await writer.write(
                frame, slot: slot, burstIndex: index, tolerance: tolerance, exposure: exposure)
            // Pictures that waited for the disk were stored before it.
            await tellOfStorage()
            if let still { await tellDurable(.captured(still)) }
            for notice in await writer.takeNotices() { tell(.notice(notice)) }
        } catch {
            await tellOfStorage()
            tell(.failed(slot, machine.phase == .ended ? .givenUp : error))
            if error.subject == StillStore.standardOutput { handle(.lost(error)) }
        }
        await tidy()
    }

    /// Further than a frame and a half from its moment, a picture is late.
    var tolerance: Duration { max(.milliseconds(10), frameDuration * 3 / 2) }
}
