// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A counted reference to a GObject: the base class of elements, pads, devices and clocks.
///
/// Two handles are equal if they refer to the same object. ``set(_:to:)`` and ``get(_:as:)`` access properties,
/// ``connect(_:_:)`` and ``emit(_:_:)`` signals.
///
/// `@unchecked Sendable`: a handle holds one immutable pointer. GObject counts references atomically, and GstObject
/// guards its state with its own lock.
public class Object: @unchecked Sendable {
    /// The C object, for calls that PipelineKit does not wrap. It is valid while this handle exists.
    public final let pointer: UnsafeMutableRawPointer

    /// Wraps a C object. `ownership` decides whether the handle adopts, adds or sinks a reference.
    public init(_ pointer: UnsafeMutableRawPointer, _ ownership: Ownership) {
        switch ownership {
        case .full: break
        case .none: g_object_ref(pointer)
        case .floating: g_object_ref_sink(pointer)
        }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    final func cast<T>(to type: T.Type = T.self) -> UnsafeMutablePointer<T> {
        pointer.assumingMemoryBound(to: type)
    }
}

extension Object: Hashable {
    /// `true` if both refer to the same C object.
    public static func == (left: Object, right: Object) -> Bool { left.pointer == right.pointer }

    /// Hashes the address.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer) }
}

extension Object: CustomStringConvertible {
    /// The name within the parent, such as `v4l2src0` (`gst_object_get_name`); ``typeName`` for a GObject that is not a
    /// GstObject.
    public final var name: String {
        guard g_type_check_instance_is_a(cast(), gst_object_get_type()) != 0,
            let text = gst_object_get_name(cast())
        else { return typeName }
        return String(consuming: text)
    }

    /// The name of the GType, such as `GstV4l2Src`.
    public final var typeName: String { String(cString: g_type_name(cgst_object_type(pointer))) }

    /// The type and the name.
    public var description: String { "\(typeName) \(name)" }
}

extension String {
    /// Copies a string that C allocated with g_malloc, and frees the original.
    init(consuming text: UnsafeMutablePointer<gchar>) {
        self.init(cString: text)
        g_free(text)
    }
}

extension Object {
    /// Creates a handle of the most specific class for the C object.
    static func wrapping(_ pointer: UnsafeMutableRawPointer, _ ownership: Ownership) -> Object {
        let type = cgst_object_type(pointer)
        func isA(_ parent: GType) -> Bool { cgst_type_is(type, parent) != 0 }
        if isA(gst_element_get_type()) { return Element(pointer, ownership) }
        if isA(gst_pad_get_type()) { return Pad(pointer, ownership) }
        if isA(gst_device_get_type()) { return Device(pointer, ownership) }
        if isA(gst_clock_get_type()) { return PipelineClock(pointer, ownership) }
        return Object(pointer, ownership)
    }
}

/// How a C function transfers a reference. Every handle is created with one of these cases, so that no reference is
/// counted twice or not at all.
public enum Ownership: Sendable {
    /// "transfer full": the function gives the reference away, and the handle adopts it.
    case full
    /// "transfer none": the function lends the reference, and the handle adds its own.
    case none
    /// "transfer floating": the reference has no owner yet; the handle sinks it (`g_object_ref_sink`), and then owns
    /// it.
    case floating
}
