// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ScheduleKit

/// Which pictures go to which targets, and where records go.
package struct OutboxConfiguration: Sendable, Hashable {
    /// A target with the options of its outbox.
    package struct Target: Sendable, Hashable {
        package var place: UploadTarget
        /// The names of pictures.
        package var name = UploadName.standard
        /// The maximum number of transfers at a time.
        package var parallel = 2
        /// The hours in which pictures are sent; `nil` for all.
        package var hours: DailyHours?
        /// `true` if pictures that a person deletes here are erased there, too.
        package var erasesDeleted = true

        package init(_ place: UploadTarget) { self.place = place }

        package var id: String { place.id }

        /// `true` if deleted pictures stay there, because the target cannot erase.
        package var keepsDeleted: Bool { erasesDeleted && !place.canErase }
    }

    /// The pictures of a folder, and their targets.
    package struct Route: Sendable, Hashable {
        /// The pictures of a folder.
        package enum Kind: Sendable, Hashable {
            /// The pictures in the ledgers of a series.
            case series
            /// The pictures of its sessions that were accepted.
            case sessions
            /// The clips in the lists of cameras.
            case clips
        }

        package var kind = Kind.series
        /// The absolute path of a folder of a series or of clips, or of its ledger or list, or of a folder with the folders
        /// of sessions.
        package var folder: String
        /// The IDs of the targets.
        package var targets: [String]
        /// The name of the series; empty for the name of each session.
        package var series: String
        package var camera = ""
        /// `true` to send copies that are at most ``SmallCopies/width`` pixels wide.
        package var isSmall = false
        package var options = OutboxMachine.Lane()

        package init(folder: String, targets: [String], series: String) {
            (self.folder, self.targets, self.series) = (folder, targets, series)
        }
    }

    /// The name of this board in names.
    package var board: BoardName
    package var targets: [Target] = []
    package var routes: [Route] = []
    /// The backend of records; `nil` if they stay on this machine.
    package var records: RecordsTarget?

    package init(board: BoardName) { self.board = board }
}
