// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// What is shown in place of frames.
extension PreviewScreen {
    /// What is under the layers of a page.
    enum Ground: Sendable, Hashable {
        /// The last frame, blurred; black where there was none yet.
        case blurred
        case black
    }

    /// Shows the last frame, blurred, with these words on it, until a camera gives the next. Where there was no frame
    /// yet, all is black. It returns at once.
    ///
    /// What comes from a camera after this takes over: cut off first a camera that is to be seen no more. Where a page is
    /// shown, that stays.
    func hold(because text: String) {
        guard let stage else { return }
        paint(OverlayContents([.standIn(text)]), over: .blurred, for: stage.hold(at: PipelineClock.system.now)) {
            stage.show($0, for: $1)
        }
    }

    /// Shows layers as soon as they are painted, in place of what was there, until ``resume()`` or another page: frames
    /// that come meanwhile are not shown, and no hold. It returns at once.
    func present(_ layers: [Layer], over ground: Ground, appearance: Style = Style()) {
        guard let stage else { return }
        paint(OverlayContents(layers, appearance: appearance), over: ground, for: stage.turn()) {
            stage.show($0, asPage: $1)
        }
    }

    /// Lets frames be seen again after a page, or what is wrong where there are none. Where there was no frame yet, the
    /// page stays until the first.
    func resume() { stage?.uncover() }

    /// So long a flash is on the screen.
    private static let flashLength = Duration.milliseconds(100)

    /// Shows white for a moment, at once, where frames of a camera are shown. What it takes was prepared with the first
    /// of them, and is of the same format.
    func flash() {
        guard let stage else { return }
        stage.flash(until: PipelineClock.system.now + Self.flashLength)
        Task {
            try? await Task.sleep(for: Self.flashLength, tolerance: .milliseconds(5))
            stage.endFlash(at: PipelineClock.system.now)
        }
    }

    /// Has the flash for frames of these caps painted, off the streaming thread.
    static func prepareFlash(on stage: PreviewStage, of caps: Caps, _ painter: StandInPainter) {
        guard stage.meet(caps) else { return }
        Task {
            // Where it cannot be painted there is none.
            if let frame = try? await painter.flash(caps) { stage.keep(flash: frame) }
        }
    }

    private func paint(
        _ contents: OverlayContents, over ground: Ground, for stand: PreviewStage.Stand,
        _ show: @escaping @Sendable (Sample, PreviewStage.Stand) -> Void
    ) {
        let size = sizeOfPages
        if stand.last == nil { announce(size) }
        Task { [painter] in
            // Where there is no memory for it, what was there stays.
            guard let frame = try? await painter.paint(contents, over: ground, stand.last, size) else { return }
            show(frame, stand)
        }
    }
}
