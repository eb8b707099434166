// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor
import PresetKit

/// Options that define how a picture is cropped to an outline.
struct CropOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The outline, by name or file, with its place as layers have it: card;size=60%;position=top.",
            valueName: "outline"),
        completion: .layers)
    var outline: String

    @Flag(help: "Find the four edges of a card near the outline, and correct its perspective.")
    var rectify = false

    @Option(
        help: ArgumentHelp(
            "Outside of the outline's shape: square (picture), rounded (--ground) or masked (clear; a PNG).",
            valueName: "kind"),
        completion: .list(CropCorners.words))
    var corners = "square"

    @Option(help: ArgumentHelp("The color outside of rounded corners.", valueName: "color"))
    var ground = "white"

    @OptionGroup var adjustment: AdjustmentOptions

    @Option(
        help: ArgumentHelp("jpeg or png; by default that of the name or the picture.", valueName: "format"),
        completion: .list(["jpeg", "png"]))
    var format: String?

    @Option(help: ArgumentHelp("The quality of a JPEG, 1 to 100.", valueName: "1-100"))
    var quality = 95

    /// Returns the checked request, with the outline found.
    func request() throws(CaptureError) -> CropRequest {
        let layers = try LayerSelection([outline], of: "--outline").layers
        guard layers.count == 1, case .outline(let found) = layers[0].content else {
            throw CaptureError(
                .usage, "\"\(outline)\" is not a single outline", subject: "--outline",
                advice: "give one such as card, or 'card;size=60%'")
        }
        guard (1...100).contains(quality) else {
            throw CaptureError(.usage, "\(quality) is out of range", subject: "--quality", advice: "give 1 to 100")
        }
        var request = CropRequest(found)
        request.placement = layers[0].placement
        request.corners = try CropCorners(corners, ground: ground)
        request.isRectified = rectify
        request.adjustment = try adjustment.adjustment()
        request.format = try stillFormat()
        request.quality = quality
        return request
    }

    private func stillFormat() throws(CaptureError) -> StillFormat? {
        switch format?.lowercased() {
        case nil: nil
        case "jpeg", "jpg": .jpeg
        case "png": .png
        case .some(let word):
            throw CaptureError(
                .usage, "\"\(word)\" is not a crop format", subject: "--format", advice: "give jpeg or png")
        }
    }
}
