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

/// A move on the command line, in fractions of an outline's size: `5%,-10%`, or `0.05,-0.1`.
struct PictureMove: ExpressibleByArgument, Sendable {
    let x: Double
    let y: Double

    /// Parses a move; returns `nil` for other text.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(Self.part)
        guard parts.count == 2, let x = parts[0], let y = parts[1] else { return nil }
        (self.x, self.y) = (x, y)
    }

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    var defaultValueDescription: String { "0,0" }

    private static func part(_ text: Substring) -> Double? {
        let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}
