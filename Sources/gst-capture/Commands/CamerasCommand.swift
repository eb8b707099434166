// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import TerminalKit

/// Lists the cameras.
struct CamerasCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cameras",
        abstract: "List the cameras and their formats.",
        discussion: """
            The first word of each camera is its id, which stays when it is plugged into the same place again; \
            --camera takes it, or a part of its name, or a path such as /dev/video0.

            Examples:
              gst-capture cameras
              gst-capture cameras --sizes
              gst-capture cameras --json | jq -r .id
              gst-capture snap --camera usb-046d_HD_Pro_Webcam_C920-video-index0

            With --json each line is a camera: id, name, kind, path, driver, bus, serial, aliases, usable, problem \
            (code, status, subject, message, advice) and formats (fourcc, title, media, sizes with width, height and \
            rates).
            """
    )

    @Flag(help: "All sizes and frame rates, not just the largest.")
    var sizes = false

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() async {
        let cameras = await CameraFinder.all()
        for camera in cameras {
            let listing = CameraListing(camera)
            StandardStream.output.line(json ? listing.json.text : listing.text(for: Terminal(.output), allSizes: sizes))
        }
        if !json, !cameras.contains(where: { $0.kind != .scene }) { Console().report(Self.nothingThere) }
    }

    private static let nothingThere = """
        No camera is connected; the built-in scene is always there: --camera scene.
        Is it plugged in, and does lsusb show it? "gst-capture doctor" looks at permissions and drivers.
        """
}
