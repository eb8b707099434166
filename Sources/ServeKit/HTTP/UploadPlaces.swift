// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ConnectionKit
import NIOCore

/// The uploads that are being read at the same time. A slow one gives way to a newcomer if there are too many.
struct UploadPlaces: Sendable {
    private struct Upload {
        let start: NIODeadline
        var count = 0
    }

    /// How many uploads are in memory at the same time.
    static let most = 4
    /// An upload with fewer bytes per second is slow.
    static let slowRate = 64 << 10
    /// The time after which an upload can be slow.
    static let patience = TimeAmount.seconds(5)

    private var share = FairShare(most: most)
    private var uploads = PlaceHolders<Upload>()

    /// How many uploads there are.
    var count: Int { share.count }

    /// Gives a place to an upload of a network.
    mutating func begin(_ network: String, at now: NIODeadline) -> FairShare.Admission {
        for (number, upload) in uploads.all { share.change(number, to: Self.isSlow(upload, at: now) ? .idle : .firm) }
        let admission = share.admit(network, .firm)
        _ = uploads.add(Upload(start: now), admission)
        return admission
    }

    /// Counts bytes of an upload.
    mutating func receive(_ count: Int, of number: Int) { uploads[number]?.count += count }

    mutating func end(_ number: Int) {
        share.free(number)
        uploads.remove(number)
    }

    private static func isSlow(_ upload: Upload, at now: NIODeadline) -> Bool {
        let time = now - upload.start
        guard time > patience else { return false }
        return Double(upload.count) / (Double(time.nanoseconds) / 1e9) < Double(slowRate)
    }
}
#endif
