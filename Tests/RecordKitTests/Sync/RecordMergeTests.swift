// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Testing

@testable import RecordKit

@Suite("The merge of records")
struct RecordMergeTests {
    private static func copy(_ values: [String: String]) -> RecordCopy { .present(RecordContent(values: values)) }

    private static let base = copy(["name": "Ann", "city": "Rome"])

    @Test("A part that one side changed is taken from it")
    func oneSide() {
        let merge = RecordMerge(
            base: Self.base, mine: Self.copy(["name": "Bob", "city": "Rome"]),
            theirs: Self.copy(["name": "Ann", "city": "Oslo", "notes": "new"]))
        #expect(merge.copy == Self.copy(["name": "Bob", "city": "Oslo", "notes": "new"]))
        #expect(merge.conflicts.isEmpty)
    }

    @Test("A part that both changed differently is a conflict for that part alone")
    func bothSides() {
        let merge = RecordMerge(
            base: Self.base, mine: Self.copy(["name": "Bob", "city": "Rome"]),
            theirs: Self.copy(["name": "Eve", "city": "Oslo"]))
        #expect(merge.copy == Self.copy(["name": "Bob", "city": "Oslo"]))
        let conflict = RecordConflict(
            .field("name"), base: Self.copy(["name": "Ann"]), mine: Self.copy(["name": "Bob"]),
            theirs: Self.copy(["name": "Eve"]))
        #expect(merge.conflicts == [conflict])
    }

    @Test("Deleted against unchanged is deleted, and deleted against changed is a conflict of the record")
    func deletions() {
        let changed = Self.copy(["name": "Bob", "city": "Rome"])
        #expect(RecordMerge(base: Self.base, mine: Self.base, theirs: .deleted).copy == .deleted)
        #expect(RecordMerge(base: Self.base, mine: .deleted, theirs: Self.base).copy == .deleted)
        #expect(RecordMerge(base: .deleted, mine: .deleted, theirs: changed).copy == changed)
        for (mine, theirs) in [(changed, RecordCopy.deleted), (.deleted, changed)] {
            let merge = RecordMerge(base: Self.base, mine: mine, theirs: theirs)
            #expect(merge.copy == mine)
            #expect(merge.conflicts == [RecordConflict(nil, base: Self.base, mine: mine, theirs: theirs)])
        }
    }

    @Test("A version that was sent without an answer is known, and the change after it wins")
    func sent() {
        let sent = Self.copy(["name": "Bob", "city": "Rome"])
        let later = Self.copy(["name": "Bobby", "city": "Rome"])
        #expect(RecordMerge(base: Self.base, sent: [sent], mine: later, theirs: sent).copy == later)
        // Also one that takes it back: without the version, the change of the other device would win.
        #expect(RecordMerge(base: Self.base, sent: [sent], mine: Self.base, theirs: sent).copy == Self.base)
        #expect(RecordMerge(base: Self.base, mine: Self.base, theirs: sent).copy == sent)
        // Another device has changed the version that arrived.
        let theirs = Self.copy(["name": "Bob", "city": "Oslo"])
        let merge = RecordMerge(base: Self.base, sent: [sent], mine: later, theirs: theirs)
        #expect(merge.copy == Self.copy(["name": "Bobby", "city": "Oslo"]) && merge.conflicts.isEmpty)
        // A deletion that was sent and taken back.
        #expect(RecordMerge(base: Self.base, sent: [.deleted], mine: Self.base, theirs: .deleted).copy == Self.base)
        #expect(RecordMerge(base: .absent, sent: [sent], mine: .deleted, theirs: sent).copy == .deleted)
    }

    @Test("A part that was sent and taken back is a conflict with another change of it")
    func sentAndTakenBack() {
        let merge = RecordMerge(
            base: Self.base, sent: [Self.copy(["name": "Bob", "city": "Rome"])], mine: Self.base,
            theirs: Self.copy(["name": "Eve", "city": "Rome"]))
        #expect(merge.copy == Self.base && merge.conflicts.map(\.part) == [.field("name")])
    }

