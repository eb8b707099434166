// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import ServiceModel

@Suite("The protection of a service in its configuration")
struct ServiceSafetyTests {
    @Test("Names, a certificate and a group are read, and mistakes are refused with their place")
    func configuration() throws {
        func read(_ text: String) throws -> ServiceSafety {
            let text = text + "cameras: { a: { camera: scene } }\n"
            return try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8)).safety
        }
        let safety = try read(
            "hosts: [Camera.local, b]\ntls: { certificate: /c.pem, key: /k.pem }\nsocket-group: video\n")
        #expect(safety.hosts == ["camera.local", "b"] && safety.socketGroup == "video")
        #expect(safety.tls == TLSFiles(certificate: "/c.pem", key: "/k.pem"))
        for text in [
            "hosts: []", "hosts: [a:80]", "hosts: 'http://a'", "hosts: [a..b]", "hosts: {a: b}", "hosts: ''", "tls: a",
            "tls: {}", "tls: { certificate: /c }", "tls: { certificate: c, key: /k }",
            "tls: { key: [a], certificate: /c }",
            "tls: { certificate: /c, key: /k, password: x }", "socket-group: [a]", "socket-group: ''",
        ] {
            let error = #expect(throws: CaptureError.self, "\(text)") { try read(text + "\n") }
            #expect(error?.description.contains("serve.yaml:1:") == true, "\(text): \(error?.description ?? "")")
        }
    }
}
