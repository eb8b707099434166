// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Options for pictures that a session imports instead of capturing them.
struct LibraryOptions: ParsableArguments {
    @Option(help: .setting("library"), completion: .file())
    var library: [String] = []

    /// Returns the paths of all pictures in the files and folders.
    ///
    /// - Throws: ``CaptureError`` if a path does not exist or cannot be read, or a folder has no pictures.
    static func pictures(_ library: [String]) throws(CaptureError) -> [String] {
        var pictures: [String] = []
        for path in library {
            if LibraryPicture.isAlbum(path) {
                pictures += try LibraryPicture.album(path)
            } else {
                try LibraryPicture.check(path)
                pictures.append(path)
            }
        }
        return pictures
    }
}
