// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Decides to which file each encoded picture belongs. It reads no clock: the times are those of the pictures.
struct ClipMachine: Sendable {
    /// An input, in the order in which inputs come.
    enum Input: Sendable, Hashable {
        /// A picture was encoded, that was captured at this time. Decoding can begin at a key frame.
        case picture(ClockTime, isKey: Bool)
        /// A trigger came at this time.
        case trigger(ClockTime)
        /// The current file cannot continue.
        case interruption(ClipEnding)
        /// The recording is to end.
        case stop
    }

    /// An effect, to be carried out in order.
    enum Effect: Sendable, Hashable {
        /// Begins a file with the pictures of the memory from this time on, or from the next one that can be decoded alone.
        /// The picture of the input is among them.
        case beginBefore(ClockTime)
        /// Begins a file with the picture of the input.
        case begin
        /// Writes the picture of the input.
        case write
        /// Requests a key frame: a file is to begin.
        case requestKeyFrame
        /// Ends the file.
        case end(ClipEnding)
        /// The recording is over, for this reason.
        case finish(ClipEnding)
    }

    private struct Clip {
        let start: ClockTime
        /// When it ends; `nil` if no trigger limits it.
        var end: ClockTime?
        var hasRequestedKeyFrame = false
    }

    private let plan: ClipPlan
    private var clip: Clip?
    /// When the recording began: the time of its first picture.
    private var start: ClockTime?
    private var hasRequestedBegin = false
    private(set) var isOver = false

    init(_ plan: ClipPlan) { self.plan = plan }

    /// `true` while a file is being written.
    var isRecording: Bool { clip != nil }

    /// How far back pictures must be kept; `nil` if none are.
    var memory: Duration? { plan.trigger?.before }

    mutating func handle(_ input: Input) -> [Effect] {
        guard !isOver else { return [] }
        switch input {
        case .picture(let time, let isKey): return picture(time, isKey)
        case .trigger(let time): return trigger(time)
        case .interruption(let ending): return interrupt(ending)
        case .stop: return finish(.stopped)
        }
    }

    private mutating func picture(_ time: ClockTime, _ isKey: Bool) -> [Effect] {
        guard isKey || clip != nil || plan.begin == nil else { return awaitKeyFrame(time) }
        if clip == nil, let begin = plan.begin, time < begin { return [] }
        start = start ?? time
        if let start, let length = plan.length, time >= start + length { return finish(.elapsed) }
        guard var clip else {
            guard plan.trigger == nil, isKey else { return [] }
            self.clip = Clip(start: time)
            return [.begin]
        }
        if let end = clip.end, time >= end { return close(.elapsed) }
        guard let segment = plan.segment, time >= clip.start + segment else { return [.write] }
        if isKey {
            self.clip = Clip(start: time, end: clip.end)
            return [.end(.segment), .begin]
        }
        defer { self.clip = clip }
        guard !clip.hasRequestedKeyFrame else { return [.write] }
        clip.hasRequestedKeyFrame = true
        return [.write, .requestKeyFrame]
    }

    /// Requests a key frame, once the moment of the first picture has come.
    private mutating func awaitKeyFrame(_ time: ClockTime) -> [Effect] {
        guard let begin = plan.begin, time >= begin, !hasRequestedBegin else { return [] }
        hasRequestedBegin = true
        return [.requestKeyFrame]
    }

    private mutating func trigger(_ time: ClockTime) -> [Effect] {
        guard let trigger = plan.trigger else { return [] }
        let isNew = clip == nil
        var clip = self.clip ?? Clip(start: time - trigger.before)
        clip.end = min(time + trigger.after, trigger.longest.map { clip.start + $0 } ?? time + trigger.after)
        self.clip = clip
        return isNew ? [.beginBefore(clip.start)] : []
    }

    private mutating func interrupt(_ ending: ClipEnding) -> [Effect] {
        switch ending {
        case .storage, .encoder: return finish(ending)
        case .format: break
        case .lost, .stopped, .elapsed, .segment: guard plan.continues else { return finish(ending) }
        }
        return close(ending)
    }

    private mutating func close(_ ending: ClipEnding) -> [Effect] {
        guard clip != nil else { return [] }
        clip = nil
        return [.end(ending)]
    }

    private mutating func finish(_ ending: ClipEnding) -> [Effect] {
        isOver = true
        return close(ending) + [.finish(ending)]
    }
}
