// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The arguments of this process, as other users of the machine see them (`ps`, `/proc/PID/cmdline`).
package enum ProcessArguments {
    /// Replaces secrets in the arguments, such as the password of `--source`, by `***` from now on, for other processes
    /// only: ``CommandLine/arguments`` keeps them. Call it first, before other threads run.
    package static func hideSecrets() {
        // Swift copies the arguments when it is first asked for them.
        guard CommandLine.arguments.contains(where: { $0.withoutSecrets != $0 }), let memory = memory else { return }
        var start = memory.startIndex
        while start < memory.endIndex {
            let end = memory[start...].firstIndex(of: 0) ?? memory.endIndex
            let argument = String(decoding: memory[start..<end], as: UTF8.self)
            let safe = argument.withoutSecrets
            if safe != argument {
                let bytes = Array(safe.utf8)
                for index in start..<end { memory[index] = index - start < bytes.count ? bytes[index - start] : 0 }
            }
            start = end + 1
        }
    }

    /// The memory that the kernel shows as this process's arguments (`arg_start` and `arg_end` of proc(5)); `nil` if it
    /// is not known. Each argument ends in a NUL.
    private static var memory: UnsafeMutableBufferPointer<UInt8>? {
        guard let status = try? RegularFile.read("/proc/self/stat", most: 4096) else { return nil }
        // The name of the program is in parentheses, and may contain spaces. After it comes the third field.
        let fields = String(decoding: status, as: UTF8.self).split(separator: ") ").last?.split(separator: " ") ?? []
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start < end,
            let pointer = UnsafeMutablePointer<UInt8>(bitPattern: start)
        else { return nil }
        return UnsafeMutableBufferPointer(start: pointer, count: Int(end - start))
    }
}
