// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit

/// Captures one picture, or one burst.
struct SnapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snap",
        abstract: "Take a picture, and print its name.",
        discussion: """
            Examples:
              gst-capture snap
              gst-capture snap photo.jpg
              gst-capture snap --camera scene --width 1920 --height 1080 -o test.png
              gst-capture snap --delay 10s --countdown 3s -o 'me-%n.jpg'
              gst-capture snap --burst 5 -o 'burst-%02n.jpg' --latest newest.jpg
              gst-capture snap --burn-in 'text:%Y-%m-%d %H:%M;position=bottom-left'
              gst-capture snap -o - | magick - -resize 50% small.jpg
              picture=$(gst-capture snap --quiet) && echo "$picture"

            \(CaptureHelp.names)

            \(CaptureHelp.layers)

            \(CaptureHelp.json)
            """
    ).parsedAlone

    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Picture") var picture: PictureOptions
    @OptionGroup(title: "Overlay") var overlay: OverlayOptions
    @OptionGroup(title: "Storage") var storage: StorageOptions
    @OptionGroup(title: "Moment") var moment: MomentOptions
    @OptionGroup(title: "Report") var reporting: ReportingOptions

    func run() async throws {
        let options: [any SettingOptions] = [camera, picture, overlay, storage, moment]
        try await CaptureRun(mode: .snap, options: options.flatMap(\.assignments), reporting: reporting).run()
    }
}
