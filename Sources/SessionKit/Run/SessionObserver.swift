// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import GateKit
import PipelineKit
import Synchronization

/// Shows the frames of a session's preview to its gates, and to the search for codes while a form waits for one.
final class SessionObserver: PreviewObserver {
    private let watch: GateWatch
    private let search = Mutex<BarcodeSearch?>(nil)

    init(_ watch: GateWatch) { self.watch = watch }

    /// Sets the search for codes; `nil` for none.
    func setSearch(_ next: BarcodeSearch?) { search.withLock { $0 = next } }

    func setFormats(_ camera: VideoInfo, _ shown: VideoInfo) { watch.setFormats(camera, shown) }

    func look(at buffer: Buffer, _ info: VideoInfo, taken: ClockTime?) {
        watch.look(at: buffer, info, taken: taken)
        // The lock is not held while the frame is copied.
        search.withLock { $0 }?.look(at: buffer, info, taken ?? PipelineClock.system.now)
    }
}

/// Reads the codes for the fields of a form. The owner must call ``stop()``, and then await
/// ``close()``.
struct SessionBarcodes {
    private let observer: SessionObserver
    private var searching = TaskChain()
    private var isSearching = false

    init(_ observer: SessionObserver) { self.observer = observer }

    /// Starts to read codes.
    ///
    /// - Parameter report: Called with each code, or with the error that ends the search.
    mutating func start(_ report: @escaping @Sendable (Result<String, CaptureError>) async -> Void) {
        guard !isSearching else { return }
        isSearching = true
        searching.add { [observer] in
            guard !Task.isCancelled else { return }
            do throws(CaptureError) {
                let search = try await BarcodeSearch.open()
                observer.setSearch(search)
                await withTaskCancellationHandler {
                    for await code in search.codes { await report(.success(code)) }
                } onCancel: {
                    observer.setSearch(nil)
                }
                observer.setSearch(nil)
                await search.close()
            } catch {
                await report(.failure(error))
            }
        }
    }

    /// Stops reading codes; returns at once.
    mutating func stop() {
        guard isSearching else { return }
        isSearching = false
        searching.cancelLast()
    }

    /// Returns when the search has ended.
    func close() async { await searching.finish() }
}
