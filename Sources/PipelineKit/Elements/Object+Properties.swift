// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Object {
    /// The declaration of a property (`GParamSpec`).
    public struct Property: Sendable, Hashable {
        /// The name, with dashes.
        public let name: String
        /// The name of the GType of the property's values.
        public let typeName: String
        /// A description in one line.
        public let summary: String
        /// `true` if the property can be read.
        public let isReadable: Bool
        /// `true` if the property can be written after the object is created.
        public let isWritable: Bool
    }

    /// All properties, in the order of their declaration (`g_object_class_list_properties`).
    public final var properties: [Property] {
        var count: guint = 0
        guard let specs = g_object_class_list_properties(cgst_object_get_class(pointer), &count) else { return [] }
        defer { g_free(specs) }
        return (0..<Int(count)).compactMap { specs[$0].map(Property.init) }
    }

    /// `true` if the object has a property of this name.
    public final func hasProperty(_ name: String) -> Bool { spec(name) != nil }

    /// Checks a value against the property's declaration, and writes the property (`g_object_set_property`).
    ///
    /// Text is parsed as gst-launch parses it: `"horizontal-flip"` for an enumeration, `"30/1"` for a fraction,
    /// `"video/x-raw,width=640"` for caps.
    ///
    /// - Throws: ``PipelineError``: `unknownProperty`, `propertyAccess`, `propertyType` or `propertyRange`. After an
    ///   error, the property still has its old value.
    public final func set(_ name: String, to newValue: some ValueConvertible) throws(PipelineError) {
        let spec = try declared(name)
        let value = newValue.value
        guard spec.isWritable else { throw failure(.propertyAccess, "property \(name) cannot be written") }
        try withGValue(of: cgst_param_spec_value_type(spec.pointer)) { (target) throws(PipelineError) in
            guard value.store(in: target, for: spec.pointer) else {
                throw failure(.propertyType, "\(name) takes a \(spec.typeName), not \(value.summary)")
            }
            try check(target, against: spec.pointer, value)
            g_object_set_property(cast(), name, target)
        }
    }

    /// Reads a property (`g_object_get_property`).
    ///
    /// - Throws: ``PipelineError``: `unknownProperty` or `propertyAccess`.
    public final func value(of name: String) throws(PipelineError) -> Value {
        let spec = try declared(name)
        guard spec.isReadable else { throw failure(.propertyAccess, "property \(name) cannot be read") }
        return withGValue(of: cgst_param_spec_value_type(spec.pointer)) { target in
            g_object_get_property(cast(), name, target)
            return Value(copying: target)
        }
    }

    /// Reads a property as a Swift type.
    ///
    /// - Throws: The errors of ``value(of:)``, and `propertyType` if the value has another type or does not fit.
    public final func get<T: ValueConvertible>(_ name: String, as type: T.Type = T.self) throws(PipelineError) -> T {
        let value = try value(of: name)
        guard let result = T.read(value) else {
            throw failure(.propertyType, "\(name) is \(value.summary), not \(T.self)")
        }
        return result
    }

    private func spec(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
        // A NUL would end the C string early, and the lookup would find another property.
        guard !name.utf8.contains(0) else { return nil }
        return g_object_class_find_property(cgst_object_get_class(pointer), name)
    }

    private func declared(_ name: String) throws(PipelineError) -> DeclaredProperty {
        guard let spec = spec(name) else { throw failure(.unknownProperty, "there is no property \(name)") }
        return DeclaredProperty(pointer: spec)
    }

    private func check(
        _ target: UnsafeMutablePointer<GValue>, against spec: UnsafeMutablePointer<GParamSpec>, _ value: Value
    ) throws(PipelineError) {
        // g_param_value_validate silently moves the value into the range, and returns whether it had to.
        guard g_param_value_validate(spec, target) != 0 else { return }
        throw failure(.propertyRange, "\(String(cString: g_param_spec_get_name(spec))) does not allow \(value.summary)")
    }

    final func failure(_ code: PipelineError.Code, _ message: String, advice: String? = nil) -> PipelineError {
        PipelineError(code, message, element: name, advice: advice)
    }
}

/// A declaration with its flags decoded.
private struct DeclaredProperty {
    let pointer: UnsafeMutablePointer<GParamSpec>

    var flags: UInt32 { UInt32(bitPattern: Int32(pointer.pointee.flags.rawValue)) }
    var isReadable: Bool { flags & UInt32(G_PARAM_READABLE.rawValue) != 0 }
    var isWritable: Bool {
        flags & UInt32(G_PARAM_WRITABLE.rawValue) != 0 && flags & UInt32(G_PARAM_CONSTRUCT_ONLY.rawValue) == 0
    }
    var typeName: String { String(cString: g_type_name(cgst_param_spec_value_type(pointer))) }
}

extension Object.Property {
    fileprivate init(_ spec: UnsafeMutablePointer<GParamSpec>) {
        let declared = DeclaredProperty(pointer: spec)
        self.init(
            name: String(cString: g_param_spec_get_name(spec)), typeName: declared.typeName,
            summary: g_param_spec_get_blurb(spec).map { String(cString: $0) } ?? "",
            isReadable: declared.isReadable, isWritable: declared.isWritable)
    }
}

extension Value {
    /// Stores the value as `store(in:)` does. For text that describes an array, the declaration supplies the item type.
    fileprivate func store(
        in target: UnsafeMutablePointer<GValue>, for spec: UnsafeMutablePointer<GParamSpec>
    ) -> Bool {
        guard case .string(let text) = self, cgst_value_type(target) == gst_value_array_get_type(),
            !text.utf8.contains(0)
        else { return store(in: target) }
        return gst_value_deserialize_with_pspec(target, text, spec) != 0
    }

    /// A short description for error messages.
    var summary: String {
        switch self {
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .uint(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .enumeration(let nick, _): nick
        case .flags(_, let text): text
        case .fraction(let fraction): "\(fraction)"
        case .caps(let caps): "caps \(caps)"
        case .object(let object): "\(object)"
        case .null: "nothing"
        default: "a value of another kind"
        }
    }
}
