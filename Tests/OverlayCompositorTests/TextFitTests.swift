// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import OverlayRaster
import Testing

@Suite struct `Fitted text` {
    private static let sizes = 0.036...0.066

    private static let texts = [
        "Look into the camera", "Come closer and look into the camera, both shoulders within the outline",
        String(repeating: "W", count: 500), String(repeating: "mmmm WWWW @@ %d {x} ", count: 200),
        "Schau in die Kamera, Grüße aus Örtlingen", "カメラを見てください。そのまま動かないで。", "انظر إلى الكاميرا من فضلك", "👩‍👩‍👧‍👦 🙂 👍",
        "Посмотрите в камеру", "",
    ]

    private func width(of line: String) async throws -> Double {
        let style = TextStyle(font: "Sans Bold", lineHeight: 100, color: .white)
        let request = RasterRequest(
            .text(line, style), width: 16000, height: 300, point: (0, 100), anchor: UnitPoint(0, 0),
            extent: (16000, 100))
        return Double(try await CairoRasterizer().rasterize(request).width) / 100
    }

    @Test(arguments: texts)
    func `Fitted text has no line that is drawn wider than its field`(text: String) async throws {
        for field in [0.6, 0.9, 1.6] {
            let fit = TextFit(text, width: field, height: 0.16, sizes: Self.sizes)
            #expect(fit.height <= 0.16 && Self.sizes.contains(fit.size))
            let lines = fit.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == fit.lines)
            for line in lines { #expect(try await width(of: String(line)) * fit.size <= field, "\(line)") }
        }
    }

    @Test func `Short text has the largest size, longer text is smaller, and text that is too long is cut`() {
        let short = TextFit("Turn to the left", width: 1.6, height: 0.16, sizes: Self.sizes)
        #expect(short.text == "Turn to the left" && short.size == 0.066 && short.lines == 1)
        let long = TextFit(Self.texts[1], width: 0.9, height: 0.16, sizes: Self.sizes)
        #expect(long.text.split(whereSeparator: \.isWhitespace) == Self.texts[1].split(separator: " "))
        #expect(long.size < 0.066)
        let cut = TextFit(Self.texts[3], width: 0.9, height: 0.16, sizes: Self.sizes)
        #expect(cut.text.hasSuffix("…") && cut.size == 0.036 && cut.lines == 4)
    }

    @Test func `Fitted text has lines of similar length`() {
        let fit = TextFit(
            "Stand so that your whole body fits the outline, arms a little off the body.", width: 1.58, height: 0.24,
            sizes: 0.06...0.06)
        let widths = fit.text.split(separator: "\n").map { TextFit.width(String($0)) }
        #expect(widths.count == 2 && abs(widths[0] - widths[1]) < widths[0] / 3)
    }

    @Test func `Fitted text has no line breaks, bidirectional controls or stacked accents`() {
        let tower = "e" + String(repeating: "\u{301}", count: 40)
        let fit = TextFit(
            "one\ntwo\t\u{202E}three\u{2028}four\u{0}five \(tower)", width: 1.6, height: 0.1, sizes: 0.04...0.05)
        #expect(fit.text == "one two three four five" && fit.lines == 1)
    }
}
