// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Testing

@testable import CaptureKit

@Suite("Descriptors that attempts to open a camera cost")
struct DescriptorAccountTests {
    private let account = DescriptorAccount(open: 30, limit: 1024, buffers: 0, bufferBytes: 0, memory: 1 << 30)

    @Test("are no matter while there are enough of them, and memory")
    func enough() {
        var account = account
        #expect(account.exhaustion(of: "/dev/video0") == nil)
        (account.open, account.buffers, account.bufferBytes) = (960, 930, 1 << 28)
        #expect(account.exhaustion(of: "/dev/video0") == nil)
        account = DescriptorAccount(open: 30, limit: 64, buffers: 0, bufferBytes: 0, memory: 1 << 30)
        #expect(account.exhaustion(of: "/dev/video0") == nil, "few are enough for one camera")
    }

    @Test("end the process before there are none left for pictures")
    func fewLeft() throws {
        var account = account
        (account.open, account.buffers, account.bufferBytes) = (961, 930, 150_000_000)
        let error = try #require(account.exhaustion(of: "/dev/video0"))
        #expect(error.code == .wedged && error.code.exitStatus == 71)
        #expect(error.message.hasPrefix("63 of 1024 descriptors are left: GStreamer has kept 930 buffers with "))
    }

    @Test("end it before a quarter of the memory is lost behind them, or where there may be fewer than there are")
    func memory() {
        var account = account
        account.bufferBytes = 1 << 28 + 1
        #expect(account.exhaustion(of: "scene")?.code == .wedged)
        account = DescriptorAccount(open: 80, limit: 20, buffers: 0, bufferBytes: 0, memory: 1 << 30)
        #expect(account.exhaustion(of: "scene")?.code == .wedged)
    }

    @Test("are counted as the kernel has them")
    func current() throws {
        let before = DescriptorAccount.current()
        #expect(before.open > 2 && before.limit >= before.open)
        #expect(before.buffers == 0 && before.bufferBytes == 0 && before.memory > 1 << 26)
    }
}
