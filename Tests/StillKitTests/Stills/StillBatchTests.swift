// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import StillKit

@Suite("Batches of files")
struct StillBatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ number: Int) -> String { "\(folder.path)/\(number % 7)/\(number).xmp" }

    private func content(_ number: Int) -> String? { try? String(contentsOfFile: path(number), encoding: .utf8) }

    private func makeFolders() throws { for number in 0..<7 { try StillFolder.make("\(folder.path)/\(number)") } }

    @Test("No file has its name before the end of the batch, and each has its content then", arguments: [1, 3, 50])
    func complete(count: Int) throws {
        try makeFolders()
        try Data("old".utf8).write(to: URL(filePath: path(0)))
        let batch = StillBatch()
        for number in 0..<count {
            _ = try batch.add(Array("\(number)".utf8), at: path(number), overwrites: number == 0)
        }
        #expect((0..<count).map(content) == (0..<count).map { $0 == 0 ? "old" : nil })
        try batch.finish()
        #expect((0..<count).map(content) == (0..<count).map { "\($0)" })
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(names.count == count + 7, "\(names)")
    }

    @Test("A name that is taken is the failure of one file, and the others get theirs")
    func taken() throws {
        try makeFolders()
        let batch = StillBatch()
        let files = try (0..<9).map { try batch.add(Array("\($0)".utf8), at: path($0), overwrites: false) }
        try Data("theirs".utf8).write(to: URL(filePath: path(4)))
        try batch.finish()
        #expect(files.map { $0.failure?.systemError } == (0..<9).map { $0 == 4 ? EEXIST : nil })
        #expect((0..<9).map(content) == (0..<9).map { $0 == 4 ? "theirs" : "\($0)" })
    }

    @Test("A file in a missing folder is refused, and the others are written")
    func missing() throws {
        try StillFolder.make("\(folder.path)/1")
        let batch = StillBatch()
        #expect(throws: CaptureError.self) { _ = try batch.add([1], at: path(0), overwrites: false) }
        _ = try batch.add([0x31], at: path(1), overwrites: false)
        try batch.finish()
        #expect(content(1) == "1")
    }
}
