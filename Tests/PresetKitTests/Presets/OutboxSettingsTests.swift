// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import StillKit
import Testing

@testable import PresetKit

@Suite("Settings for an outbox")
struct OutboxSettingsTests {
    private func settings(_ text: String) throws -> CaptureSettings {
        let text = "interval: 1m\noutput: /srv/a/%n.jpg\n" + text
        return try Preset(path: "/a/a.yaml", bytes: Array(text.utf8)).settings
    }

    private func error(_ text: String, mode: CaptureMode = .timelapse) throws -> String? {
        let settings = try settings(text)
        do throws(CaptureError) {
            try CaptureConfiguration.check(settings, mode: mode)
            return nil
        } catch {
            #expect(error.code == .usage)
            return error.description
        }
    }

    @Test(arguments: [
        "max-age-sent: 7d", "max-age-sent: 7d\nmax-size: 1GB", "max-age-sent: 7d\nkeep-free: 1GB\non-limit: prune",
        "keep-unsent: yes\nkeep-free: 1GB\non-limit: prune", "outbox: a.yaml\nkeep-free: 1GB\non-limit: prune",
        "max-age-sent: 7d\noutbox: a.yaml\noutbox-state: /var/lib/a", "keep-unsent: no",
    ]) func `Settings that fit together are accepted`(text: String) throws {
        #expect(try error(text) == nil)
    }

    @Test func `Settings without effect are refused with one line`() throws {
        let prune = "has no effect without --on-limit prune"
        #expect(try error("keep-unsent: yes\nmax-size: 1GB") == "--keep-unsent: \(prune)")
        #expect(try error("keep-unsent: yes\nmax-age-sent: 7d") == "--keep-unsent: \(prune)")
        #expect(try error("outbox: a.yaml\nmax-size: 1GB") == "--outbox: \(prune); or give --max-age-sent")
        #expect(try error("outbox-state: /a") == "--outbox-state: \(prune); or give --max-age-sent")
        #expect(try error("max-age-sent: 7d\non-limit: prune") == nil)
    }

    @Test(arguments: ["max-age-sent: 7d", "keep-unsent: yes", "outbox: a.yaml"])
    func `Thinning and an outbox are not combined`(text: String) throws {
        let error = try error(text + "\nmax-count: 100\non-limit: thin")
        #expect(error?.contains("cannot be combined with --on-limit thin") == true)
    }

    @Test func `The limits of a series have the settings, and other captures have none`() throws {
        let settings = try settings(
            "max-age-sent: 7d\nkeep-unsent: yes\nkeep-free: 1GB\non-limit: prune\ncamera: scene")
        var limits = try CaptureConfiguration(settings, mode: .timelapse, camera: .scene).limits
        #expect(limits.maxAgeSent == .seconds(7 * 86400) && limits.keepsUnsent)
        limits = try CaptureConfiguration(settings, mode: .snap, camera: .scene).limits
        #expect(limits.maxAgeSent == nil && !limits.keepsUnsent)
    }

    @Test func `A request names the ledger, the pictures and the setting that needs the outbox`() throws {
        let names = try FileNameTemplate(parsing: "/srv/a/%Y/%n.jpg")
        let request = try settings("max-age-sent: 7d").sentPicturesRequest(names, ledger: "/srv/a/a.ledger")
        #expect(
            request
                == SentPicturesRequest(
                    ledger: "/srv/a/a.ledger", names: "/srv/a/%Y/%n.jpg", folder: "/srv/a", needsProof: true,
                    setting: "max-age-sent"))
        #expect(try settings("keep-unsent: no").sentPicturesRequest(names, ledger: nil) == nil)
        let pruned = try settings("max-count: 5\non-limit: prune")
        #expect(try pruned.sentPicturesRequest(names, ledger: "/a") == nil)
        #expect(try pruned.sentPicturesRequest(names, ledger: "/a", isGiven: true)?.needsProof == false)
        #expect(throws: CaptureError.self) {
            try settings("max-age-sent: 7d").sentPicturesRequest(names, ledger: nil)
        }
    }
}
