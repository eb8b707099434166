// Part of gst-capture. Apache License 2.0, see LICENSE.

import CConfinement
import CRaster
import Glibc

/// The files and folders in which fontconfig finds fonts, its caches and its configuration, the user's included.
enum FontFiles {
    /// Sends these paths as the roots below which the other end opens files, then seals the list.
    ///
    /// - Returns: `false` if a message cannot be sent.
    static func send(to socket: Int32) -> Bool {
        places.allSatisfy { cconf_send(socket, CCONF_ROOT, $0) == 0 }
            && cconf_send(socket, CCONF_SEAL, "") == 0
    }

    private static var places: [String] {
        guard FcInit() != 0, let configuration = FcConfigGetCurrent() else { return [] }
        return texts(FcConfigGetFontDirs(configuration)) + texts(FcConfigGetCacheDirs(configuration))
            + texts(FcConfigGetConfigFiles(configuration)) + linkedFonts(configuration)
    }

    private static func texts(_ list: OpaquePointer?) -> [String] {
        guard let list else { return [] }
        defer { FcStrListDone(list) }
        var texts: [String] = []
        while let text = FcStrListNext(list) { texts.append(String(cString: text)) }
        return texts
    }

    /// The paths of fonts that are symbolic links: the files themselves lie elsewhere.
    private static func linkedFonts(_ configuration: OpaquePointer) -> [String] {
        guard let fonts = FcConfigGetFonts(configuration, FcSetSystem)?.pointee else { return [] }
        return (0..<Int(fonts.nfont)).compactMap { index in
            var (file, status) = (UnsafeMutablePointer<FcChar8>?.none, stat())
            guard FcPatternGetString(fonts.fonts[index], FC_FILE, 0, &file) == FcResultMatch, let file else {
                return nil
            }
            let path = String(cString: file)
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? path : nil
        }
    }
}
