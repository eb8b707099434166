// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster

/// The fonts of this machine (fontconfig).
enum Fonts {
    /// `false` if there is none. Pango must then not be asked for a text: it reads sizes from memory that it never set,
    /// and draws an empty box or nothing, by chance (1.50).
    static var areInstalled: Bool {
        FcConfigGetFonts(nil, FcSetSystem).map { $0.pointee.nfont > 0 } ?? false
    }
}
