// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A version of a record on one device, or at a backend.
package enum RecordCopy: Sendable, Hashable {
    /// There is no version yet.
    case absent
    /// The record is in the trash, or deleted.
    case deleted
    /// The record has this content.
    case present(RecordContent)

    /// The content; `nil` if there is none.
    package var content: RecordContent? { if case .present(let content) = self { content } else { nil } }
}

/// Two changes of which a person has to choose one.
package struct RecordConflict: Sendable, Hashable {
    /// The field or side; `nil` if one device deleted the record, and the other one changed it.
    package let part: RecordPart?
    /// The version that both devices had, this device's, and the backend's. For a part, they contain only that part.
    package let base: RecordCopy, mine: RecordCopy, theirs: RecordCopy

    package init(_ part: RecordPart?, base: RecordCopy, mine: RecordCopy, theirs: RecordCopy) {
        (self.part, self.base, self.mine, self.theirs) = (part, base, mine, theirs)
    }
}

/// Joins the changes of this device and of a backend to one version of a record.
///
/// A part that one of them changed is taken from it. A part that both changed differently is a conflict, and keeps the
/// value of this device until a person chooses; so is a record that one deleted and the other one changed.
package struct RecordMerge: Sendable, Hashable {
    /// The merged version.
    package let copy: RecordCopy
    /// The conflicts, by their parts.
    package let conflicts: [RecordConflict]

    /// Merges two versions.
    ///
    /// - Parameters:
    ///   - base: The last version that this device and the backend shared.
    ///   - sent: Versions of this device that the backend may have taken, although it did not answer. This device has
    ///     changed the record since, or `mine` is one of them.
    ///   - mine: The version of this device.
    ///   - theirs: The version of the backend.
    package init(base: RecordCopy, sent: Set<RecordCopy> = [], mine: RecordCopy, theirs: RecordCopy) {
        if mine == theirs || theirs == base || sent.contains(theirs) {
            self.init(mine)
        } else if mine == base, sent.isSubset(of: [base]) {
            self.init(theirs)
        } else if case .present(let mine) = mine, case .present(let theirs) = theirs {
            self.init(base.content ?? RecordContent(), sent.compactMap(\.content), mine, theirs)
        } else {
            self.init(mine, [RecordConflict(nil, base: base, mine: mine, theirs: theirs)])
        }
    }

    private init(_ copy: RecordCopy, _ conflicts: [RecordConflict] = []) {
        (self.copy, self.conflicts) = (copy, conflicts)
    }

    private init(_ base: RecordContent, _ sent: [RecordContent], _ mine: RecordContent, _ theirs: RecordContent) {
        var merged = mine
        var conflicts: [RecordConflict] = []
        for part in mine.parts.union(theirs.parts).union(base.parts).sorted() {
            let sentValues = sent.map { $0[part] }
            let isTheirsKnown = theirs[part] == base[part] || sentValues.contains(theirs[part])
            if mine[part] == theirs[part] || isTheirsKnown { continue }
            if mine[part] == base[part], sentValues.allSatisfy({ $0 == base[part] }) {
                merged[part] = theirs[part]
            } else {
                let copies = [base, mine, theirs].map { RecordCopy(part, of: $0) }
                conflicts.append(RecordConflict(part, base: copies[0], mine: copies[1], theirs: copies[2]))
            }
        }
        self.init(.present(merged), conflicts)
    }
}

extension RecordCopy {
    /// Creates the version of one part; it is absent if the part is empty.
    init(_ part: RecordPart, of content: RecordContent) {
        guard let value = content[part] else {
            self = .absent
            return
        }
        var single = RecordContent()
        single[part] = value
        self = .present(single)
    }

    /// Returns the version with the parts that are in conflict as they were when the conflicts began: a later version
    /// of the backend is merged with them.
    func before(_ conflicts: [RecordConflict]) -> RecordCopy {
        if let whole = conflicts.first(where: { $0.part == nil }) { return whole.base }
        guard !conflicts.isEmpty, case .present(var content) = self else { return self }
        for conflict in conflicts {
            guard let part = conflict.part else { continue }
            content[part] = conflict.base.content?[part]
        }
        return .present(content)
    }
}
