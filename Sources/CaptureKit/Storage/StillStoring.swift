// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What puts files where they belong; tests have one that fails as they say.
protocol StillStoring: Sendable {
    /// Writes a file; when it returns, the file survives a power cut. On an error, nothing is left behind.
    func write(_ bytes: [UInt8], to path: String) throws(CaptureError)
    /// Points the link to the newest picture, if there is to be one.
    func pointLatest(at path: String) throws(CaptureError)
}

extension StillStore: StillStoring {}
