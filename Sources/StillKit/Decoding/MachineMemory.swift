// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The memory that this process may use.
enum MachineMemory {
    /// The bytes of the machine's memory, or of the smallest limit of the process's control groups (cgroups(7)).
    static var byteCount: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let machine = pages > 0 && pageSize > 0 ? pages * pageSize : 1 << 30
        let groups = text("/proc/self/cgroup").map { limits(ofGroups: $0, read: text) } ?? []
        return groups.reduce(machine, min)
    }

    /// Returns the limits of the control groups in `/proc/self/cgroup`, and of those above them. Groups without a limit
    /// are left out.
    ///
    /// - Parameter read: Returns the content of a file; `nil` if it does not exist.
    static func limits(ofGroups groups: String, read: (String) -> String?) -> [Int] {
        groups.split(separator: "\n").flatMap { line -> [Int] in
            // hierarchy:controllers:path; version 2 has no controllers.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            let isVersion2 = fields[1].isEmpty
            guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { return [] }
            let root = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            let names = isVersion2 ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
            return folders(fields[2]).flatMap { folder in
                names.compactMap { name in read("\(root)\(folder)/\(name)").flatMap(number) }
            }
        }
    }

    /// Returns a path and all paths above it, without a slash at the end.
    private static func folders(_ path: Substring) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { count in names.prefix(count).map { "/" + $0 }.joined() }
    }

    private static func number(_ text: String) -> Int? {
        Int(text.prefix { $0 != "\n" }).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
