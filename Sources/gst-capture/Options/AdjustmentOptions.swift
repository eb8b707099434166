// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Options that move, zoom and turn a picture under an outline before it is cropped.
struct AdjustmentOptions: ParsableArguments {
    // `.unconditional`, because a move to the left begins with a dash.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Move the picture to the right and down, in the outline's size.", valueName: "x,y"))
    var move = PictureMove(0, 0)

    @Option(help: ArgumentHelp("Show the picture larger or smaller.", valueName: "factor"))
    var zoom = 1.0

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Turn the picture clockwise.", valueName: "degrees"))
    var turn = 0.0

    /// Returns the checked adjustment.
    func adjustment() throws(CaptureError) -> CropAdjustment {
        let adjustment = CropAdjustment(moveX: move.x, moveY: move.y, zoom: zoom, turn: turn)
        try adjustment.check()
        return adjustment
    }
}
