// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Value {
    /// Copies what a GValue holds; the GValue stays the caller's.
    init(copying source: UnsafePointer<GValue>) {
        let type = cgst_value_type(source)
        self = Value.fundamental(source, type) ?? Value.gstreamer(source, type) ?? Value.reference(source, type)
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
            guard let low = gst_value_get_fraction_range_min(source), let high = gst_value_get_fraction_range_max(source)
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
        case cgst_structure_type(): return .structure(Structure(copying: boxed.assumingMemoryBound(to: GstStructure.self)))
        case gst_sample_get_type(): return .sample(Sample(OpaquePointer(boxed), .none))
        default: return nil
        }
    }

    private static func text(of source: UnsafePointer<GValue>) -> String {
        gst_value_serialize(source).map { String(consuming: $0) } ?? ""
    }
}

extension Value {
    /// Puts this value into a GValue that is initialised to the type it must become.
    ///
    /// - Returns: false where the value is not of that type, or does not fit its width.
    func store(in target: UnsafeMutablePointer<GValue>) -> Bool {
        let type = cgst_value_type(target)
        switch self {
        case .string(let text): return Value.store(text, in: target, type)
        case .bool(let flag) where type == cgst_type_boolean: g_value_set_boolean(target, flag ? 1 : 0)
        case .int(let number): return Value.store(number, in: target, type)
        case .uint(let number): return Value.store(number, in: target, type)
        case .enumeration(_, let number): return Value.store(number, in: target, type)
        case .flags(let bits, _) where g_type_fundamental(type) == cgst_type_flags: g_value_set_flags(target, bits)
        case .double(let number): return Value.store(number, in: target, type)
        case .fraction(let fraction) where type == gst_fraction_get_type() && fraction.denominator != 0:
            gst_value_set_fraction(target, fraction.numerator, fraction.denominator)
        case .caps(let caps) where type == gst_caps_get_type(): gst_value_set_caps(target, caps.pointer)
        case .sample(let sample) where type == gst_sample_get_type(): g_value_set_boxed(target, UnsafeRawPointer(sample.pointer))
        case .structure(let structure) where type == cgst_structure_type():
            return structure.withPointer { gst_value_set_structure(target, $0) } != nil
        case .object(let object): return Value.store(object, in: target, type)
        case .null: return Value.storeNothing(in: target, type)
        default: return false
        }
        return true
    }

    private static func store(_ text: String, in target: UnsafeMutablePointer<GValue>, _ type: GType) -> Bool {
        // A NUL would end the C string early: what was asked for and what was set would differ.
        guard !text.utf8.contains(0) else { return false }
        guard type != cgst_type_string else {
            g_value_set_string(target, text)
            return true
        }
        return gst_value_deserialize(target, text) != 0
    }

    private static func store(
        _ number: some BinaryInteger, in target: UnsafeMutablePointer<GValue>, _ type: GType
    ) -> Bool {
        func put<Width: BinaryInteger>(_ set: (UnsafeMutablePointer<GValue>?, Width) -> Void) -> Bool {
            guard let exact = Width(exactly: number) else { return false }
            set(target, exact)
            return true
        }
        return switch g_type_fundamental(type) {
        case cgst_type_char: put(g_value_set_schar)
        case cgst_type_uchar: put(g_value_set_uchar)
        case cgst_type_int: put(g_value_set_int)
        case cgst_type_uint: put(g_value_set_uint)
        case cgst_type_long: put(g_value_set_long)
        case cgst_type_ulong: put(g_value_set_ulong)
        case cgst_type_int64: put(g_value_set_int64)
        case cgst_type_uint64: put(g_value_set_uint64)
        case cgst_type_enum: put(g_value_set_enum)
        case cgst_type_flags: put(g_value_set_flags)
        case cgst_type_float, cgst_type_double: store(Double(number), in: target, type)
        default: false
        }
    }

    private static func store(_ number: Double, in target: UnsafeMutablePointer<GValue>, _ type: GType) -> Bool {
        switch g_type_fundamental(type) {
        case cgst_type_double: g_value_set_double(target, number)
        case cgst_type_float: g_value_set_float(target, Float(number))
        default: return false
        }
        return true
    }

    private static func store(_ object: Object, in target: UnsafeMutablePointer<GValue>, _ type: GType) -> Bool {
        guard cgst_type_is(cgst_object_type(object.pointer), type) != 0 else { return false }
        g_value_set_object(target, object.pointer)
        return true
    }

    private static func storeNothing(in target: UnsafeMutablePointer<GValue>, _ type: GType) -> Bool {
        // A fresh GValue of these types already holds NULL.
        switch g_type_fundamental(type) {
        case cgst_type_string, cgst_type_boxed, cgst_type_object: true
        default: false
        }
    }
}

/// Lends a GValue of a type, and unsets it afterwards.
func withGValue<Result, Failure: Error>(
    of type: GType, _ body: (UnsafeMutablePointer<GValue>) throws(Failure) -> Result
) throws(Failure) -> Result {
    var storage = GValue()
    g_value_init(&storage, type)
    defer { g_value_unset(&storage) }
    return try body(&storage)
}
