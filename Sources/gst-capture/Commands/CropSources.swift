// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// The pictures to crop: files, and the pictures in folders.
enum CropSources {
    /// Finds the pictures, each once, in the order of the arguments.
    ///
    /// - Returns: Their paths, and the folders that cannot be used. It does not check files.
    static func find(_ named: [String]) -> (pictures: [String], failures: [(source: String, error: CaptureError)]) {
        var (pictures, failures): ([String], [(source: String, error: CaptureError)]) = ([], [])
        for name in named {
            do throws(CaptureError) {
                pictures += LibraryPicture.isAlbum(name) ? try album(name) : [name]
            } catch {
                failures.append((name, error))
            }
        }
        var known: Set<String> = []
        return (pictures.filter { known.insert($0).inserted }, failures)
    }

    /// Returns the pictures of a folder, without the crops of an earlier run.
    private static func album(_ folder: String) throws(CaptureError) -> [String] {
        let pictures = try LibraryPicture.album(folder).filter { !CropNames.isCrop($0) }
        guard !pictures.isEmpty else {
            throw CaptureError(.noInput, "contains only crops", subject: folder)
        }
        return pictures
    }
}
