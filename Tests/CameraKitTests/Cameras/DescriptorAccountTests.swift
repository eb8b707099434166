// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import Testing

@testable import CameraKit

@Suite("Descriptors used by attempts to open a camera")
struct DescriptorAccountTests {
    private let account = DescriptorAccount(open: 30, limit: 1024, buffers: 0, bufferBytes: 0, memory: 1 << 30)

    @Test("Enough descriptors and enough memory are not an error")
    func enough() {
        var account = account
        #expect(account.exhaustion(of: "/dev/video0") == nil)
        (account.open, account.buffers, account.bufferBytes) = (960, 930, 1 << 28)
        #expect(account.exhaustion(of: "/dev/video0") == nil)
        account = DescriptorAccount(open: 30, limit: 64, buffers: 0, bufferBytes: 0, memory: 1 << 30)
        #expect(account.exhaustion(of: "/dev/video0") == nil, "few are enough for one camera")
    }

    @Test("Too few free descriptors for pictures are an error that ends the process")
    func fewLeft() throws {
        var account = account
        (account.open, account.buffers, account.bufferBytes) = (961, 930, 150_000_000)
        let error = try #require(account.exhaustion(of: "/dev/video0"))
        #expect(error.code == .wedged && error.code.exitStatus == 71)
        #expect(error.message.hasPrefix("63 of 1024 descriptors are left: GStreamer holds 930 buffers with "))
    }

    @Test("Kept buffers of a quarter of the memory, or more descriptors than allowed, are an error")
    func memory() {
        var account = account
        account.bufferBytes = 1 << 28 + 1
        #expect(account.exhaustion(of: "scene")?.code == .wedged)
        account = DescriptorAccount(open: 80, limit: 20, buffers: 0, bufferBytes: 0, memory: 1 << 30)
        #expect(account.exhaustion(of: "scene")?.code == .wedged)
    }

    @Test("The current counts of descriptors come from the kernel")
    func current() throws {
        let before = DescriptorAccount.current()
        #expect(before.open > 2 && before.limit >= before.open)
        #expect(before.buffers == 0 && before.bufferBytes == 0 && before.memory > 1 << 26)
    }
}
