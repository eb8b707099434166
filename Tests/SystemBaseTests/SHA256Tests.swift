// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase
import Testing

/// The vectors are those of NIST (FIPS 180-4 and its examples).
@Suite struct `The SHA-256 of bytes` {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `The hash of a short text is that of the standard`(text: String, digits: String) {
        #expect(SHA256.digits(of: Array(text.utf8)) == digits)
    }

    @Test func `The hash of a million bytes is that of the standard, in parts of any size`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let digits = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(SHA256.digits(of: bytes) == digits)
        for size in [1, 63, 64, 65, 4096, 999_999] { #expect(hash(bytes, inPartsOf: size) == digits) }
    }

    @Test func `Parts of all sizes around a block of 64 bytes make the same hash`() {
        for count in 0...130 {
            let bytes = (0..<count).map { UInt8($0) }
            for size in [1, 55, 56, 64] { #expect(hash(bytes, inPartsOf: size) == SHA256.digits(of: bytes)) }
        }
    }

    @Test func `An empty part, even without memory, does not change the hash`() {
        var sum = SHA256()
        sum.add(UnsafeRawBufferPointer(start: nil, count: 0))
        Array("abc".utf8).withUnsafeBytes { sum.add($0) }
        sum.add(UnsafeRawBufferPointer(start: nil, count: 0))
        let digits = sum.digits()
        #expect(digits == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    private func hash(_ bytes: [UInt8], inPartsOf size: Int) -> String {
        var sum = SHA256()
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: size) {
                sum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)]))
            }
        }
        return sum.digits()
    }
}
