// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import PresetKit

/// Captures pictures at intervals.
struct TimelapseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timelapse",
        abstract: "Take pictures at intervals, for seconds or for months.",
        discussion: """
            Slot k is due at the start plus k intervals: a late picture never moves the next, and a slot without a \
            picture is reported. With --align, slots are due when the clock shows multiples of the interval. --hours \
            and --days leave out all other slots; hours end before their last moment, and belong to the day on which \
            they begin. A ledger in the hidden folder .gst-capture beside the pictures accounts for all slots \
            (gst-capture ledger); with it --resume continues after a crash, a power cut or a stop.

            Examples:
              gst-capture timelapse --interval 10s --for 2h
              gst-capture timelapse --interval 1m --until 18:30 -o '%Y-%m-%d/%H%M%S.jpg'
              gst-capture timelapse --interval 10m --align --hours 08:00-18:00 --days mon-fri
              gst-capture timelapse --interval 5m --hours sunrise-30m..sunset+30m --latitude 52.52 --longitude 13.40
              gst-capture timelapse -i 500ms -n 100 -o '%04n.jpg' --latest newest.jpg
              gst-capture timelapse -i 1m -o '/media/stick/%Y-%m-%d/%H%M.jpg' --mount /media/stick
              gst-capture timelapse -i 1m -o '%05n.jpg' --keep-free 2GB --on-limit thin
              gst-capture timelapse -i 20s --ramp exposure,white-balance -o 'night/%05n.jpg'
              gst-capture timelapse --camera scene --interval 1s --count 5 --json
              gst-capture timelapse --interval 1m -o '/srv/garden/%Y-%m-%d/%H%M%S.jpg' --resume
              gst-capture timelapse -i 1m -o '/srv/garden/%Y-%m-%d/%H%M%S.jpg' --film day --film-deflicker
              gst-capture timelapse --preset timelapse-day --dry-run

            While it runs:
              SIGUSR1            take one more now
              SIGUSR2            finish
              SIGINT, SIGTERM    stop after the current picture; a second signal stops at once
              SIGHUP             reload preset and variables, and continue with them; a mistake is reported and \
            changes nothing

            \(CaptureHelp.names)

            \(CaptureHelp.storage)

            \(CaptureHelp.light)

            \(CaptureHelp.layers)

            \(CaptureHelp.hooks)

            \(CaptureHelp.json)
            """
    ).parsedAlone

    @OptionGroup(title: "Series") var series: SeriesOptions
    @OptionGroup(title: "Schedule") var schedule: ScheduleOptions
    @OptionGroup(title: "Ledger") var ledger: LedgerOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Light from picture to picture") var ramp: RampOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
    @OptionGroup(title: "Picture") var picture: PictureOptions
    @OptionGroup(title: "Film of each day") var film: DayFilmOptions
    @OptionGroup(title: "Overlay") var overlay: OverlayOptions
    @OptionGroup(title: "Storage") var storage: StorageOptions
    @OptionGroup(title: "Outbox") var sent: SentOptions
    @OptionGroup(title: "Moment") var moment: MomentOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Report") var reporting: ReportingOptions
    @OptionGroup(title: "Requests") var control: ControlOptions

    func validate() throws { try control.check(reporting) }

    func run() async throws {
        let options: [any SettingOptions] = [
            series, schedule, ledger, camera, ramp, recovery, picture, film, overlay, storage, sent,
            moment, hooks,
        ]
        try await CaptureRun(
            mode: .timelapse, options: options.flatMap(\.assignments), reporting: reporting,
            control: control
        ).run()
    }
}
