// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameLink
import PipelineKit
import StillKit
import Synchronization

/// An open camera: its pipeline, whose frames go to any number of readers.
package final class CameraSession: Sendable {
    /// The frames, for readers that encode them. It is closed with the session.
    package let outlet: FrameOutlet

    private let pipeline: Pipeline
    private let arrivals: FrameArrivals
    private let subject: String
    private let media: PreviewDescription.Media
    /// The network camera that delivers the frames; `nil` for another source.
    let network: NetworkSource?
    /// Requests pictures from a camera that sends one for each request; `nil` for other sources.
    private let requests: PictureRequests?
    /// The frames of a service and the source of the pipeline that gets them; `nil` for a device.
    private let link: (frames: FrameLink, source: AppSource)?
    /// Pushes the frames of the service.
    private let pushing = Mutex<Task<Void, Never>?>(nil)
    /// The lenses of previews; `nil` after the session was closed.
    private let lenses = Mutex<[PreviewLens]?>([])
    /// The frames for pictures from before their request.
    private let history = FrameHistory()

    /// Builds the pipeline; it does not play yet.
    ///
    /// - Parameter link: The frames of a service, which has opened the camera; `nil` for a device.
    /// - Throws: ``CaptureError`` with the camera as its subject.
    init(
        _ description: SourceDescription, subject: String, link: FrameLink? = nil
    ) throws(CaptureError) {
        (self.subject, media) = (subject, description.media)
        let arrivals = FrameArrivals()
        self.arrivals = arrivals
        do throws(PipelineError) {
            let pipeline = try Pipeline(description.text)
            let network = NetworkSource(in: pipeline)
            (self.pipeline, self.network) = (pipeline, network)
            requests = try network.flatMap { (network) throws(PipelineError) in
                try PictureRequests(of: network, in: pipeline, sink: SourceDescription.sinkName)
            }
            outlet = try FrameOutlet(named: SourceDescription.sinkName, in: pipeline) { arrivals.record($0, at: $1) }
            if let link {
                self.link = (link, try AppSource(named: SourceDescription.linkName, in: pipeline))
            } else {
                self.link = nil
            }
        } catch {
            throw CaptureError(error, subject: subject)
        }
    }

    /// Starts the pipeline.
    ///
    /// - Throws: ``CaptureError`` with the camera as its subject; the camera is released by then, unless its driver
    ///   hangs.
    func play() async throws(CaptureError) {
        do throws(PipelineError) {
            try await pipeline.play()
            requests?.start(pipeline)
            if let link, let base = pipeline.baseTime {
                pushing.withLock { task in task = Task { await link.frames.push(into: link.source, base: base) } }
            }
        } catch {
            await closeReaders()
            do throws(PipelineError) {
                // A driver that hangs gets only a little more time.
                try await pipeline.stop(deadline: .seconds(2))
            } catch {
                throw CaptureError(error, subject: subject)
            }
            throw CaptureError(error, subject: subject)
        }
    }

    /// Shows the frames on a preview, from now on.
    ///
    /// - Parameter orientation: How the frames are turned, as stills are.
    /// - Returns: The lens, which closes with this session at the latest; `nil` if the preview or the session is over.
    /// - Throws: ``CaptureError`` with the preview as its subject.
    func show(on preview: PreviewScreen, _ orientation: Orientation) async throws(CaptureError) -> PreviewLens? {
        guard !isClosed, let lens = try await preview.link(to: outlet, of: media, orientation) else { return nil }
        let isOpen = lenses.withLock { lenses in
            lenses?.append(lens)
            return lenses != nil
        }
        if isOpen { return lens }
        await lens.close()
        return nil
    }

    /// Closes the lens of a preview that needs no more frames.
    func hide(_ lens: PreviewLens) async {
        await lens.close()
        // Not earlier: close() waits for each lens that may still hold a frame of the camera.
        lenses.withLock { $0?.removeAll { $0 === lens } }
    }

    /// The messages of the pipeline's bus.
    var messages: BusMessages { pipeline.bus.messages() }

    /// The first error that the pipeline reported, which is known before its frames end because of it; `nil` if there
    /// is none.
    package var failure: CaptureError? {
        link?.frames.failure ?? pipeline.bus.firstError.map { CaptureError($0, subject: subject) }
    }

    /// When the last frame arrived; `nil` before the first.
    var lastArrival: ClockTime? { outlet.lastArrival }

    /// The number of frames that have arrived.
    var frameCount: Int { outlet.arrivalCount }

    /// Returns a branch with the newest sample and all later ones. Any number of tasks may have one.
    func branch() -> FrameBranch { outlet.branch() }

    /// Returns the frame of a sample, with the moment at which it was captured: by its timestamp, or without one by its
    /// arrival.
    package func frame(of sample: Sample) -> Frame {
        guard let arrival = arrivals.arrival(of: sample.presentationTime) else {
            return Frame(sample: sample, time: time(of: sample) ?? PipelineClock.system.now)
        }
        return Frame(
            sample: sample, time: time(of: sample) ?? arrival.time, arrival: arrival.time, clocks: arrival.clocks)
    }

    /// Keeps the newest frames from now on, for pictures from before their trigger or request, until the session closes.
    ///
    /// - Parameter span: The time before a request, for which frames are kept; zero keeps none.
    func keepFrames(for span: Duration) {
        // A bridge that is added later would keep a closed session.
        lenses.withLock { lenses in
            if span > .zero, lenses != nil { history.keep(span, of: self) } else { history.rest() }
        }
    }

    /// Returns the frame nearest to an earlier moment among those of ``keepFrames(for:)``: the oldest one if that frame is
    /// not kept, and `nil` if a nearer one can come.
    func keptFrame(nearestTo moment: ClockTime) -> Frame? { history.frame(nearestTo: moment) }

    /// Returns the frame nearest to a moment among those of ``keepFrames(for:)``; `nil` if they do not reach back so far,
    /// or the newest is older than the moment by more than `tolerance`.
    func keptFrame(nearestTo moment: ClockTime, within tolerance: Duration) -> Frame? {
        guard let start = history.start, start <= moment else { return nil }
        if let frame = history.frame(nearestTo: moment) { return frame }
        return history.newest.flatMap { moment - $0.time <= tolerance ? $0 : nil }
    }

    /// Ends the wait for frames of all branches, current and later ones, and closes the camera in the background.
    func endFrames() {
        outlet.close()
        history.rest()
        link?.frames.cancel()
        pipeline.stopSoon()
    }

    /// Closes the session; the camera is released when this returns. Previews keep their last picture, and no memory of
    /// the camera.
    ///
    /// - Throws: ``CaptureError/Code/wedged`` if the driver hangs; its thread is lost then.
    func close() async throws(CaptureError) {
        await closeReaders()
        do throws(PipelineError) {
            try await pipeline.stop()
        } catch {
            throw CaptureError(error, subject: subject)
        }
    }

    private var isClosed: Bool { lenses.withLock { $0 == nil } }

    private func closeReaders() async {
        outlet.close()
        link?.frames.cancel()
        await pushing.withLock { $0 }?.value
        await requests?.stop()
        let open = lenses.withLock { lenses in
            defer { lenses = nil }
            return lenses ?? []
        }
        history.rest()
        for lens in open { await lens.close() }
    }

    /// Returns the time of a sample according to the source; `nil` if the source writes no timestamps.
    private func time(of sample: Sample) -> ClockTime? {
        guard let base = pipeline.baseTime, let running = sample.runningTime else { return nil }
        return base + .nanoseconds(Int64(clamping: running.nanoseconds))
    }
}
