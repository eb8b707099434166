// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

extension LabSuite {
    /// The card of a camera (vfat, in a USB reader), which the script `card.sh` unplugs during an import.
    @Suite("Memory cards")
    struct Card {
        private static let count = 80

        private func lines(_ name: String) async throws -> [Substring] {
            let step = try await step(name)
            #expect(step.status == 0, "\(name): \(step.error)")
            return step.output.split(separator: "\n")
        }

        @Test(
            "A card that is unplugged during its import is one error with its remedy, and the copies so far are whole")
        func unplugged() async throws {
            let pulled = try await step("card-pulled")
            #expect(pulled.status == 74, "\(pulled.error)")
            let errors = pulled.error.split(separator: "\n").filter { $0.hasPrefix("gst-capture: ") }
            #expect(errors.count == 1 && errors[0].contains("is gone"), "\(pulled.error)")
            #expect(pulled.error.contains("connect it, and import it again"))
            let (first, originals) = (try await lines("card-first"), try await lines("card-originals"))
            #expect((10..<Self.count).contains(first.count) && Set(first).isSubset(of: originals))
            #expect(pulled.error.contains("\(Self.count - first.count) not read"), "\(pulled.error)")
        }

        @Test("The next import copies the rest of the card, and each picture is there once")
        func resumed() async throws {
            let first = try await lines("card-first").count
            let again = try await step("card-again")
            #expect(again.status == 0, "\(again.error)")
            #expect(again.error.contains("\(Self.count - first) imported") && again.error.contains("\(first) known"))
            #expect(try await step("card-known").error.contains("0 imported, \(Self.count) known"))
            #expect(try await lines("card-list").count == Self.count)
            #expect(try await step("card-verify").status == 0)
            let (copies, originals) = (try await lines("card-copies"), try await lines("card-originals"))
            #expect(copies == originals && originals.count == Self.count && Set(originals).count == Self.count)
        }
    }
}
