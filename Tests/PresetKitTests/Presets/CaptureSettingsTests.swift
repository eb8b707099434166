// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureTestSupport
import FrameMeasures
import StillKit
import Testing

@testable import CaptureKit
@testable import PresetKit

@Suite("Settings")
struct CaptureSettingsTests {
    @Test("Options override variables, and variables override the preset")
    func precedence() throws {
        let preset = try CaptureSettings(options: [("width", "1"), ("height", "1"), ("quality", "1")])
        let variables = try CaptureSettings(environment: ["GST_CAPTURE_WIDTH": "2", "GST_CAPTURE_HEIGHT": "2"])
        let options = try CaptureSettings(options: [("width", "3")])
        let merged = options.merging(over: variables).merging(over: preset)
        #expect([merged.width, merged.height, merged.quality] == [3, 2, 1])
        #expect(merged.camera == nil)
    }

    @Test("A preset is named by an option or a variable, and all sources are merged")
    func together() throws {
        let folder = try TemporaryFolder()
        try folder.write("pipelines/cam.yaml", "width: 1\nheight: 1\nquality: 1")
        try folder.write("pipelines/other.yaml", "width: 9")
        let library = PresetLibrary(PresetSurroundings(workingFolder: folder.path))
        let environment = ["GST_CAPTURE_PRESET": "cam", "GST_CAPTURE_HEIGHT": "2", "GST_CAPTURE_WIDTH": "2"]
        let settings = try CaptureSettings(
            options: [("width", "3")], preset: nil, environment: environment, library: library)
        #expect([settings.width, settings.height, settings.quality] == [3, 2, 1])
        let named = try CaptureSettings(options: [], preset: "other", environment: [:], library: library)
        #expect(named.width == 9)
    }

