// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipList
import ClipStore

/// A change of the films in a folder, or a notice.
package enum FilmChange: Sendable {
    /// A film is complete.
    case made(StoredClip)
    /// A limit or a request removed a film.
    case removed(StoredClip)
    case notice(Notice)

    init(_ report: ClipFolder.Report) {
        switch report {
        case .recovered(let film): self = .made(film)
        case .removed(let film): self = .removed(film)
        case .notice(let notice): self = .notice(notice)
        }
    }
}
