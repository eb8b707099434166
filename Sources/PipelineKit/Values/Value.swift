// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A value of a property, a signal's argument or a structure's field (`GValue`), as Swift data.
///
/// Integers of every width become `int` or `uint`; writing checks that they fit.
public enum Value: Sendable, Hashable {
    /// `gboolean`.
    case bool(Bool)
    /// `gchar`, `gint`, `glong`, `gint64`.
    case int(Int64)
    /// `guchar`, `guint`, `gulong`, `guint64`.
    case uint(UInt64)
    /// `gfloat`, `gdouble`.
    case double(Double)
    /// `gchararray`.
    case string(String)
    /// A member of an enumeration: its nick, such as `horizontal-flip`, and its number.
    case enumeration(nick: String, number: Int)
    /// A set of flags: their bits, and GStreamer's notation.
    case flags(bits: UInt32, text: String)
    /// `GST_TYPE_FRACTION`.
    case fraction(Fraction)
    /// `GST_TYPE_INT_RANGE`, with its step.
    case intRange(ClosedRange<Int32>, step: Int32)
    /// `GST_TYPE_FRACTION_RANGE`.
    case fractionRange(Fraction, Fraction)
    /// `GST_TYPE_LIST`: alternatives.
    case list([Value])
    /// `GST_TYPE_ARRAY`: all items, in this order.
    case array([Value])
    /// `GST_TYPE_CAPS`.
    case caps(Caps)
    /// `GST_TYPE_STRUCTURE`.
    case structure(Structure)
    /// `GST_TYPE_BUFFER`.
    case buffer(Buffer)
    /// `GST_TYPE_SAMPLE`.
    case sample(Sample)
    /// Any GObject.
    case object(Object)
    /// A string, object or boxed value that is NULL.
    case null
    /// A type that has no case here: its name, and GStreamer's notation of the value.
    case other(type: String, text: String)
}

/// A Swift type that converts to and from a ``Value``.
public protocol ValueConvertible: Sendable {
    /// The value for GStreamer.
    var value: Value { get }
    /// Converts a value to this type; `nil` if the value has another type, or does not fit.
    static func read(_ value: Value) -> Self?
}

extension Value: ValueConvertible {
    /// The value itself.
    public var value: Value { self }
    /// Returns the value itself.
    public static func read(_ value: Value) -> Value? { value }
}

extension Bool: ValueConvertible {
    /// A `gboolean`.
    public var value: Value { .bool(self) }
    /// Reads a boolean; `nil` for any other value.
    public static func read(_ value: Value) -> Self? {
        if case .bool(let flag) = value { flag } else { nil }
    }
}

extension Int: ValueConvertible {
    /// A signed integer.
    public var value: Value { .int(Int64(self)) }
    /// Reads any integer that fits, and the number of an enumeration.
    public static func read(_ value: Value) -> Self? {
        switch value {
        case .int(let number): Self(exactly: number)
        case .uint(let number): Self(exactly: number)
        case .enumeration(_, let number): number
        default: nil
        }
    }
}

extension UInt64: ValueConvertible {
    /// An unsigned integer.
    public var value: Value { .uint(self) }
    /// Reads any integer that fits and is not negative.
    public static func read(_ value: Value) -> Self? {
        switch value {
        case .int(let number): Self(exactly: number)
        case .uint(let number): number
        default: nil
        }
    }
}

extension Double: ValueConvertible {
    /// A `gdouble`.
    public var value: Value { .double(self) }
    /// Reads any number, and the quotient of a fraction.
    public static func read(_ value: Value) -> Self? {
        switch value {
        case .double(let number): number
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        case .fraction(let fraction): fraction.doubleValue
        default: nil
        }
    }
}

extension String: ValueConvertible {
    /// A string, or text that GStreamer parses as the property's type.
    public var value: Value { .string(self) }
    /// Reads a string, or the nick of an enumeration.
    public static func read(_ value: Value) -> Self? {
        switch value {
        case .string(let text): text
        case .enumeration(let nick, _): nick
        default: nil
        }
    }
}

extension Fraction: ValueConvertible {
    /// A `GstFraction`.
    public var value: Value { .fraction(self) }
    /// Reads a fraction; `nil` for any other value.
    public static func read(_ value: Value) -> Self? {
        if case .fraction(let fraction) = value { fraction } else { nil }
    }
}

extension Caps: ValueConvertible {
    /// The caps themselves.
    public var value: Value { .caps(self) }
    /// Reads caps; `nil` for any other value.
    public static func read(_ value: Value) -> Caps? {
        if case .caps(let caps) = value { caps } else { nil }
    }
}

extension Object: ValueConvertible {
    /// The object itself.
    public final var value: Value { .object(self) }
    /// Reads an object of this class; `nil` for any other value.
    public static func read(_ value: Value) -> Self? {
        if case .object(let object) = value { object as? Self } else { nil }
    }
}

extension Structure: ValueConvertible {
    /// The structure itself.
    public var value: Value { .structure(self) }
    /// Reads a structure; `nil` for any other value.
    public static func read(_ value: Value) -> Self? {
        if case .structure(let structure) = value { structure } else { nil }
    }
}
