// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc
import PipelineKit

extension HealthCheck {
    /// Checks the free space of the folder for pictures, its permissions, and how long a durable write takes.
    static func disk(_ folder: String) -> [HealthCheck] {
        guard let space = DiskSpace(at: folder) else {
            let reason = String(cString: strerror(errno))
            return [.failure("disk", "\(folder): \(reason)", "make the folder, or choose another", code: .cannotCreate)]
        }
        return [check(space.free, folder), durability(folder)]
    }

    private static func check(_ free: Int, _ folder: String) -> HealthCheck {
        let finding = "\(Wording.bytes(free)) free in \(folder)"
        if free < 20_000_000 { return .failure("disk", finding, "make room", code: .cannotCreate) }
        if free < 1_000_000_000 { return .warning("disk", finding, "some hundred pictures fill it: make room") }
        return .good("disk", finding)
    }

    private static func durability(_ folder: String) -> HealthCheck {
        var name = Array("\(folder)/.gst-capture-doctor-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            return .failure(
                "writing", "\(folder): \(String(cString: strerror(errno)))", "choose a folder that you may write to",
                code: .cannotCreate)
        }
        defer { close(descriptor) }
        unlink(name)
        return syncing(descriptor, in: folder)
    }

    // Writes as many bytes as a picture has, in the same way.
    private static func syncing(_ descriptor: Int32, in folder: String) -> HealthCheck {
        let bytes = [UInt8](repeating: 0x55, count: 500_000)
        let start = PipelineClock.system.now
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let reason = String(cString: strerror(errno))
            return .failure("writing", "\(folder): \(reason)", "check the disk", code: .inputOutput)
        }
        let span = PipelineClock.system.now - start
        let finding = "a picture is safe on disk after \(Wording.span(span))"
        guard span > .milliseconds(250) else { return .good("writing", finding) }
        return .warning("writing", finding, "shorter intervals than that cannot be kept: use a faster disk")
    }
}
