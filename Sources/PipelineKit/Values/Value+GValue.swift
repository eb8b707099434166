// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Value {
    /// Copies the content of a GValue, which the caller still owns.
    init(copying source: UnsafePointer<GValue>) {
        let type = cgst_value_type(source)
        self =
            Value.fundamental(source, type) ?? Value.gstreamer(source, type) ?? Value.reference(source, type)
            ?? .other(type: String(cString: g_type_name(type)), text: Value.text(of: source))
    }

    private static func fundamental(_ source: UnsafePointer<GValue>, _ type: GType) -> Value? {
        switch g_type_fundamental(type) {
        case cgst_type_boolean: .bool(g_value_get_boolean(source) != 0)
        case cgst_type_char: .int(Int64(g_value_get_schar(source)))
        case cgst_type_uchar: .uint(UInt64(g_value_get_uchar(source)))
        case cgst_type_int: .int(Int64(g_value_get_int(source)))
        case cgst_type_uint: .uint(UInt64(g_value_get_uint(source)))
        case cgst_type_long: .int(Int64(g_value_get_long(source)))
        case cgst_type_ulong: .uint(UInt64(g_value_get_ulong(source)))
        case cgst_type_int64: .int(Int64(g_value_get_int64(source)))
        case cgst_type_uint64: .uint(UInt64(g_value_get_uint64(source)))
        case cgst_type_float: .double(Double(g_value_get_float(source)))
        case cgst_type_double: .double(g_value_get_double(source))
        case cgst_type_string: g_value_get_string(source).map { .string(String(cString: $0)) } ?? .null
        case cgst_type_enum: enumeration(type, g_value_get_enum(source))
        case cgst_type_flags: .flags(bits: g_value_get_flags(source), text: text(of: source))
        case cgst_type_param:
            // A notification has the property as its argument; the value is the property's name.
            g_value_get_param(source).map { .string(String(cString: g_param_spec_get_name($0))) } ?? .null
        default: nil
        }
    }

    private static func enumeration(_ type: GType, _ number: gint) -> Value {
        let members = g_type_class_ref(type)
        defer { g_type_class_unref(members) }
        let member = g_enum_get_value(members?.assumingMemoryBound(to: GEnumClass.self), number)
        return .enumeration(nick: member.map { String(cString: $0.pointee.value_nick) } ?? "", number: Int(number))
    }

    private static func gstreamer(_ source: UnsafePointer<GValue>, _ type: GType) -> Value? {
        switch type {
        case gst_fraction_get_type():
            return .fraction(
                Fraction(gst_value_get_fraction_numerator(source), gst_value_get_fraction_denominator(source)))
        case gst_int_range_get_type():
            let (low, high) = (gst_value_get_int_range_min(source), gst_value_get_int_range_max(source))
            return .intRange(low...max(low, high), step: gst_value_get_int_range_step(source))
        case gst_fraction_range_get_type():
            guard let low = gst_value_get_fraction_range_min(source),
                let high = gst_value_get_fraction_range_max(source)
            else { return nil }
            return .fractionRange(fraction(low), fraction(high))
        case gst_value_list_get_type():
            return .list(
                (0..<gst_value_list_get_size(source)).map { Value(copying: gst_value_list_get_value(source, $0)) })
        case gst_value_array_get_type():
            return .array(
                (0..<gst_value_array_get_size(source)).map { Value(copying: gst_value_array_get_value(source, $0)) })
        default: return nil
        }
    }

    private static func fraction(_ source: UnsafePointer<GValue>) -> Fraction {
        Fraction(gst_value_get_fraction_numerator(source), gst_value_get_fraction_denominator(source))
    }

    private static func reference(_ source: UnsafePointer<GValue>, _ type: GType) -> Value? {
        if cgst_type_is(type, cgst_type_object) != 0 {
            return g_value_get_object(source).map { .object(Object.wrapping($0, .none)) } ?? .null
        }
        guard g_type_fundamental(type) == cgst_type_boxed else { return nil }
        guard let boxed = g_value_get_boxed(source) else { return .null }
        switch type {
        case gst_caps_get_type(): return .caps(Caps(boxed.assumingMemoryBound(to: GstCaps.self), .none))
        case cgst_structure_type():
            return .structure(Structure(copying: boxed.assumingMemoryBound(to: GstStructure.self)))
        case gst_sample_get_type(): return .sample(Sample(OpaquePointer(boxed), .none))
        case gst_buffer_get_type(): return .buffer(Buffer(boxed.assumingMemoryBound(to: GstBuffer.self), .none))
        default: return nil
        }
    }

    private static func text(of source: UnsafePointer<GValue>) -> String {
        gst_value_serialize(source).map { String(consuming: $0) } ?? ""
    }
}

/// Lends a GValue of a type, and unsets it afterward.
func withGValue<Result, Failure: Error>(
    of type: GType, _ body: (UnsafeMutablePointer<GValue>) throws(Failure) -> Result
) throws(Failure) -> Result {
    var storage = GValue()
    g_value_init(&storage, type)
    defer { g_value_unset(&storage) }
    return try body(&storage)
}

extension Value: CustomStringConvertible {
    /// GStreamer's notation (`gst_value_serialize`), which quotes text if necessary; empty if the value has no
    /// notation.
    public var description: String {
        // The start of GStreamer registers its types.
        guard (try? GStreamer.initialize()) != nil else { return "" }
        return withNaturalGValue { gst_value_serialize($0).map { String(consuming: $0) } }.flatMap { $0 } ?? ""
    }
}
