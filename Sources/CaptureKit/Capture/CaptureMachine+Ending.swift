// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

extension CaptureMachine {
    mutating func stored() -> [Effect] {
        backlog = max(0, backlog - 1)
        guard case .draining(let ending) = phase, backlog == 0 else { return [] }
        return end(ending)
    }

    /// Ends after the current picture.
    mutating func finish(_ ending: CaptureSummary.Ending) -> [Effect] {
        switch phase {
        case .picking where !hasCamera: return stop(ending, .stopped)
        case .picking:
            finishing = finishing ?? ending
            return []
        case .taking:
            // A burst may be long: stop after the current frame.
            finishing = finishing ?? ending
            return [.abandonPick]
        default: return drain(ending)
        }
    }

    /// Captures no more pictures, and waits until the pending ones are stored.
    mutating func drain(_ ending: CaptureSummary.Ending) -> [Effect] {
        if needsNoFrames { return [] }
        let calledOff = timer.map { [Effect.calledOff($0)] } ?? []
        timer = nil
        guard backlog > 0 else { return calledOff + end(ending) }
        phase = .draining(ending)
        return calledOff
    }

    /// Captures no more pictures. If the machine is already draining, it does not wait for the pictures that are being
    /// stored.
    mutating func cancel() -> [Effect] {
        guard case .draining(let ending) = phase else { return stop(.stopped, .stopped) }
        return end(ending == .completed ? .stopped : ending)
    }

    /// Captures no more pictures, not even the one that is being chosen.
    mutating func stop(_ ending: CaptureSummary.Ending, _ reason: MissReason) -> [Effect] {
        switch phase {
        case .picking(let slot):
            pass(slot)
            return [.abandonPick, .missed(SlotRun(slot), reason)] + drain(ending)
        case .taking(let slot):
            pass(slot)
            backlog += 1
            return [.abandonPick] + drain(ending)
        default: return drain(ending)
        }
    }

    /// Handles the end of the source. The current slot, or one that is due, may still get a frame that came before; a
    /// slot that is due later cannot.
    mutating func endSource(_ error: CaptureError, _ now: ClockTime) -> [Effect] {
        sourceEnd = error
        switch phase {
        case .standby: return drain(.failed(error))
        case .waiting(let slot): return isDue(slot, now) ? [] : drain(.failed(error))
        default: return []
        }
    }

    mutating func end(_ ending: CaptureSummary.Ending) -> [Effect] {
        phase = .ended
        return [.end(ending)]
    }
}
