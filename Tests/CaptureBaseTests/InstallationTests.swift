// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite("Installation folders")
struct InstallationTests {
    @Test(
        "Data files are below the prefix of the program",
        arguments: ["/opt/x/bin/gst-capture", "/opt/x/libexec/gst-capture/gst-capture-serve"])
    func prefix(program: String) {
        #expect(Installation.folders("page", of: program).contains("/opt/x/share/gst-capture/page"))
    }

    @Test("Without the path of the program, they are in the standard prefixes", arguments: [nil, "gst-capture"])
    func standard(program: String?) {
        #expect(
            Installation.folders("page", of: program)
                == ["/usr/local/share/gst-capture/page", "/usr/share/gst-capture/page"])
    }
}
