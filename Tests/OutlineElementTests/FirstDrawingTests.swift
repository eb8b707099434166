// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

@testable import OutlineElement

@Suite("The wait for the first drawing", .timeLimit(.minutes(1)))
struct FirstDrawingTests {
    /// Waits on a separate thread, as a streaming thread does.
    private func wait(_ drawing: FirstDrawing) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                drawing.wait()
                continuation.resume()
            }
        }
    }

    @Test("A frame waits for the drawing, and the next ones pass at once")
    func open() async {
        let drawing = FirstDrawing()
        async let frame: Void = wait(drawing)
        drawing.open()
        await frame
        drawing.wait()
        drawing.wait()
    }

    @Test("After a reset the next frame waits again")
    func reset() async {
        let drawing = FirstDrawing()
        drawing.open()
        drawing.reset()
        async let frame: Void = wait(drawing)
        drawing.open()
        await frame
    }

    @Test("Letting a frame pass has no effect on later ones, if none waits")
    func passFrame() async {
        let drawing = FirstDrawing()
        drawing.passFrame()
        async let frame: Void = wait(drawing)
        drawing.open()
        await frame
    }
}
