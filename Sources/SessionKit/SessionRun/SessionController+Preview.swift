// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import PresetKit

/// The view on the preview, and the events of the preview and of the gates.
extension SessionController {
    /// Checks all that the session needs, then opens the preview.
    func prepare() async throws(CaptureError) {
        try configuration.preview.sink.check(.current)
        try configuration.sound.check()
        var plan = SessionMachine.Plan()
        plan.hasSeveralCameras = cameras.count > 1
        plan.usualCamera = CameraRole.allCases.first { cameras[$0] != nil } ?? .front
        if let memory = configuration.tutorialMemory {
            let name = session.name
            plan.knowsTutorial = await BlockingWork.run { memory.knows(name) }
        }
        machine = SessionMachine(session, plan)
        let shapes = try await SessionShapes(session, in: configuration.outlines)
        if let planner { try await shapes.check(by: planner) }
        display.outlines = shapes.outlines
        try await prepareFolder()
        if configuration.isAutomatic { pilot = SessionAutopilot(brings: !configuration.library.isEmpty) }
        watchCameras()
        watches.append(Task { for await event in screen.events { handle(preview: event) } })
        watches.append(Task { for await finding in gates.findings { handle(gate: finding) } })
        if let overlay { watches.append(Task { for await event in overlay.events { handle(overlay: event) } }) }
        try await screen.start()
    }

    private func handle(preview event: PreviewScreen.Event) {
        switch event {
        case .size(let size):
            let isOther = display.size != size
            display.size = size
            emit(.previewing(width: size.width, height: size.height))
            show()
            // On frames of another shape, such as the first of a camera, the outline lies elsewhere.
            if isOther { watch(watched) }
        case .key(let key): emit(.key(key))
        case .press: emit(.press)
        case .ended(let error):
            emit(.previewEnded(error))
            // Without its window the user cannot follow the session. A session without a window is not affected.
            conclude(error.map(SessionOutcome.Ending.failed) ?? .left)
        }
    }

    private func handle(overlay event: OverlayEvent) {
        if case .failed(let layer, let error) = event, display.failedLayers.insert(layer).inserted {
            emit(.notice(Notice(error, ofLayer: layer)))
        }
    }

    // MARK: Gates

    /// Judges frames by these gates once the place of the outline is known.
    func watch(_ requests: [GateRequest]) {
        watched = requests
        display.hints = [:]
        display.generation = gates.watch([])
        watching?.cancel()
        let outline = stageInHand.flatMap { session.stages[$0].outline }.flatMap { display.outlines[$0] }
        guard !requests.isEmpty else { return }
        watching = Task {
            let subject = await subject(of: outline)
            guard !Task.isCancelled, ending == nil else { return }
            display.generation = gates.watch(requests, of: subject)
        }
    }

    /// The subject of an outline; `nil` if there is no outline, or if it cannot be drawn, which the overlay reports.
    private func subject(of outline: Outline?) async -> GateSubject? {
        guard let outline, let planner else { return nil }
        return try? await GateSubject(of: outline, SessionComposer.outlinePlacement, on: display.size, by: planner)
    }

    private func handle(gate finding: GateFinding) {
        // Findings of an earlier stage are ignored.
        guard finding.generation == display.generation else { return }
        display.hints[finding.kind] = finding.holds ? nil : finding.hint
        emit(.gate(finding))
        // `handle` also shows the hint.
        handle(.gate(finding.kind, holds: finding.holds))
    }

    // MARK: The picture

    var composer: SessionComposer { SessionComposer(session, outlines: display.outlines, on: display.size) }

    /// The values of placeholders in the user's layers.
    private func values(_ scene: SessionScene) -> [String: String] {
        guard !configuration.overlay.isEmpty else { return [:] }
        return [
            "n": String(machine.progress.nextPicture), "camera": current?.camera.id ?? "", "countdown": scene.countdown,
            "offset": "",
        ]
    }

    /// Updates the view if it has changed.
    func show() {
        guard overlay != nil else { return }
        display.abort = machine.phase.stage.map(machine.abortPolicy) ?? session.abort
        var scene = display.scene(machine.phase, machine.progress)
        scene.hasKeys = configuration.hasKeys
        (scene.hasCamera, scene.hasSeveralCameras) = (!cameras.isEmpty, cameras.count > 1)
        scene.hasLibrary = !library.isEmpty
        let view = composer.view(scene).adding(values(scene))
        guard view != display.shown else { return }
        let before = display.shown
        display.shown = view
        switch view {
        case .live(let layers, let values):
            overlay?.show(configuration.overlay + layers, appearance: configuration.appearance, values)
            if case .page = before { screen.resume() }
        case .page(let layers, let ground):
            // The first frame after the page must not show the lines and digits of the previous stage.
            overlay?.show([], appearance: configuration.appearance, [:])
            screen.present(layers, over: ground, appearance: configuration.appearance)
        }
    }
}
