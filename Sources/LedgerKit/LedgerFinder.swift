// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Finds ledgers by the folder of the pictures.
public enum LedgerFinder {
    /// Returns the ledger at this path, or those of a folder: first those in its hidden folder `.gst-capture`, then
    /// those in the folder itself, each sorted by name. Blocks.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is none.
    public static func ledgers(at path: String) throws(CaptureError) -> [String] {
        guard DeviceFiles.exists(path) else {
            throw CaptureError(.noInput, "there is no such file or folder", subject: RegularFile.display(path))
        }
        let files = files(at: path, LedgerPlace.suffix)
        guard !files.isEmpty else {
            throw CaptureError(
                .noInput, "there is no ledger", subject: RegularFile.display(path),
                advice: "name the folder before the first field of the file names, or the ledger itself")
        }
        return files
    }

    /// Returns the file at this path, or those of a folder whose names have an ending, in the order of
    /// ``ledgers(at:)``. Blocks.
    package static func files(at path: String, _ suffix: String) -> [String] {
        if RegularFile.isRegular(path) { return [path] }
        let folder = path.hasSuffix("/") ? path : path + "/"
        let found = [folder + LedgerPlace.folderName + "/", folder].flatMap { folder in
            DeviceFiles.names(in: folder).filter { $0.hasSuffix(suffix) }.sorted().map { folder + $0 }
        }
        return found.filter(RegularFile.isRegular).map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
    }
}
