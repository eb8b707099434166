// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CQREncode

/// QR codes (libqrencode).
enum QRCode {
    /// The empty border that readers need, in modules.
    private static let border = 4

    /// Returns a code as lines of half blocks, dark on light at any colors of the terminal; `nil` if the text is too
    /// long.
    static func terminal(_ text: String) -> String? {
        guard let rows = rows(text) else { return nil }
        let width = rows.count
        func isDark(_ row: Int, _ column: Int) -> Bool {
            rows.indices.contains(row) && rows.indices.contains(column) && rows[row][column]
        }
        let (first, last) = (-border, width + border)
        return stride(from: first, to: last, by: 2).map { row in
            // Black on white, then the colors of the terminal again.
            let blocks = (first..<last).map { column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m" + blocks.joined() + "\u{1B}[0m"
        }.joined(separator: "\n")
    }

    /// Returns a code as the path of an SVG drawing, one unit a module, and its side with the border.
    ///
    /// - Returns: `nil` if the text is too long.
    static func path(_ text: String) -> (path: String, side: Int)? {
        guard let rows = rows(text) else { return nil }
        var path = ""
        for (y, row) in rows.enumerated() {
            for (x, isDark) in row.enumerated() where isDark { path += "M\(x + border) \(y + border)h1v1h-1z" }
        }
        return (path, rows.count + 2 * border)
    }

    /// The modules of a code, row by row, without a border; `nil` if the text is too long.
    private static func rows(_ text: String) -> [[Bool]]? {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        return (0..<width).map { row in (0..<width).map { code.pointee.data[row * width + $0] & 1 == 1 } }
    }
}
#endif