    @Test("A later version of the backend is merged with the version before the conflict")
    func laterVersion() {
        let mine = Self.copy(["name": "Bob", "city": "Rome"])
        let theirs = Self.copy(["name": "Eve", "city": "Rome"])
        let first = RecordMerge(base: Self.base, mine: mine, theirs: theirs)
        let later = Self.copy(["name": "Eve", "city": "Oslo"])
        let second = RecordMerge(base: theirs.before(first.conflicts), mine: first.copy, theirs: later)
        #expect(second.conflicts == first.conflicts)
        #expect(second.copy == Self.copy(["name": "Bob", "city": "Oslo"]))
        // The other device takes its change back, or makes the same one.
        for end in [Self.copy(["name": "Ann", "city": "Oslo"]), Self.copy(["name": "Bob", "city": "Oslo"])] {
            let last = RecordMerge(base: later.before(second.conflicts), mine: second.copy, theirs: end)
            #expect(last.conflicts.isEmpty && last.copy == Self.copy(["name": "Bob", "city": "Oslo"]))
        }
    }

    /// The versions of two fields and a side with three values each, and no version.
    private static let all: [RecordCopy] = {
        var all: [RecordCopy] = [.deleted]
        for a in [nil, "1", "2"] {
            for b in [nil, "1", "2"] {
                var values: [String: String] = [:]
                (values["a"], values["b"]) = (a, b)
                all.append(copy(values))
            }
        }
        return all
    }()

    private static func swapped(_ conflicts: [RecordConflict]) -> [RecordConflict] {
        conflicts.map { RecordConflict($0.part, base: $0.base, mine: $0.theirs, theirs: $0.mine) }
    }

    @Test("The merge of all versions of two fields is symmetric, idempotent, and loses nothing")
    func exhaustive() {
        for base in Self.all + [.absent] {
            for mine in Self.all {
                for theirs in Self.all { check(base, mine, theirs) }
            }
        }
    }

    private func check(_ base: RecordCopy, _ mine: RecordCopy, _ theirs: RecordCopy) {
        let merge = RecordMerge(base: base, mine: mine, theirs: theirs)
        let other = RecordMerge(base: base, mine: theirs, theirs: mine)
        let context = "\(base) \(mine) \(theirs)"
        #expect(Self.swapped(other.conflicts) == merge.conflicts, "\(context)")
        if merge.conflicts.isEmpty { #expect(merge.copy == other.copy, "\(context)") }
        #expect(RecordMerge(base: base, mine: mine, theirs: mine).copy == mine)
        if base != .absent {
            #expect(RecordMerge(base: base, mine: mine, theirs: base).copy == mine)
            #expect(RecordMerge(base: base, mine: base, theirs: theirs).copy == theirs)
        }
        // Again with the backend's version, which is the base by now.
        let again = RecordMerge(base: theirs.before(merge.conflicts), mine: merge.copy, theirs: theirs)
        #expect(again == merge, "\(context)")
        for copy in [mine, theirs] { #expect(isKept(copy, base, merge), "\(context)") }
    }

    /// `true` if each change of a version is in the merged one, or in a conflict.
    private func isKept(_ copy: RecordCopy, _ base: RecordCopy, _ merge: RecordMerge) -> Bool {
        if merge.conflicts.contains(where: { $0.part == nil }) { return true }
        guard copy != base else { return true }
        guard let content = copy.content, let merged = merge.copy.content else {
            return copy == merge.copy || copy == .deleted
        }
        let parts = content.parts.union(base.content?.parts ?? [])
        return parts.allSatisfy { part in
            content[part] == base.content?[part] || content[part] == merged[part]
                || merge.conflicts.contains { $0.part == part }
        }
    }

    @Test("Random chains of merges on two devices converge", arguments: 0..<20 as Range<UInt64>)
    func chains(seed: UInt64) {
        var generator = SplitMix(seed)
        let parts = (0..<6).map { RecordPart.field("\($0)") } + [.side("front")]
        func change(_ copy: RecordCopy, _ number: Int) -> RecordCopy {
            guard var content = copy.content, let part = parts.randomElement(using: &generator) else { return copy }
            if case .field = part { content[part] = .text("\(number)") }
            return .present(content)
        }
        var (base, mine, theirs) = (Self.base, Self.base, Self.base)
        for number in 0..<500 {
            if Bool.random(using: &generator) { mine = change(mine, number) }
            if Bool.random(using: &generator) { theirs = change(theirs, -number) }
            guard number % 5 == 0 else { continue }
            let merge = RecordMerge(base: base, mine: mine, theirs: theirs)
            guard var content = merge.copy.content else { continue }
            for conflict in merge.conflicts where Bool.random(using: &generator) {
                if let part = conflict.part { content[part] = conflict.theirs.content?[part] }
            }
            mine = .present(content)
            // The other device has not changed since: it takes all.
            #expect(RecordMerge(base: theirs, mine: theirs, theirs: mine).copy == mine)
            (base, theirs) = (mine, mine)
        }
    }
}
