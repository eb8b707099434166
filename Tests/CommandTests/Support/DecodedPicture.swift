// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

/// A picture as decoded by `djpeg`, which prints nothing if the file is whole.
struct DecodedPicture {
    let size: String

    init(_ jpeg: Data) throws {
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        let process = try ChildProgram(
            ["djpeg", "-pnm"], input: .pipe(input), output: .pipe(output), error: .pipe(errors))
        try input.fileHandleForWriting.write(contentsOf: jpeg)
        try input.fileHandleForWriting.close()
        let head = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(process.wait() == 0 && complaints.isEmpty)
        size =
            String(decoding: head.prefix(20), as: UTF8.self).split(separator: "\n").dropFirst().first.map(String.init)
            ?? ""
    }
}
