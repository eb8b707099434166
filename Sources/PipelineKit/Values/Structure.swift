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

    /// Parses GStreamer's notation, such as `video/x-raw, width=640` (`gst_structure_from_string`).
    ///
    /// - Throws: ``PipelineError/Code/syntax``, also if other text follows the structure.
    public init(parsing text: String) throws(PipelineError) {
        try GStreamer.initialize()
        guard !text.utf8.contains(0), Structure.areNamed(in: text), let pointer = Structure.parse(text) else {
            throw PipelineError(.syntax, "not a structure: \(text)")
        }
        defer { gst_structure_free(pointer) }
        self.init(copying: pointer)
    }

    private static func parse(_ text: String) -> UnsafeMutablePointer<GstStructure>? {
        text.withCString { start in
            var end: UnsafeMutablePointer<gchar>?
            guard let pointer = gst_structure_from_string(start, &end) else { return nil }
            if end?.pointee == 0 { return pointer }
            gst_structure_free(pointer)
            return nil
        }
    }

    /// A field as a Swift type; `nil` if the field is absent or of another type.
    public subscript<T: ValueConvertible>(name: String, as type: T.Type = T.self) -> T? {
        fields[name].flatMap { T.read($0) }
    }

    /// Copies the name and the fields of a structure, which the caller still owns.
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

    /// Lends a C structure with the same name and fields; `nil` if the name or a field cannot be written.
    func withPointer<Result>(_ body: (UnsafeMutablePointer<GstStructure>) -> Result) -> Result? {
        guard Structure.isName(name.utf8), (try? GStreamer.initialize()) != nil,
            let pointer = gst_structure_new_empty(name)
        else {
            return nil
        }
        defer { gst_structure_free(pointer) }
        return Structure.write(fields, to: pointer) ? body(pointer) : nil
    }

    /// Sets fields of a C structure. Returns `false` if a field cannot be written.
    static func write(_ fields: [String: Value], to pointer: UnsafeMutablePointer<GstStructure>) -> Bool {
        // Sort the fields by name, so that equal structures have the same notation.
        fields.sorted { $0.key < $1.key }.allSatisfy { key, value in
            !key.isEmpty && !key.utf8.contains(0)
                && value.withNaturalGValue { gst_structure_set_value(pointer, key, $0) } != nil
        }
    }
}

extension Structure: CustomStringConvertible {
    /// GStreamer's notation (`gst_structure_to_string`), or only the name if GStreamer cannot write the name or a
    /// field.
    public var description: String {
        withPointer { gst_structure_to_string($0).map { String(consuming: $0) } }.flatMap { $0 } ?? name
    }
}
