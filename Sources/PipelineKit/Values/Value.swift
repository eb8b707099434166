// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A value of a property, a signal's argument or a structure's field (`GValue`), as Swift data.
///
/// Integers of every width meet in `int` and `uint`; writing checks that they fit.
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
    /// A set of flags: their bits, and how GStreamer writes them.
    case flags(bits: UInt32, text: String)
    /// `GST_TYPE_FRACTION`.
    case fraction(Fraction)
    /// `GST_TYPE_INT_RANGE`, with its step.
    case intRange(ClosedRange<Int32>, step: Int32)
    /// `GST_TYPE_FRACTION_RANGE`.
    case fractionRange(Fraction, Fraction)
    /// `GST_TYPE_LIST`: one of these.
    case list([Value])
    /// `GST_TYPE_ARRAY`: all of these, in this order.
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
    /// A type that has no case here: its name, and how GStreamer writes the value.
    case other(type: String, text: String)
}

/// A Swift type that a ``Value`` can be made from and read as.
public protocol ValueConvertible: Sendable {
    /// The value as GStreamer takes it.
    var value: Value { get }
    /// Reads it back; `nil` where the value is of another type, or does not fit.
    static func read(_ value: Value) -> Self?
}

extension Value: ValueConvertible {
    /// Itself.
    public var value: Value { self }
    /// Itself.
    public static func read(_ value: Value) -> Value? { value }
}

extension Bool: ValueConvertible {
    /// A `gboolean`.
    public var value: Value { .bool(self) }
    /// `nil` for anything but a boolean.
    public static func read(_ value: Value) -> Self? {
        if case .bool(let flag) = value { flag } else { nil }
    }
}

extension Int: ValueConvertible {
    /// A signed integer.
    public var value: Value { .int(Int64(self)) }
    /// Any integer, and the number of an enumeration.
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
    /// Any integer that is not negative.
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
    /// Any number.
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
    /// A string, or the text that GStreamer reads as the property's type.
    public var value: Value { .string(self) }
    /// A string, or the nick of an enumeration.
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
    /// `nil` for anything but a fraction.
    public static func read(_ value: Value) -> Self? {
        if case .fraction(let fraction) = value { fraction } else { nil }
    }
}

extension Caps: ValueConvertible {
    /// The caps themselves.
    public var value: Value { .caps(self) }
    /// `nil` for anything but caps.
    public static func read(_ value: Value) -> Caps? {
        if case .caps(let caps) = value { caps } else { nil }
    }
}

extension Object: ValueConvertible {
    /// The object itself.
    public final var value: Value { .object(self) }
    /// `nil` for anything but an object of this class.
    public static func read(_ value: Value) -> Self? {
        if case .object(let object) = value { object as? Self } else { nil }
    }
}

extension Structure: ValueConvertible {
    /// The structure itself.
    public var value: Value { .structure(self) }
    /// `nil` for anything but a structure.
    public static func read(_ value: Value) -> Self? {
        if case .structure(let structure) = value { structure } else { nil }
    }
}
