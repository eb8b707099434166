// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit

/// Shows the camera's picture in a window, and captures pictures when the user presses a key.
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the camera's picture in a window, and take pictures at the press of a key.",
        discussion: """
            Pictures have the camera's full size, without the outlines and other layers of the preview.

            Examples:
              gst-capture preview
              gst-capture preview --overlay face
              gst-capture preview --overlay face --mirror --delay 5s -o 'me-%n.jpg'
              gst-capture preview --camera scene --interval 2s --for 10m
              gst-capture preview --sink kms          on a board without a desktop
              gst-capture preview --preview-width 640 --preview-framerate 15

            Keys, in the window and in the terminal:
              space    take a picture              SIGUSR1 does so, too
              d        take one after --delay, 3 seconds by default; once more stops the countdown
              r        take one every --interval, 5 seconds by default; once more stops it
              o        next outline: those given if there are several, else all there are; then none
              g        the last picture as a ghost over the preview
              m        mirror
              h, ?     show the keys
              q, Esc   quit; Ctrl-C and closing the window do so, too

            --count and --for end the preview. With --control stdin, lines such as {"do": "capture"} are requests, each \
            answered by ok or error.

            \(CaptureHelp.names)

            \(CaptureHelp.storage)

            Hooks run as in a timelapse (gst-capture help timelapse).

            \(CaptureHelp.json) A preview adds previewing (width, height), drawn (the overlay is up to date), key (key, \
            state, message), called-off (slot) and preview-ended (error).
            """
    ).parsedAlone

    @OptionGroup(title: "Preview") var preview: PreviewOptions
    @OptionGroup(title: "Overlay") var overlay: OverlayOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Light from picture to picture") var ramp: RampOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
    @OptionGroup(title: "Picture") var picture: PictureOptions
    @OptionGroup(title: "Storage") var storage: StorageOptions
    @OptionGroup(title: "Moment") var moment: MomentOptions
    @OptionGroup(title: "Series") var series: SeriesOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Report") var reporting: ReportingOptions
    @OptionGroup(title: "Requests") var control: ControlOptions

    func validate() throws { try control.check(reporting) }

    func run() async throws {
        let options: [any SettingOptions] = [
            preview, overlay, camera, ramp, recovery, picture, storage, moment, series, hooks,
        ]
        try await CaptureRun(
            mode: .preview, options: options.flatMap(\.assignments), reporting: reporting,
            control: control
        ).run()
    }
}
