// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import StillKit
import Testing

@testable import PresetKit

@Suite("Values of settings")
struct SettingSyntaxTests {
    @Test("A recovery is parsed from a word of the setting, and prints as that word")
    func recoveries() throws {
        for (word, recovery) in ["off": Recovery.off, "forever": .always, "10m": .limited(to: .seconds(600))] {
            #expect(try CaptureSettings(options: [("recover", word)]).recover == recovery)
            #expect("\(recovery)" == word)
        }
    }

    @Test("A policy is parsed from a word, and the word thin can have a factor")
    func policies() throws {
        let words = ["stop": LimitPolicy.stop, "prune": .prune, "Thin": .thin(every: 2), "thin:4": .thin(every: 4)]
        for (word, policy) in words {
            #expect(try CaptureSettings(options: [("on-limit", word)]).onLimit == policy)
            #expect(try CaptureSettings(options: [("on-limit", "\(policy)")]).onLimit == policy)
        }
        for word in [
            "", "delete", "thin:", "thin:1", "thin:-4", "thin:4:4", "stop:2", "prune:", "thin:99999999999999999999",
        ] {
            #expect(throws: CaptureError.self) { try CaptureSettings(options: [("on-limit", word)]) }
        }
    }

    @Test(
        "The accelerometer setting is a folder, auto or off",
        arguments: [
            ("auto", AccelerometerRequest.automatic), ("OFF", .off), ("none", .off),
            ("/sys/bus/iio/devices/iio:device0", .folder("/sys/bus/iio/devices/iio:device0")),
        ])
    func accelerometers(text: String, request: AccelerometerRequest) throws {
        #expect(try SettingSyntax.accelerometer.parse(.text(SourcedText(text: text))) == request)
    }

    @Test(
        "Other values of the accelerometer setting are refused",
        arguments: ["", " ", "on", "iio:device0", "/a\0b", "/a\nb", "../x", "1"])
    func noAccelerometers(text: String) {
        #expect(throws: InvalidValue.self) { try SettingSyntax.accelerometer.parse(.text(SourcedText(text: text))) }
    }

    @Test("A sound is parsed from a word, and any other text is GStreamer elements")
    func sounds() {
        #expect(SoundRequest("off") == .off && SoundRequest("Auto") == .automatic)
        #expect(SoundRequest("alsasink device=hw:1") == .elements("alsasink device=hw:1"))
    }
}
