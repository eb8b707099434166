// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// An encoder of H.264, as an element of GStreamer; or the camera itself.
package enum H264Encoder: String, Sendable, Hashable, CaseIterable {
    /// The camera encodes: its H.264 is used as it is.
    case camera = "camera"
    /// The hardware of boards, and of some cameras, through V4L2.
    case v4l2 = "v4l2h264enc"
    /// Graphics hardware through VA-API, with the plugin `va`.
    case va = "vah264enc"
    /// Graphics hardware through VA-API, with the older plugin `vaapi`.
    case vaapi = "vaapih264enc"
    /// OpenH264, in software.
    case openH264 = "openh264enc"
    /// x264, in software.
    case x264 = "x264enc"

    /// The encoders that a machine can have, the preferred ones first.
    package static let ofMachine: [H264Encoder] = [.v4l2, .va, .vaapi, .openH264, .x264]

    /// The name of the element, or `camera`.
    package var name: String { rawValue }

    /// `true` if an element of this encoder exists only on machines with a device for it.
    var needsDevice: Bool { [.v4l2, .va, .vaapi].contains(self) }

    /// The plugin that has the element only if there is a device; `nil` if the element is in other plugins.
    private var plugin: String? {
        switch self {
        case .v4l2: "video4linux2"
        case .va: "va"
        case .vaapi: "vaapi"
        default: nil
        }
    }

    /// `true` if the plugin is installed, but found no device.
    var lacksDevice: Bool { needsDevice && plugin.flatMap { GStreamer.pluginFile($0) } != nil }

    /// The Debian package of the element; `nil` for the camera.
    package var package: String? { self == .camera ? nil : ElementPackages.package(of: name) }

    /// `true` if caps describe H.264, which a camera encodes itself.
    package static func isEncoded(_ caps: Caps) -> Bool { caps.structures.first?.name == "video/x-h264" }
}

extension H264Encoder {
    /// The elements that encode raw video of any format, in gst-launch syntax; empty for the camera. Width and height of
    /// the frames must be even.
    func elements(_ settings: EncoderSettings) -> [String] {
        guard self != .camera else { return [] }
        return ["videoconvert", input, element(settings), output(settings)]
    }

    /// The raw video that the encoder gets.
    private var input: String { "video/x-raw,format=(string){I420,NV12}" }

    /// `true` if the encoder writes the color space and the levels into the stream. For the others, ``VideoLevels`` makes
    /// frames what decoders assume.
    var statesLevels: Bool { self == .x264 || self == .camera }

    /// The name of the element in a pipeline.
    static let elementName = "video-encoder"

    private func element(_ settings: EncoderSettings) -> String {
        let (bits, kilobits, frames) = (settings.bitRate, settings.kilobits, settings.frameInterval)
        return switch self {
        case .camera: ""
        case .v4l2:
            // A driver ignores controls that it does not have.
            "v4l2h264enc name=\(Self.elementName) extra-controls=\"controls,video_bitrate=\(bits),video_bitrate_mode=1,"
                + "h264_i_frame_period=\(frames),video_gop_size=\(frames),video_b_frames=0,repeat_sequence_header=1\""
        case .va:
            "vah264enc name=\(Self.elementName) bitrate=\(kilobits) rate-control=cbr key-int-max=\(min(frames, 1024)) b-frames=0 "
                + "ref-frames=1"
        case .vaapi:
            "vaapih264enc name=\(Self.elementName) bitrate=\(kilobits) rate-control=cbr keyframe-period=\(frames) max-bframes=0 refs=1"
        case .openH264:
            // Rate control by quality, the default, ignores the bit rate.
            "openh264enc name=\(Self.elementName) complexity=low rate-control=bitrate bitrate=\(bits) gop-size=\(frames) "
                + "multi-thread=\(settings.threads) scene-change-detection=false"
        case .x264:
            "x264enc name=\(Self.elementName) speed-preset=ultrafast tune=zerolatency bitrate=\(kilobits) key-int-max=\(frames) bframes=0 "
                + "threads=\(settings.threads) option-string=\"scenecut=0\""
        }
    }

    /// The encoded video. `v4l2h264enc` chooses a level that is too low for 1080p unless the caps name one.
    private func output(_ settings: EncoderSettings) -> String {
        let profiles =
            settings.profile == .constrainedBaseline
            ? "{constrained-baseline,baseline}" : settings.profile.rawValue
        return "video/x-h264,profile=(string)\(profiles)" + (self == .v4l2 ? ",level=(string)4" : "")
    }
}
