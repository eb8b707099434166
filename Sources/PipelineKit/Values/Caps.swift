// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// What a pad can carry, or does carry: alternatives of media types with fields (`GstCaps`).
///
/// Caps are immutable here, and shared freely between threads.
///
/// `@unchecked Sendable`: one immutable pointer to caps that nobody may write, as this handle holds a reference and
/// never gives the only one away.
public final class Caps: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstCaps>

    init(_ pointer: UnsafeMutablePointer<GstCaps>, _ ownership: Ownership) {
        if ownership == .none { gst_caps_ref(pointer) }
        self.pointer = pointer
    }

    /// Reads GStreamer's notation, such as `video/x-raw, format=I420, width=640, height=480` (`gst_caps_from_string`).
    ///
    /// - Throws: ``PipelineError/Code/syntax``, also for empty text; caps that allow nothing are written `EMPTY`.
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
    /// True where anything at all is allowed (`gst_caps_is_any`).
    public var isAny: Bool { gst_caps_is_any(pointer) != 0 }

    /// True where nothing is allowed (`gst_caps_is_empty`).
    public var isEmpty: Bool { gst_caps_is_empty(pointer) != 0 }

    /// True where there is one alternative, with no range or list left in it (`gst_caps_is_fixed`).
    public var isFixed: Bool { gst_caps_is_fixed(pointer) != 0 }

    /// The alternatives, in order of preference. Each is copied: keep the result rather than asking again.
    public var structures: [Structure] {
        (0..<gst_caps_get_size(pointer)).compactMap {
            gst_caps_get_structure(pointer, $0).map { Structure(copying: $0) }
        }
    }

    /// True where both allow something in common (`gst_caps_can_intersect`).
    public func intersects(_ other: Caps) -> Bool { gst_caps_can_intersect(pointer, other.pointer) != 0 }

    /// What both allow (`gst_caps_intersect`).
    public func intersection(_ other: Caps) -> Caps { Caps(gst_caps_intersect(pointer, other.pointer), .full) }

    /// The video format in these fixed caps; `nil` for ranges and for anything but raw video.
    public var videoInfo: VideoInfo? { VideoInfo(self) }
}

extension Caps: Hashable {
    /// True where both allow exactly the same (`gst_caps_is_equal`).
    public static func == (left: Caps, right: Caps) -> Bool { gst_caps_is_equal(left.pointer, right.pointer) != 0 }

    /// Hashes the number of alternatives only: equal caps may be written in different ways.
    public func hash(into hasher: inout Hasher) { hasher.combine(gst_caps_get_size(pointer)) }
}

extension Caps: CustomStringConvertible {
    /// GStreamer's notation (`gst_caps_to_string`), which `Caps(_:)` reads back.
    public var description: String { gst_caps_to_string(pointer).map { String(consuming: $0) } ?? "" }
}