    @Test("Each setting is merged: a value of one side stays if the other has none", arguments: Setting.all.map(\.key))
    func mergingEach(key: String) throws {
        let settings = try CaptureSettings(options: [(key, try #require(Self.examples[key]))])
        #expect(settings != CaptureSettings())
        #expect(settings.merging(over: CaptureSettings()) == settings)
        #expect(CaptureSettings().merging(over: settings) == settings)
    }

    @Test("A camera replaces a source with its decoder, and a source replaces a camera")
    func exclusion() throws {
        let source = try CaptureSettings(options: [("source", "rtspsrc"), ("decode", "avdec_h264"), ("quality", "80")])
        let camera = try CaptureSettings(options: [("camera", "scene")])
        #expect(camera.merging(over: source).source == nil)
        #expect(camera.merging(over: source).decode == nil)
        #expect(camera.merging(over: source).quality == 80)
        #expect(source.merging(over: camera).camera == nil)
        #expect(source.merging(over: source).decode == "avdec_h264")
    }

    @Test("A ramp replaces a preset's lock of the same control, and a lock its ramp")
    func ramps() throws {
        let preset = try CaptureSettings(options: [("lock", "white-balance,focus"), ("ramp", "exposure")])
        let ramped = try CaptureSettings(options: [("ramp", "white-balance")]).merging(over: preset)
        #expect(ramped.lock == [.focus] && ramped.ramp == [.whiteBalance])
        let locked = try CaptureSettings(options: [("lock", "exposure")]).merging(over: preset)
        #expect(locked.lock == [.exposure] && locked.ramp == [])
    }

    @Test("Stops are a decimal number or a fraction, and brightness is in percent")
    func stops() throws {
        let settings = try CaptureSettings(options: [("ramp-rate", "1/8"), ("ramp-target", "42.5%")])
        #expect(settings.rampRate == 0.125 && settings.rampTarget == 0.425)
        for text in ["0", "4", "1/0", "1/", "/6", "1/6/2", "-1", "+1", "nan", "inf", "1e1", "0x1", "1//6", "."] {
            #expect(throws: CaptureError.self) { try CaptureSettings(options: [("ramp-rate", text)]) }
        }
        for text in ["45", "%", "0%", "100%", "-5%", "nan%", "4 5%", "45%%"] {
            #expect(throws: CaptureError.self) { try CaptureSettings(options: [("ramp-target", text)]) }
        }
    }

    @Test(
        "Contradictory settings of ramps are refused with advice",
        arguments: [
            (
                ["lock": "focus,exposure", "ramp": "exposure"],
                "--ramp: exposure cannot be both locked and ramped; remove it from --lock or from --ramp"
            ),
            (["ramp-rate": "0.2"], "--ramp-rate: has no effect without --ramp; add --ramp exposure"),
            (["ramp-target": "45%"], "--ramp-target: has no effect without --ramp; add --ramp exposure"),
        ])
    func rampErrors(options: [String: String], message: String) throws {
        let settings = try CaptureSettings(options: options.map { ($0.key, $0.value) } + [("interval", "1s")])
        let error = #expect(throws: CaptureError.self) { try CaptureConfiguration.check(settings, mode: .timelapse) }
        #expect(error?.description == message)
    }

    @Test("The rate of a ramp grows with the time between pictures; a single picture has none")
    func rampRates() throws {
        func configuration(_ interval: String, _ mode: CaptureMode = .timelapse) throws -> CaptureConfiguration {
            let options = [("camera", "scene"), ("interval", interval), ("ramp", "exposure")]
            return try CaptureConfiguration(CaptureSettings(options: options), mode: mode)
        }
        #expect(try configuration("1s").rampLimits.rate == 1.0 / 6)
        #expect(abs(try configuration("1m").rampLimits.rate - 1.0 / 3) < 1e-9)
        #expect(try configuration("1s").ramps == [.exposure])
        let single = try CaptureSettings(options: [("camera", "scene"), ("ramp", "exposure")])
        #expect(try CaptureConfiguration(single, mode: .snap).ramps == [])
    }

    @Test("A file name with an extension replaces a preset's encoding")
    func fileNames() throws {
        let preset = try CaptureSettings(options: [("encoding", "png")])
        #expect(try CaptureSettings(options: [("output", "a.jpg")]).merging(over: preset).encoding == nil)
        #expect(try CaptureSettings(options: [("output", "a")]).merging(over: preset).encoding == .png)
    }

    @Test("Controls are merged one by one, those of the preset first")
    func controls() throws {
        let preset = try CaptureSettings(options: [("controls", "auto_exposure=1,gain=5")])
        let options = try CaptureSettings(options: [("set", "gain=9"), ("set", "zoom = 2")])
        let merged = options.merging(over: preset).controls?.map { "\($0.name)=\($0.value)" }
        #expect(merged == ["auto_exposure=1", "gain=9", "zoom=2"])
    }

    @Test("Values are parsed as documented")
    func values() throws {
        let settings = try CaptureSettings(options: [
            ("framerate", "29.97"), ("format", "MJPG"), ("settle", "2s"), ("lock", "exposure, focus"), ("flash", "on"),
            ("rotate", "270"), ("overwrite", "yes"), ("overlay", "card"), ("overlay", "grid,face"), ("for", "1h30m"),
        ])
        #expect(settings.framerate == FrameRate(30000, 1001))
        #expect(settings.format == "mjpeg")
        #expect(settings.settle == .fixed(.seconds(2)))
        #expect(settings.lock == [.exposure, .focus])
        #expect(settings.flash == .on)
        #expect(settings.rotate?.rawValue == 270)
        #expect(settings.overwrite == true)
        #expect(settings.overlay?.map(\.bareText) == ["card", "grid", "face"])
        #expect(settings.length == .seconds(5400))
        #expect(try CaptureSettings(options: [("lock", "none")]).lock == [])
    }

    @Test(
        "Errors of the command line name the option and the valid values",
        arguments: [
            ("width", "12o", #"--width: "12o" is not a whole number; give 1 to 16384"#),
            ("width", "0", "--width: 0 is out of range; give 1 to 16384"),
            (
                "width", "99999999999999999999",
                #"--width: "99999999999999999999" is not a whole number; give 1 to 16384"#
            ),
            ("wdith", "640", "--wdith: unknown option; did you mean --width?"),
            ("encoding", "gif", #"--encoding: "gif" is not known; give jpeg, png, webp or raw"#),
            ("interval", "0", #"--interval: "0" is too short; give 1ms or more"#),
            ("at", "200ms", #"--at: "200ms" is not before the trigger; give one such as -200ms"#),
            ("at", "-3s", #"--at: "-3s" is out of range; give -1ms to -2s"#),
            ("delay", "20y", #"--delay: "20y" is not a time; give one such as 500ms, 5s, 2m, 1h30m or 1d"#),
            ("set", "gain", #"--set: "gain" is not name=value; write it as brightness=128"#),
            ("set", "a=1,a=2", "--set: a is set twice"),
            ("output", " ", "--output: has no value; give one, or leave it out"),
            ("output", "a\u{1B}[31mb", "--output: contains a control character; write it on one line"),
        ])
    func optionErrors(key: String, text: String, message: String) {
        let error = #expect(throws: CaptureError.self) { try CaptureSettings(options: [(key, text)]) }
        #expect(error?.description == message)
        #expect(error?.code == .usage)
    }

    @Test("A camera together with a source is refused")
    func conflict() {
        let error = #expect(throws: CaptureError.self) {
            try CaptureSettings(options: [("camera", "scene"), ("source", "videotestsrc")])
        }
        #expect(error?.subject == "--source")
    }

    static let examples = [
        "film": "day", "film-rate": "25", "film-size": "1280x720", "film-gaps": "hold", "film-deflicker": "yes",
        "film-time": "%H:%M", "film-codec": "auto", "film-bitrate": "4M", "film-max-age": "30d",
        "camera": "scene", "source": "videotestsrc", "width": "640", "height": "480", "framerate": "30",
        "format": "NV12", "decode": "auto", "settle": "auto", "controls": "gain=1", "lock": "focus", "flash": "torch",
        "flash-control": "lamp=1",
        "recover": "10m", "standby": "yes", "stall-after": "500ms", "history": "500ms", "output": "a.jpg",
        "encoding": "png",
        "ramp": "exposure", "ramp-rate": "1/6", "ramp-target": "45%", "quality": "90", "live": "yes", "rotate": "90",
        "flip": "vertical", "overwrite": "no",
        "latest": "l.jpg", "ledger": "a.ledger", "resume": "yes", "overlay": "card", "burn-in": "text:%n",
        "appearance": "color=red",
        "delay": "1s", "countdown": "3s", "at": "-200ms", "burst": "3", "interval": "1m",
        "count": "5", "for": "8h", "until": "18:00", "start": "08:00", "align": "yes", "hours": "dawn..dusk",
        "days": "mon-fri", "latitude": "52.5N", "longitude": "-70", "late-slots": "skip", "exec-before": "lamp on",
        "exec-after": "lamp off", "exec-lost": "logger lost", "exec-recovered": "logger back", "exec-limit": "5s",
        "preview-width": "640", "preview-height": "480",
        "preview-framerate": "15", "preview-sink": "none", "mirror": "yes", "mode": "timelapse",
        "keep-free": "10%", "max-size": "50GB", "max-age": "30d", "max-count": "1000", "on-limit": "thin:4",
        "max-age-sent": "7d", "keep-unsent": "yes", "outbox": "outbox.yaml", "outbox-state": "/var/lib/gst-capture",
        "hold": "32MiB", "mount": "/media/stick", "front": "scene", "back": "scene", "sound": "off",
        "library": "pictures", "accelerometer": "off", "auto": "yes", "move": "5%,-10%",
        "zoom": "1.2", "turn": "7", "language": "de", "loop": "yes", "idle": "60s",
        "field": "name=Ada", "role": "left=usb-1", "exec-picture": "logger picture", "exec-accepted": "logger accepted",
        "video-size": "1280x720", "video-fps": "15", "video-codec": "x264enc", "bitrate": "4M", "segment": "10m",
        "audio": "hw:1", "trigger": "yes", "pre": "5s", "post": "10s", "at-most": "2m",
    ]
}

@Suite("Settings of the environment")
struct EnvironmentTests {
    @Test("Each setting has a variable", arguments: Setting.all)
    func variables(setting: Setting) throws {
        let text = try #require(CaptureSettingsTests.examples[setting.key])
        let settings = try CaptureSettings(environment: [setting.variable: text])
        #expect(try settings == CaptureSettings(options: [(setting.key, text)]))
    }

    @Test("Variables of other programs, reserved ones and empty ones are ignored")
    func passedOver() throws {
        let environment = [
            "HOME": "/", "GST_DEBUG": "3", "gst_capture_width": "x", "GST_CAPTURE_LOG": "debug",
            "GST_CAPTURE_PRESET": "usb", "GST_CAPTURE_WIDTH": "",
        ]
        #expect(try CaptureSettings(environment: environment) == CaptureSettings())
    }

    @Test("All errors are reported together, with the nearest name")
    func errors() {
        let environment = ["GST_CAPTURE_WIDHT": "640", "GST_CAPTURE_QUALITY": "101", "GST_CAPTURE_SET": "a=1"]
        let error = #expect(throws: CaptureError.self) { try CaptureSettings(environment: environment) }
        #expect(error?.code == .configuration)
        #expect(
            error?.description.split(separator: "\n") == [
                "GST_CAPTURE_QUALITY: 101 is out of range; give 1 to 100",
                "GST_CAPTURE_SET: unknown variable; did you mean GST_CAPTURE_CONTROLS?",
                "GST_CAPTURE_WIDHT: unknown variable; did you mean GST_CAPTURE_WIDTH?",
            ])
    }

    @Test(
        "Hostile values are refused or accepted, and never trap",
        arguments: [
            "\u{0}", "\u{1B}]0;x\u{7}", "\n", "%n%s%d", "$(reboot)", "../../etc/passwd", "-1", "1e999", "\u{FFFD}",
            "=", ",", "a=", "=b", "a=b=c", ",,,", "\"", "\u{202E}evil", "0", "none", "9223372036854775808",
            String(repeating: "a", count: 100_000), String(repeating: "a=1,", count: 10_000),
            String(repeating: "e\u{301}", count: 50_000), "2026-99-99 99:99",
        ])
    func hostile(value: String) {
        for setting in Setting.all {
            do {
                _ = try CaptureSettings(environment: [setting.variable: value])
            } catch {
                #expect(error.description.count < 400)
                #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
        }
        _ = try? CaptureSettings(environment: ["GST_CAPTURE_" + value: value])
    }

    @Test("Names, options and variables are each used once")
    func unique() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.compactMap(\.option)).count == Setting.all.compactMap(\.option).count)
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
    }
}
