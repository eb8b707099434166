// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import LedgerKit
import OverlayCompositor
import PipelineKit
import ScheduleKit

/// The camera: opening it and handling its events.
extension CaptureController {
    var isOpening: Bool { machine.phase == .opening }

    /// Prepares the storage and the preview, then opens the camera. The capture may be stopped during each wait.
    func begin() async {
        do throws(CaptureError) {
            try await writer.prepare()
            try await ledger?.open()
            await emitDurable(await writer.drainEvents())
            guard isOpening else { return }
            try configuration.preview?.sink.check(.current)
            tasks.add { [self] in for await event in camera.events { await handle(camera: event) } }
            watchPreview()
            try await preview?.start()
            await camera.open()
        } catch {
            handle(.lost(error))
        }
    }

    func handle(camera event: SupervisedCamera.Event) {
        switch event {
        case .opening(let description):
            emit(.opening(source: configuration.sourceName, pipeline: description.launchText))
            warmUp(for: description.expectedCaps)
        case .negotiated(let caps): warmUp(for: caps)
        case .ready(let camera, let frame): use(camera, frame)
        case .stalled(let silence): emit(.stalled(silence))
        case .lost(let error): lose(error)
        case .recovering(let attempt, let next, let error):
            emit(.recovering(attempt: attempt, next: next, error))
            reportAttempt(error)
        case .recovered(let span): emit(.recovered(after: span))
        case .ended(let error): handle(.ended(error))
        case .gone(let error): handle(.lost(error))
        case .notice(let notice): emit(.notice(notice))
        }
    }

    func use(_ camera: OpenCamera, _ frame: Frame?) {
        // The machine may have closed the camera for a rest meanwhile.
        guard !machine.isResting else { return }
        let feed = FrameFeed(camera.session, after: frame)
        if let frame { feed.giveBack(frame) }
        (open, self.feed, frameDuration) = (camera, feed, camera.frameDuration)
        machine.tolerance = tolerance
        emit(.settled(camera.settling))
        handle(.ready)
    }

    func lose(_ error: CaptureError) {
        (open, feed, loss) = (nil, nil, error)
        preview?.hold(because: error.summary)
        emit(.lost(error))
        handle(.interrupted)
    }

    func rest(until slot: Slot) {
        (open, feed) = (nil, nil)
        preview?.hold(because: "standing by until \(WallTime.of(slot.due).formatted("%H:%M:%S") ?? "the next picture")")
        emit(.resting(until: slot))
        tasks.add { [camera] in await camera.rest() }
    }

    /// Reports the error of a failed attempt if it differs from the last error: the camera may stay away for another
    /// reason than the one for which it was lost.
    func reportAttempt(_ error: CaptureError) {
        guard error != loss else { return }
        loss = error
        preview?.hold(because: error.summary)
        emit(.notice(Notice(.cameraNotReopened, error)))
    }

    /// Builds the encoder while the camera starts or settles.
    func warmUp(for caps: Caps?) {
        warming.add { [self] in await writer.warmUp(for: caps) }
    }
}

/// The preview and its layers.
extension CaptureController {
    func watchPreview() {
        if let preview {
            tasks.add { [self] in for await event in preview.events { await handle(preview: event) } }
        }
        guard let overlay else { return }
        overlay.set(values.texts)
        show(configuration.overlay)
        tasks.add { [self] in for await event in overlay.events { await handle(overlay: event) } }
    }

    func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size): emit(.previewing(width: size.width, height: size.height))
        case .key(let key): emit(.key(key))
        case .press: break
        case .ended(let error): emit(.previewEnded(error))
        }
    }

    /// Reports each error of a layer once, however often drawing is retried.
    func handle(overlay event: OverlayEvent) {
        switch event {
        case .drawn: emit(.drawn)
        case .failed(let layer, let error):
            let notice = Notice(error, ofLayer: layer)
            if failedLayers.insert(notice).inserted { emit(.notice(notice)) }
        }
    }
}
