// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit

/// Pictures that are brought into a session in place of taken ones.
struct LibraryOptions: ParsableArguments {
    @Option(help: .setting("library"), completion: .file())
    var library: [String] = []

    @OptionGroup var adjustment: AdjustmentOptions

    /// All of them, by path.
    ///
    /// - Throws: ``CaptureError`` where one is not there or cannot be read, or a folder holds none.
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
