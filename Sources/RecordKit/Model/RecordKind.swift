// Part of gst-capture. Apache License 2.0, see LICENSE.

import SessionModel

/// A kind of records, such as loyalty cards: the fields and the sides that each of them has.
public struct RecordKind: Sendable, Hashable, Identifiable {
    /// The name of its file without the ending. Backends have a collection of this name.
    public let id: String
    /// The name of one record of the kind, for people.
    public var title: String
    /// The field that names a record in lists, and that no two records share; `nil` if the date names it.
    public var key: String?
    /// The fields, in the order of the form.
    public var fields: [RecordField] = []
    /// The sides that have pictures, in their order.
    public var sides: [RecordSide] = []
    /// The time for which a record is kept after its last change; `nil` for ever.
    public var retention: Duration?
    /// Texts in other languages, by BCP 47 tag.
    public var languages: [String: RecordWords] = [:]

    /// Creates a kind without fields and sides.
    public init(id: String, title: String) { (self.id, self.title) = (id, title) }
}

/// A field of a kind of records.
public struct RecordField: Sendable, Hashable {
    /// The side and the means by which the value is read.
    public struct Source: Sendable, Hashable {
        /// The name of the side whose picture has the code.
        public var side: String

        /// Creates a source.
        public init(side: String) { self.side = side }
    }

    /// The name, the label and the values that are allowed, as for a field of a session.
    public var form: FormField
    /// `true` if no two records that are not in the trash share a value.
    public var isUnique = false
    /// `true` if the value identifies a person: it stays out of logs, events, the full-text index and file names.
    public var isPersonal = false
    /// The barcode or QR code that fills an empty field; `nil` if only people do.
    public var source: Source?

    /// Creates a field.
    public init(_ form: FormField) { self.form = form }

    /// The name of the field.
    public var name: String { form.name }
}

/// A side of a kind of records, which has one picture.
public struct RecordSide: Sendable, Hashable {
    /// The name of the side.
    public var name: String
    /// The label on the screen; `nil` for the name.
    public var label: String?
    /// `true` if a record is not valid without it.
    public var isRequired = false
    /// The session whose stage captures the side; `nil` if any picture can be it.
    public var session: String?
    /// The stage of the session; `nil` for its first one.
    public var stage: String?

    /// Creates a side.
    public init(name: String) { self.name = name }
}

/// The texts of a kind in another language.
public struct RecordWords: Sendable, Hashable {
    /// The name of one record; `nil` for that of the kind.
    public var title: String?
    /// The labels of fields and sides, by their names.
    public var labels: [String: String] = [:]

    /// Creates texts without any.
    public init() {}
}
