// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LibraryKit
import ServiceKit
import SystemBase

/// A page of pictures of series, newest first.
package struct StillPage: Sendable {
    /// The pictures, as their ledgers describe them.
    package var stills: [StillRecord] = []
    /// The position after the last picture; `nil` after the oldest.
    package var next: LibraryPosition?
    /// Reasons why the page may lack pictures, such as the damage of a ledger.
    package var faults: [String] = []
}

extension ServiceLibrary {
    /// Adds the new pictures of a series to the index, and notes the fault of a ledger that is damaged. Blocks.
    func read(_ source: LedgerSource) throws(CaptureError) -> LibraryChanges {
        do throws(CaptureError) {
            let changes = try source.catchUp(index)
            let count = try index.damagedLines(of: source.ledger)
            progress.note(count > 0 ? "\(count) lines of the ledger are damaged" : nil, of: source.series)
            return changes
        } catch {
            progress.note(error.message, of: source.series)
            throw error
        }
    }

    /// Returns a page of the pictures of series that are there, by the moment of capture from new to old. The index finds
    /// them, and the ledgers describe them.
    ///
    /// - Parameters:
    ///   - series: The series, with the IDs of their cameras.
    ///   - position: The end of the page before; `nil` for the newest pictures.
    ///   - limit: The maximum number of pictures. A page has fewer if some were removed meanwhile.
    ///   - since: Only pictures that were captured at this moment or later; `nil` for all.
    ///   - until: Only pictures that were captured before this moment; `nil` for all.
    ///   - event: The last event of the service: the page has the pictures up to it, unless its faults say that the index
    ///     is behind.
    ///   - patience: The longest wait for the index, which is behind by milliseconds, except at a start with a long ledger.
    /// - Throws: `CaptureError` if the index cannot be read.
    package func stills(
        of series: [(camera: String, series: ServiceSeries)], from position: LibraryPosition?, limit: Int,
        since: WallTime?, until: WallTime?, after event: Int, patience: Duration = .seconds(10)
    ) async throws(CaptureError) -> StillPage {
        let isCurrent = await progress.wait(for: event, atMost: patience)
        var query = LibraryQuery()
        query.terms = [
            .facet(Facet(.kind, ItemFacts.Kind.still.word)), .any(series.map { Facet(.series, $0.series.id) }),
        ]
        (query.since, query.until) = (since, until)
        let wanted = query
        var page = try await read { index throws(CaptureError) in
            let found = try index.page(wanted, from: position, limit: limit)
            var page = Self.records(of: found.items, in: series)
            page.next = found.next
            return page
        }
        if !isCurrent { page.faults.append("the newest pictures are not in the library yet") }
        page.faults += progress.faults(of: series.map(\.series.id))
        return page
    }

    /// Reads the ledgers of pictures, each once. Blocks.
    private static func records(
        of items: [LibraryItem], in series: [(camera: String, series: ServiceSeries)]
    ) -> StillPage {
        var (lines, records, page) = ([String: [Int]](), [String: StillRecord](), StillPage())
        for case .series(let name, let line) in items.map(\.id.origin) { lines[name, default: []].append(line) }
        for (name, numbers) in lines.sorted(by: { $0.key < $1.key }) {
            do throws(CaptureError) {
                for record in try StillCatalog.stills(numbers, of: name, in: series) {
                    records[record.id.description] = record
                }
            } catch {
                page.faults.append("\(name): \(error.message)")
            }
        }
        page.stills = items.compactMap { records["\($0.id.origin)"] }
        return page
    }
}
#endif
