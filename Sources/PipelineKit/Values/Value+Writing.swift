// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Value {
    /// Stores this value in a GValue that is initialized to the target type.
    ///
    /// - Returns: `false` if the value is not of that type, or does not fit its width.
    func store(in target: UnsafeMutablePointer<GValue>) -> Bool {
        let type = cgst_value_type(target)
        switch self {
        case .string(let text): return Value.store(text, in: target, type)
        case .enumeration(let nick, _) where type == cgst_type_string: return Value.store(nick, in: target, type)
        case .bool(let flag) where type == cgst_type_boolean: g_value_set_boolean(target, flag ? 1 : 0)
        case .int(let number): return Value.store(number, in: target, type)
        case .uint(let number): return Value.store(number, in: target, type)
        case .enumeration(_, let number): return Value.store(number, in: target, type)
        case .flags(let bits, _) where g_type_fundamental(type) == cgst_type_flags: g_value_set_flags(target, bits)
        case .double(let number): return Value.store(number, in: target, type)
        case .flags(let bits, _) where type == cgst_type_uint: g_value_set_uint(target, bits)
        case .fraction(let fraction) where type == gst_fraction_get_type() && fraction.isWritable:
            gst_value_set_fraction(target, fraction.numerator, fraction.denominator)
        case .intRange(let range, let step) where type == gst_int_range_get_type():
            return Value.store(range, step: step, in: target)
        case .fractionRange(let low, let high) where type == gst_fraction_range_get_type():
            return Value.store(low, high, in: target)
        case .list(let items) where type == gst_value_list_get_type():
            return Value.store(items) { gst_value_list_append_value(target, $0) }
        case .array(let items) where type == gst_value_array_get_type():
            return Value.store(items) { gst_value_array_append_value(target, $0) }
        case .caps(let caps) where type == gst_caps_get_type(): gst_value_set_caps(target, caps.pointer)
        case .buffer(let buffer) where type == gst_buffer_get_type(): g_value_set_boxed(target, buffer.pointer)
        case .sample(let sample) where type == gst_sample_get_type():
            g_value_set_boxed(target, UnsafeRawPointer(sample.pointer))
        case .structure(let structure) where type == cgst_structure_type():
            return structure.withPointer { gst_value_set_structure(target, $0) } != nil
        case .object(let object): return Value.store(object, in: target, type)
        case .null: return Value.storeNothing(in: target, type)
        case .other(_, let text): return Value.store(text, in: target, type)
        default: return false
        }
        return true
    }

    private static func store(_ text: String, in target: UnsafeMutablePointer<GValue>, _ type: GType) -> Bool {
        // A NUL would end the C string early: the stored text would differ from the given text.
        guard !text.utf8.contains(0) else { return false }
        switch type {
        case cgst_type_string:
            g_value_set_string(target, text)
            return true
        case gst_caps_get_type(), cgst_structure_type():
            return Structure.areNamed(in: text) && gst_value_deserialize(target, text) != 0
        default: return gst_value_deserialize(target, text) != 0
        }
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

    private static func store(
        _ range: ClosedRange<Int32>, step: Int32, in target: UnsafeMutablePointer<GValue>
    ) -> Bool {
        let (low, high) = (range.lowerBound, range.upperBound)
        guard low < high, step > 0, low.isMultiple(of: step), high.isMultiple(of: step) else { return false }
        gst_value_set_int_range_step(target, low, high, step)
        return true
    }

    private static func store(_ low: Fraction, _ high: Fraction, in target: UnsafeMutablePointer<GValue>) -> Bool {
        guard low.isWritable, high.isWritable, low.doubleValue < high.doubleValue else { return false }
        gst_value_set_fraction_range_full(target, low.numerator, low.denominator, high.numerator, high.denominator)
        return true
    }

    /// Appends items to a list or an array, whose items must all have the same type.
    private static func store(_ items: [Value], _ append: (UnsafePointer<GValue>) -> Void) -> Bool {
        items.allSatisfy { $0.itemType == items[0].itemType && $0.withNaturalGValue { append($0) } != nil }
    }

    /// The natural type of an item. A range counts as its element type, because a list may mix ranges with single
    /// values.
    private var itemType: GType? {
        switch self {
        case .intRange: cgst_type_int
        case .fractionRange: gst_fraction_get_type()
        default: naturalType
        }
    }
}

extension Value {
    /// Lends this value as a GValue; `nil` if no GType fits.
    func withNaturalGValue<Result>(_ body: (UnsafeMutablePointer<GValue>) -> Result) -> Result? {
        guard let type = naturalType else { return nil }
        return withGValue(of: type) { store(in: $0) ? body($0) : nil }
    }

    /// The GType of this value if the target does not require another one.
    private var naturalType: GType? {
        switch self {
        case .bool: cgst_type_boolean
        case .int(let number): Int32(exactly: number) == nil ? cgst_type_int64 : cgst_type_int
        case .uint(let number): UInt32(exactly: number) == nil ? cgst_type_uint64 : cgst_type_uint
        case .double: cgst_type_double
        // The GType of an enumeration is not stored; GStreamer parses the nick.
        case .string, .enumeration, .null: cgst_type_string
        case .flags: cgst_type_uint
        case .fraction: gst_fraction_get_type()
        case .intRange: gst_int_range_get_type()
        case .fractionRange: gst_fraction_range_get_type()
        case .list: gst_value_list_get_type()
        case .array: gst_value_array_get_type()
        case .caps: gst_caps_get_type()
        case .structure: cgst_structure_type()
        case .buffer: gst_buffer_get_type()
        case .sample: gst_sample_get_type()
        case .object: cgst_type_object
        case .other(let name, _): Value.type(named: name)
        }
    }

    private static func type(named name: String) -> GType? {
        let type = g_type_from_name(name)
        return g_type_check_is_value_type(type) != 0 ? type : nil
    }
}

extension Fraction {
    /// `false` for a denominator of 0 and for numbers without a positive counterpart: GStreamer rejects both.
    fileprivate var isWritable: Bool { denominator != 0 && denominator != .min && numerator != .min }
}
