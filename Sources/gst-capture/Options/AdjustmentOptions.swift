// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import CropKit
import PresetKit

/// Options that move, zoom and turn a picture under an outline before it is cropped.
struct AdjustmentOptions: ParsableArguments {
    // `.unconditional`, because a move to the left begins with a dash.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Move the picture to the right and down, in the outline's size.", valueName: "x,y"))
    var move: PictureMove?

    @Option(help: ArgumentHelp("Show the picture larger or smaller.", valueName: "factor"))
    var zoom: Double?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Turn the picture clockwise.", valueName: "degrees"))
    var turn: Double?

    /// Returns the checked adjustment.
    func adjustment() throws(CaptureError) -> CropAdjustment {
        let adjustment = CropAdjustment(
            moveX: move?.x ?? 0, moveY: move?.y ?? 0, zoom: zoom ?? 1, turn: turn ?? 0)
        try adjustment.check()
        return adjustment
    }

    /// The options as settings of a session.
    var assignments: [SettingAssignment] {
        [
            SettingAssignment("move", move.map { "\($0.x),\($0.y)" }),
            SettingAssignment("zoom", zoom.map { "\($0)" }), SettingAssignment("turn", turn.map { "\($0)" }),
        ].compactMap { $0 }
    }
}

extension CaptureSettings {
    /// Returns the adjustment of library pictures in a session.
    ///
    /// - Throws: `CaptureError` `.usage` with the setting as its subject.
    func adjustment() throws(CaptureError) -> CropAdjustment {
        func wrong(_ key: String, _ text: String, _ advice: String) -> CaptureError {
            CaptureError(.usage, "\(text.quoted) is not valid", subject: key, advice: advice)
        }
        func number(_ key: String, _ text: String?, _ advice: String) throws(CaptureError) -> Double? {
            guard let text else { return nil }
            guard let number = Double(text), number.isFinite else { throw wrong(key, text, advice) }
            return number
        }
        var adjustment = CropAdjustment()
        if let move {
            guard let place = PictureMove(argument: move) else {
                throw wrong("move", move, "write x,y such as 5%,-10%")
            }
            (adjustment.moveX, adjustment.moveY) = (place.x, place.y)
        }
        adjustment.zoom = try number("zoom", zoom, "give a factor such as 1.2") ?? adjustment.zoom
        adjustment.turn = try number("turn", turn, "give degrees such as 7") ?? adjustment.turn
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

    private static func part(_ text: Substring) -> Double? {
        let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }
}
