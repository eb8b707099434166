// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The wishes of a user for a contact sheet, beside the choice of its pictures (``FilmSettings``).
package struct SheetSettings: Sendable, Hashable {
    /// The pictures that are shown.
    package enum Choice: Sendable, Hashable {
        /// At most this many on one sheet, evenly by time.
        case most(Int)
        /// One for each interval, on as many sheets as they need.
        case every(Duration)
        /// All, on as many sheets as they need.
        case all
    }

    /// The text below each picture.
    package enum Caption: String, Sendable, Hashable, CaseIterable {
        /// The time of the capture.
        case time
        /// The name of the file.
        case name
        case none
    }

    /// The number of pictures that a sheet shows if the user names none.
    package static let usualCount = 100
    /// The usual width: A4 in landscape with 300 pixels an inch.
    package static let usualWidth = 3508
    /// The widths that a sheet can have.
    package static let widths = 640...16_000

    package var choice = Choice.most(usualCount)
    package var caption = Caption.time
    /// The format of the time below a picture (`strftime(3)`); `nil` for one that suits the pictures.
    package var timeFormat: String?
    /// `nil` for a number with which the sheet has about the proportions of A4 in landscape.
    package var columns: Int?
    /// The width of a sheet in pixels.
    package var width = usualWidth

    /// Creates the usual settings.
    package init() {}
}
