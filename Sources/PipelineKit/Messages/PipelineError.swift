// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// An error of GStreamer or of PipelineKit: a code, the element at fault, a message, and advice for the user.
public struct PipelineError: Error, Sendable, Hashable {
    /// The kind of failure. New kinds may be added: compare with `==`, do not switch exhaustively.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, which stays the same between releases.
        public let description: String

        /// GStreamer itself did not start.
        public static let initialization = Code(description: "initialization")
        /// A description, caps or a structure could not be parsed, or another argument is not valid: a video format, a
        /// feature of caps, a context, a category of the log.
        public static let syntax = Code(description: "syntax")
        /// This machine does not have the element (its plugin is not installed), or a device creates none.
        public static let missingElement = Code(description: "missing-element")
        /// There is no such element, pad or template, or the element or pad does not have the requested function.
        public static let notFound = Code(description: "not-found")
        /// An object has no property of that name.
        public static let unknownProperty = Code(description: "unknown-property")
        /// A property cannot be read, cannot be written, or can be written only at construction.
        public static let propertyAccess = Code(description: "property-access")
        /// The value is not of the property's type.
        public static let propertyType = Code(description: "property-type")
        /// The value is outside the property's range, or a rectangle does not fit 32 bits.
        public static let propertyRange = Code(description: "property-range")
        /// An object has no signal of that name, or the signal takes other arguments.
        public static let signal = Code(description: "signal")
        /// Two elements or pads cannot be linked, or a pipeline refuses an element.
        public static let link = Code(description: "link")
        /// An element refused to change its state, the pipeline was stopped, or devices cannot be watched.
        public static let stateChange = Code(description: "state-change")
        /// A call did not return in time. If a driver or plugin hangs, the call keeps its thread; otherwise, the call
        /// can still take effect later.
        public static let deadline = Code(description: "deadline")
        /// A buffer could not be allocated, mapped or converted, or is not a frame of the given format.
        public static let map = Code(description: "map")
        /// The pipeline accepts no data, because it is flushing, stopped or at its end; or it accepts no end of the
        /// stream, because it does not play.
        public static let flow = Code(description: "flow")
        /// The stream cannot seek, not in this state, or not to this position.
        public static let seek = Code(description: "seek")
        /// An element posted an error, a warning or information on the bus, also during a state change; `domain` and
        /// `number` identify it.
        public static let stream = Code(description: "stream")
    }

    /// The kind of failure.
    public let code: Code
    /// The message of GStreamer or PipelineKit, usually one line.
    public let message: String
    /// The name of the element, pad or other object at fault; `nil` if there is none.
    public let element: String?
    /// GStreamer's details for developers, often with the source line and the system's error; `nil` if there are none.
    public let debug: String?
    /// The GError's domain, such as `gst-resource-error-quark`; `nil` if GStreamer gave no GError.
    public let domain: String?
    /// The number within the domain, such as `GST_RESOURCE_ERROR_BUSY`; `nil` if GStreamer gave no GError.
    public let number: Int?
    /// Advice for the user; `nil` if there is none.
    public let advice: String?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, element: String? = nil, debug: String? = nil, domain: String? = nil,
        number: Int? = nil, advice: String? = nil
    ) {
        self.code = code
        self.message = message
        self.element = element
        self.debug = debug
        self.domain = domain
        self.number = number
        self.advice = advice
    }
}

extension PipelineError: CustomStringConvertible {
    /// `element: message; advice`, without the parts that are `nil`.
    public var description: String {
        (element.map { "\($0): " } ?? "") + message + (advice.map { "; \($0)" } ?? "")
    }
}

extension PipelineError {
    /// `true` if the error has GStreamer's resource domain and this number.
    public func isResource(_ number: GstResourceError) -> Bool {
        domain == PipelineError.resourceDomain && self.number == Int(number.rawValue)
    }

    /// Creates an error from a GError, and frees the GError.
    init(
        _ code: Code, consuming failure: UnsafeMutablePointer<GError>?, element: String? = nil, debug: String? = nil,
        fallback: String, advice: String? = nil
    ) {
        defer { if let failure { g_error_free(failure) } }
        self.init(
            code, failure.map { String(cString: $0.pointee.message) } ?? fallback, element: element, debug: debug,
            domain: failure.map { String(cString: g_quark_to_string($0.pointee.domain)) },
            number: failure.map { Int($0.pointee.code) }, advice: advice)
    }

    private static let resourceDomain = String(cString: g_quark_to_string(gst_resource_error_quark()))
}
