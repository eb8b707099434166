// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The formats that a pad supports, or the format that it carries: alternatives of media types with fields (`GstCaps`).
///
/// Caps are immutable here, and threads share them freely.
///
/// `@unchecked Sendable`: one immutable pointer. No thread may write the caps, because this handle holds a reference
/// and never gives the only one away.
public final class Caps: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstCaps>

    init(_ pointer: UnsafeMutablePointer<GstCaps>, _ ownership: Ownership) {
        if ownership == .none { gst_caps_ref(pointer) }
        self.pointer = pointer
    }

    /// Parses GStreamer's notation, such as `video/x-raw, format=I420, width=640, height=480` (`gst_caps_from_string`).
    ///
    /// - Throws: ``PipelineError/Code/syntax``, also for empty text; `EMPTY` is the notation for caps that allow
    ///   nothing.
    public convenience init(_ text: String) throws(PipelineError) {
        try GStreamer.initialize()
        guard !text.utf8.contains(0), Structure.areNamed(in: text), let pointer = gst_caps_from_string(text) else {
            throw PipelineError(
                .syntax, "not caps: \(text)", advice: "write them as in video/x-raw,width=640,height=480")
        }
        self.init(pointer, .full)
    }

    deinit {
        gst_caps_unref(pointer)
    }
}

extension Caps {
    /// `true` if the caps allow any format (`gst_caps_is_any`).
    public var isAny: Bool { gst_caps_is_any(pointer) != 0 }

    /// `true` if the caps allow no format (`gst_caps_is_empty`).
    public var isEmpty: Bool { gst_caps_is_empty(pointer) != 0 }

    /// `true` if the caps have exactly one alternative, without ranges or lists (`gst_caps_is_fixed`).
    public var isFixed: Bool { gst_caps_is_fixed(pointer) != 0 }

    /// The alternatives, in order of preference. Each access copies them: keep the result.
    public var structures: [Structure] {
        (0..<gst_caps_get_size(pointer)).compactMap {
            gst_caps_get_structure(pointer, $0).map { Structure(copying: $0) }
        }
    }

    /// `true` if both allow some format in common (`gst_caps_can_intersect`).
    public func intersects(_ other: Caps) -> Bool { gst_caps_can_intersect(pointer, other.pointer) != 0 }

    /// Returns the formats that both allow (`gst_caps_intersect`).
    public func intersection(_ other: Caps) -> Caps { Caps(gst_caps_intersect(pointer, other.pointer), .full) }

    /// The video format of fixed caps; `nil` for ranges and for anything but raw video.
    public var videoInfo: VideoInfo? { VideoInfo(self) }
}

extension Caps: Hashable {
    /// `true` if both allow exactly the same formats (`gst_caps_is_equal`).
    public static func == (left: Caps, right: Caps) -> Bool { gst_caps_is_equal(left.pointer, right.pointer) != 0 }

    /// Hashes nothing: equal caps may be written in different ways, and with different numbers of alternatives.
    public func hash(into hasher: inout Hasher) {}
}

extension Caps: CustomStringConvertible {
    /// GStreamer's notation (`gst_caps_to_string`), which `Caps(_:)` parses.
    public var description: String { gst_caps_to_string(pointer).map { String(consuming: $0) } ?? "" }
}
