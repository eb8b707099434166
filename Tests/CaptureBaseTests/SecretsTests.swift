// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

@testable import CaptureBase

@Suite("Texts without secrets")
struct SecretsTests {
    @Test(
        "Names and passwords of addresses, and secret values, are left out",
        arguments: [
            (
                "rtspsrc location=rtsp://admin:s3cret@192.0.2.10:554/x ! y",
                "rtspsrc location=rtsp://***@192.0.2.10:554/x ! y"
            ),
            ("http://admin@cam/x", "http://***@cam/x"), ("http://u:p@ss@cam/x", "http://***@cam/x"),
            ("rtsp://u:p/w@cam/x", "rtsp://***@cam/x"), ("rtsp://u:p#w@cam/x", "rtsp://***@cam/x"),
            (
                "http://cam/snap?user=admin&password=s3cret&channel=1",
                "http://cam/snap?user=admin&password=***&channel=1"
            ),
            ("http://cam/cgi?loginuse=a&loginpas=b", "http://cam/cgi?loginuse=a&loginpas=***"),
            ("https://hook/?token=abc#x", "https://hook/?token=***"),
            ("souphttpsrc user-id=ann user-pw=s3cret is-live=true", "souphttpsrc user-id=ann user-pw=*** is-live=true"),
            (#"souphttpsrc user-pw = "a b\" c" ! x"#, #"souphttpsrc user-pw = "***" ! x"#),
            (#"x user-pw='a b' ! y"#, #"x user-pw='***' ! y"#), (#"x user-pw=a\ b ! y"#, "x user-pw=*** ! y"),
            (#"s extra-headers="h,Authorization=\"Basic eA==\"" ! y"#, #"s extra-headers="***" ! y"#),
            ("srtsrc passphrase=0123456789 ! y", "srtsrc passphrase=*** ! y"),
        ])
    func secrets(text: String, safe: String) {
        #expect(text.withoutSecrets == safe)
        #expect(safe.withoutSecrets == safe)
    }

    @Test(
        "Texts without secrets stay",
        arguments: [
            "", "v4l2src device=/dev/video0 ! image/jpeg,width=640", "http://192.0.2.10:81/stream?channel=1",
            "http://cam/x?mail=a@b.org", "rtsp://[2001:db8::1]:554/x", "http://[2001:db8::1]/a@b", "a = b", "keys=1",
            "monkey=1", "a@b", "x password=", "\"a\" is not key=value", "key: \"a\"",
        ])
    func harmless(text: String) { #expect(text.withoutSecrets == text) }

    @Test("Errors and notices have no secrets")
    func errors() {
        let address = "http://ann:s3cret@cam/x"
        let error = CaptureError(.noCamera, "cannot open \(address)", subject: address, advice: "check \(address)")
        let notices = [Notice(.information, address, subject: address), Notice(.information, about: nil, address)]
        for text in [error.description] + notices.map(\.description) { #expect(!text.contains("s3cret"), "\(text)") }
    }
}
