// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

@Suite("Keyed hashes and Base64")
struct HMACTests {
    @Test("HMAC-SHA256 has the value of RFC 4231")
    func vector() {
        let digest = HMAC.sha256(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        let digits = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("Base64 has the values of RFC 4648", arguments: [("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")])
    func base64(text: String, encoded: String) {
        #expect(Base64.encoded(Array(text.utf8)) == encoded)
        #expect(Base64.decoded(encoded) == Array(text.utf8))
    }

    @Test("Text that is not Base64 has no bytes", arguments: ["", "Zg", "Zg=", "Z g==", "Zm9v!mFy", "=", "Zg==Zg=="])
    func wrong(text: String) { #expect(Base64.decoded(text) == nil) }
}
