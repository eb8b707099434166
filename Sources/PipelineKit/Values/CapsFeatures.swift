// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The memory and metadata that an alternative of caps requires, such as `memory:DMABuf` (`GstCapsFeatures`).
public struct CapsFeatures: Sendable, Hashable {
    /// Ordinary memory, which every element can read: the features of caps without any.
    public static let systemMemory = CapsFeatures(names: ["memory:SystemMemory"], isAny: false)
    /// Any features.
    public static let any = CapsFeatures(names: [], isAny: true)

    /// The names, such as `memory:DMABuf` or `meta:GstVideoOverlayComposition`, sorted; empty for ``any``.
    public let names: [String]
    /// `true` for ``any``.
    public let isAny: Bool

    private init(names: [String], isAny: Bool) {
        self.names = names
        self.isAny = isAny
    }

    /// Creates features from their names, in any order; without a name, ``systemMemory``.
    ///
    /// - Throws: ``PipelineError/Code/syntax`` if a name is not a word, a colon, and a word.
    public init(_ names: [String]) throws(PipelineError) {
        if let wrong = names.first(where: { !CapsFeatures.isName($0) }) {
            throw PipelineError(
                .syntax, "not a feature of caps: \(wrong)", advice: "write it as in memory:DMABuf")
        }
        self = names.isEmpty ? .systemMemory : CapsFeatures(names: Set(names).sorted(), isAny: false)
    }

    /// `true` if the features include this one, and always for ``any``.
    public func contains(_ name: String) -> Bool { isAny || names.contains(name) }

    /// GStreamer reports any other name as a warning, and drops it.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let initial = parts[1].utf8.first, initial.isASCIILetter else { return false }
        return parts[0].utf8.allSatisfy(\.isASCIILetter)
            && parts[1].utf8.allSatisfy { $0.isASCIILetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension CapsFeatures: CustomStringConvertible {
    /// GStreamer's notation: the names with commas between them, or `ANY`.
    public var description: String { isAny ? "ANY" : names.joined(separator: ", ") }
}

extension CapsFeatures {
    /// Copies features, which the caller still owns.
    fileprivate init(copying source: OpaquePointer) {
        let names = (0..<gst_caps_features_get_size(source)).compactMap {
            gst_caps_features_get_nth(source, $0).map { String(cString: $0) }
        }
        if gst_caps_features_is_any(source) != 0 {
            self = .any
        } else {
            self = names.isEmpty ? .systemMemory : CapsFeatures(names: Set(names).sorted(), isAny: false)
        }
    }

    /// Returns a C copy, which the caller owns.
    fileprivate var native: OpaquePointer? {
        guard !isAny else { return gst_caps_features_new_any() }
        let features = gst_caps_features_new_empty()
        for name in names { gst_caps_features_add(features, name) }
        return features
    }
}

extension Caps {
    /// The features of each alternative, in the order of ``structures`` (`gst_caps_get_features`).
    public var features: [CapsFeatures] {
        (0..<gst_caps_get_size(pointer)).compactMap {
            gst_caps_get_features(pointer, $0).map { CapsFeatures(copying: $0) }
        }
    }

    /// Returns caps with the same alternatives, each with these features instead of its previous ones
    /// (`gst_caps_set_features_simple`).
    public func with(_ features: CapsFeatures) -> Caps {
        // Caps without an alternative would not take ownership of the features.
        guard gst_caps_get_size(pointer) > 0, let copy = gst_caps_copy(pointer) else { return self }
        gst_caps_set_features_simple(copy, features.native)
        return Caps(copy, .full)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
