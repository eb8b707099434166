// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@testable import StillKit

@Suite struct `The conditions under which pictures are stored` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func limited(_ policy: StoragePolicy) -> LimitedFolder {
        LimitedFolder(
            folder.path + "/p", policy, StillStore(overwrites: false, latest: nil),
            inventory: SeriesInventory(keepsStills: policy.limits.policy.removes))
    }

    @Test func `A folder whose mount is not there is not created, and admits no picture`() throws {
        var pictures = limited(StoragePolicy(mount: folder.path))
        #expect(throws: CaptureError.self) { try pictures.begin() }
        #expect(throws: CaptureError.self) { try pictures.admit(1) }
        #expect(DeviceFiles.names(in: folder.path).isEmpty)
    }

    @Test func `A picture is admitted up to a limit, or makes room for itself`() throws {
        var policy = StoragePolicy()
        policy.limits.maxCount = 1
        for removes in [false, true] {
            if removes { policy.limits.policy = .prune }
            var pictures = limited(policy)
            try pictures.begin()
            for number in 1...2 {
                let path = "\(folder.path)/p/\(removes)-\(number).raw"
                if number == 2, !removes {
                    #expect(throws: CaptureError.self) { try pictures.admit(1) }
                    continue
                }
                try pictures.admit(1)
                try pictures.write([1], describedBy: [2], at: path)
                pictures.record(path, 1, captured: 0)
                pictures.keepLimits()
            }
        }
        #expect(
            DeviceFiles.names(in: folder.path + "/p").sorted() == [
                "false-1.raw", "false-1.raw.json", "true-2.raw", "true-2.raw.json",
            ])
    }

    @Test func `A mount binds only folders in it`() {
        let policy = StoragePolicy(mount: "/media/stick")
        for path in ["/media/stick", "/media/stick/p"] { #expect(policy.applied(to: path).mount == "/media/stick") }
        for path in ["/media/sticks", "/srv", "/media"] { #expect(policy.applied(to: path).mount == nil) }
    }
}

@Suite struct `The names of a picture` {
    @Test func `A name that is taken is followed by the next number, or by the same name with a number`() throws {
        let time = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0)
        let numbered = StillName(try FileNameTemplate(parsing: "p/%03n/%03n.jpg"), time, sequence: 7)
        #expect((0...2).map(numbered.path) == ["p/007/007.jpg", "p/008/008.jpg", "p/009/009.jpg"])
        let plain = StillName(try FileNameTemplate(parsing: "p.d/%H%M"), time, sequence: 7)
        #expect((0...2).map(plain.path) == ["p.d/0000", "p.d/0000-2", "p.d/0000-3"])
        #expect(StillName("p/.jpg").path(1) == "p/.jpg-2" && StillName("p/a.b.jpg").path(2) == "p/a.b-3.jpg")
    }

    @Test func `A combining character after a slash or a dot hides neither`() {
        #expect(StillFolder.path(of: "p/\u{301}a.jpg") == "p" && DeviceFiles.name(of: "p/\u{301}a") == "\u{301}a")
        #expect(StillName("p/a.\u{301}jpg").path(1) == "p/a-2.\u{301}jpg")
    }

    @Test func `A free name is found among many that are taken`() {
        var (names, checks) = (FreeNames(), 0)
        for taken in [0, 1, 5, 1000, 100_000] {
            let found = names.attempt(for: StillName("a.jpg")) { path in
                checks += 1
                let number = path.dropFirst(2).prefix { $0.isNumber }
                return path == "a.jpg" ? taken > 0 : Int(number).map { $0 - 1 < taken } ?? false
            }
            #expect(found == taken)
        }
        #expect(checks < 200)
    }
}
