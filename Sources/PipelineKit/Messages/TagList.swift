// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Metadata of a stream, such as its title, codec or orientation (`GstTagList`), copied into Swift.
public struct TagList: Sendable, Hashable {
    /// The part of the data that the tags describe (`GstTagScope`).
    public enum Scope: Sendable {
        /// One stream, such as a track.
        case stream
        /// All streams of a file or program.
        case global
    }

    /// The part of the data that the tags describe.
    public let scope: Scope
    /// The values by the name of the tag, such as `title` or `image-orientation`. Most tags have one value. A date is a
    /// ``Value/other(type:text:)``.
    public let values: [String: [Value]]

    /// Creates a list, mainly for tests.
    public init(_ values: [String: [Value]], scope: Scope = .stream) {
        self.scope = scope
        self.values = values
    }

    /// The first value of a tag as a Swift type; `nil` if the tag is absent or of another type.
    public subscript<T: ValueConvertible>(name: String, as type: T.Type = T.self) -> T? {
        values[name]?.first.flatMap { T.read($0) }
    }
}

extension TagList {
    /// Copies the tags of a list, which the caller still owns.
    init(copying source: UnsafePointer<GstTagList>) {
        var values: [String: [Value]] = [:]
        for index in 0..<max(0, gst_tag_list_n_tags(source)) {
            guard let name = gst_tag_list_nth_tag_name(source, guint(index)) else { continue }
            values[String(cString: name)] = (0..<gst_tag_list_get_tag_size(source, name)).compactMap { item in
                gst_tag_list_get_value_index(source, name, item).map { Value(copying: $0) }
            }
        }
        self.init(values, scope: gst_tag_list_get_scope(source) == GST_TAG_SCOPE_GLOBAL ? .global : .stream)
    }
}
