// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Foundation
import LibraryKit

let folder = FileManager.default.temporaryDirectory.appending(path: "gst-capture-\(UUID())")
defer { try? FileManager.default.removeItem(at: folder) }
let index = try LibraryIndex(folder: LibraryFolder.make(in: folder.path))

let still = try await Camera.scene.still()
try Data(still.bytes ?? []).write(to: folder.appending(path: "garden.jpg"))
_ = try LibraryScan(index, folder: folder.path)

var change = NotesChange()
change.added = ["first snow"]
_ = try index.change(index.page(LibraryQuery("garden"), limit: 60).items.map(\.id), change)

guard let (item, path) = try index.newest(LibraryQuery("tag:\"first snow\"")) else { fatalError("found no picture") }
print(item.facts.fileName, item.facts.width, item.facts.height, item.notes.tags, path == "\(folder.path)/garden.jpg")
