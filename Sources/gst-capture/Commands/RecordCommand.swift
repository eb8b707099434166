// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Records clips, or repairs those that a crash has cut off.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record video, with sound if asked, in MP4 files.",
        discussion: """
            Examples:
              gst-capture record                                    until Ctrl-C
              gst-capture record --for 30s -o clip.mp4
              gst-capture record --segment 10m -o '%Y-%m-%d/%H%M%S.mp4'
              gst-capture record --audio auto --size 1280x720 --fps 15 --bitrate 2M
              gst-capture record --trigger --pre 5s --post 10s      each SIGUSR1 is a clip, or extends it
              gst-capture record --burn-in 'text:%H:%M:%S'
              gst-capture record --check clip.mp4                   repair it after a crash

            Times are kept as captured: in the dark, a camera sends fewer pictures, and the clip has fewer. Each picture \
            is written at once, so a crash or SIGKILL costs the last one; a power cut, about a second. Such a file plays, \
            and --check makes an ordinary MP4 file of it. If the camera is lost, the file ends, and another one begins \
            when it is back. SIGINT, SIGTERM and SIGUSR2 end the recording.

            The microphone is off unless --audio names it; if it is lost, the recording continues without sound. Series \
            and pictures can use the camera at the same time if a service holds it: record --camera service:NAME.

            File names end in .mp4, and may contain strftime fields, such as %Y %m %d %H %M %S, and %n, the number of the \
            file (%05n: five digits). Missing folders are created. No file is replaced.

            \(CaptureHelp.layers)

            With --json each line is an object with "event" and "at": opening, encoding (width, height, bit_rate, \
            encoder), armed (byte_limit), began (file), recorded (file, duration_ms, frames, dropped, sound_ms, bytes, \
            width, height, reason, error), microphone (name), level (peak_db), lost (error), recovered (after_ms), \
            notice (code, subject, message), error, and finished (summary).
            """
    ).parsedAlone

    @Flag(help: "Repair these files, and print their paths.")
    var check = false

    @Argument(help: "The files of --check.", completion: .file())
    var files: [String] = []

    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Trigger") var trigger: TriggerOptions
    @OptionGroup(title: "Camera") var camera: CameraOptions
    @OptionGroup(title: "Supervision") var recovery: RecoveryOptions
    @OptionGroup(title: "Report") var reporting: ReportingOptions

    func validate() throws {
        guard check != files.isEmpty else {
            throw ValidationError(
                check ? "--check needs a file" : "the file '\(files[0])' is not expected; name it with --output")
        }
    }

    func run() async throws {
        if check { return try await ClipCheck(files, asJSON: reporting.json).run() }
        let options: [any SettingOptions] = [video, trigger, camera, recovery]
        try await RecordRun(options: options.flatMap(\.assignments), reporting: reporting).run()
    }
}
