// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A picture as decoded by `djpeg`, which prints nothing if the file is whole.
struct DecodedPicture {
    let size: String

    init(_ jpeg: Data) throws {
        let process = Process()
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/djpeg")
        process.arguments = ["-pnm"]
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: jpeg)
        try input.fileHandleForWriting.close()
        let head = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && complaints.isEmpty)
        size =
            String(decoding: head.prefix(20), as: UTF8.self).split(separator: "\n").dropFirst().first.map(String.init)
            ?? ""
    }
}
