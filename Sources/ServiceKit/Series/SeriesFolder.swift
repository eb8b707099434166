// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The files of the series that clients created: `series/ID.json` in the state folder. Their pictures are in
/// `pictures/ID`. Every call blocks.
struct SeriesFolder: Sendable {
    /// The folder of the pictures.
    let pictures: String
    private let folder: String
    private let store = StillStore(overwrites: true, latest: nil, isPrivate: true)

    init(state: String) { (pictures, folder) = (state + "/pictures", state + "/series") }

    /// Returns the series of all files, by ID, and an error for each file that cannot be read.
    func read() -> (series: [CreatedSeries], errors: [CaptureError]) {
        var (series, errors): ([CreatedSeries], [CaptureError]) = ([], [])
        for name in DeviceFiles.names(in: folder).sorted() where name.hasSuffix(".json") && !name.hasPrefix(".") {
            let path = folder + "/" + name
            do throws(CaptureError) {
                let bytes = try RegularFile.read(path, most: CreatedSeries.mostBytes + 1)
                let found = try CreatedSeries(bytes, file: path)
                guard found.id + ".json" == name else {
                    throw CaptureError(.inputOutput, "is the file of another series", subject: path)
                }
                series.append(found)
            } catch {
                errors.append(error)
            }
        }
        return (series, errors)
    }

    /// Creates the folder of a series' pictures, and writes its file durably.
    func write(_ series: CreatedSeries) throws(CaptureError) {
        try PrivateFolder.make(StillFolder.path(of: pictures))
        try StillFolder.make("\(pictures)/\(series.id)")
        try store.write(Array(series.json.fileText.utf8), to: path(of: series.id))
    }

    /// Removes the file of a series durably. Its pictures stay.
    func remove(_ id: String) throws(CaptureError) {
        let path = path(of: id)
        guard DeviceFiles.exists(path) else { return }
        try store.remove(path)
        try StillFolder.syncName(of: path)
    }

    private func path(of id: String) -> String { "\(folder)/\(id).json" }
}
