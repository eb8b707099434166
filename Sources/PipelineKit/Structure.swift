// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A name with fields: the content of caps, of messages and of events (`GstStructure`), copied into Swift.
public struct Structure: Sendable, Hashable {
    /// The name, such as `video/x-raw`.
    public let name: String
    /// The fields by name.
    public let fields: [String: Value]

    /// Creates a structure.
    public init(_ name: String, _ fields: [String: Value] = [:]) {
        self.name = name
        self.fields = fields
    }

    /// Reads GStreamer's notation, such as `video/x-raw, width=640` (`gst_structure_from_string`).
    public init(parsing text: String) throws(PipelineError) {
        try GStreamer.initialize()
        guard let pointer = gst_structure_from_string(text, nil) else {
            throw PipelineError(.syntax, "not a structure: \(text)")
        }
        defer { gst_structure_free(pointer) }
        self.init(copying: pointer)
    }

    /// A field as a Swift type; `nil` where it is absent or of another type.
    public subscript<T: ValueConvertible>(name: String, as type: T.Type = T.self) -> T? {
        fields[name].flatMap { T.read($0) }
    }

    /// Copies name and fields; the structure stays the caller's.
    init(copying source: UnsafePointer<GstStructure>) {
        var fields: [String: Value] = [:]
        for index in 0..<max(0, gst_structure_n_fields(source)) {
            guard let key = gst_structure_nth_field_name(source, guint(index)),
                let value = gst_structure_get_value(source, key)
            else { continue }
            fields[String(cString: key)] = Value(copying: value)
        }
        self.init(String(cString: gst_structure_get_name(source)), fields)
    }

    /// Lends a C structure with the same name and fields; `nil` where the name or a field cannot be written.
    func withPointer<Result>(_ body: (UnsafeMutablePointer<GstStructure>) -> Result) -> Result? {
        guard (try? GStreamer.initialize()) != nil, let pointer = gst_structure_new_empty(name) else { return nil }
        defer { gst_structure_free(pointer) }
        for (key, value) in fields where !Structure.set(value, key, in: pointer) { return nil }
        return body(pointer)
    }

    private static func set(_ value: Value, _ key: String, in pointer: UnsafeMutablePointer<GstStructure>) -> Bool {
        guard let type = value.naturalType else { return false }
        return withGValue(of: type) { target in
            guard value.store(in: target) else { return false }
            gst_structure_set_value(pointer, key, target)
            return true
        }
    }
}

extension Structure: CustomStringConvertible {
    /// GStreamer's notation (`gst_structure_to_string`), or the name alone where a field has none.
    public var description: String {
        withPointer { gst_structure_to_string($0).map { String(consuming: $0) } }.flatMap { $0 } ?? name
    }
}

extension Value {
    /// The GType that holds this value when nothing else asks for another one.
    fileprivate var naturalType: GType? {
        switch self {
        case .bool: cgst_type_boolean
        case .int(let number): Int32(exactly: number) == nil ? cgst_type_int64 : cgst_type_int
        case .uint(let number): UInt32(exactly: number) == nil ? cgst_type_uint64 : cgst_type_uint
        case .double: cgst_type_double
        case .string: cgst_type_string
        case .fraction: gst_fraction_get_type()
        case .caps: gst_caps_get_type()
        case .structure: cgst_structure_type()
        case .object: cgst_type_object
        default: nil
        }
    }
}
