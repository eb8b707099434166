// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@testable import ServiceKit

@Suite("Links to the pictures of a run")
struct SessionSharesTests {
    @Test("Many links of a run leave those of other runs valid")
    func ofOneRun() async throws {
        let shares = SessionShares()
        let other = try await shares.create(session: "avatar", run: "a", for: .seconds(60)).secret
        var own: [String] = []
        for _ in 0..<1100 {
            own.append(try await shares.create(session: "avatar", run: "b", for: .seconds(600)).secret)
        }
        #expect(await shares.share(other)?.run == "a")
        for secret in own.suffix(8) { #expect(await shares.share(secret)?.run == "b") }
        #expect(await shares.share(own[1091]) == nil)
    }

    @Test("When there are too many links, a further one is refused until one is revoked")
    func full() async throws {
        let shares = SessionShares()
        var links: [SessionShares.Share] = []
        for number in 0..<SessionShares.most {
            links.append(try await shares.create(session: "avatar", run: "\(number)", for: .seconds(60)).share)
        }
        let error = await #expect(throws: CaptureError.self) {
            try await shares.create(session: "avatar", run: "x", for: .seconds(60))
        }
        #expect(error?.code == .limit)
        #expect(await shares.revoke(links[7].id))
        _ = try await shares.create(session: "avatar", run: "x", for: .seconds(60))
    }
}
