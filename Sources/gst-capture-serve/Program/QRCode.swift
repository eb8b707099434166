// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CQREncode

/// QR codes for terminals (libqrencode).
enum QRCode {
    /// The empty border that readers need, in modules.
    private static let border = 4

    /// Returns a code as lines of half blocks, dark on light at any colors of the terminal; `nil` if the text is too
    /// long.
    static func terminal(_ text: String) -> String? {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        func isDark(_ row: Int, _ column: Int) -> Bool {
            guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
            return code.pointee.data[row * width + column] & 1 == 1
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
}
#endif
