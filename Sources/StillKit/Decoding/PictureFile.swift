// Part of gst-capture. Apache License 2.0, see LICENSE.

import CPictures
import CaptureBase
import Synchronization

/// A JPEG or PNG file of any origin, which is decoded row by row.
///
/// Every color model that occurs in files becomes red, green, blue and alpha of 8 bits: gray, palettes, 16 bits, CMYK
/// and YCCK (without color profiles, as browsers do it).
package struct PictureFile: Sendable {
    /// The subject of errors: only the caller knows the origin of the file.
    package static let subject = "still"

    package let bytes: [UInt8]
    package let format: StillFormat
    /// The size in pixels as stored, before it is turned upright.
    package let width: Int, height: Int
    /// The memory in bytes that decoding takes beside the rows: all of an interlaced or progressive picture.
    package let workBytes: Int
    /// `true` if pixels can be transparent.
    package let hasAlpha: Bool
    /// GStreamer's name of the format of ``decodePlanes(into:isStrict:until:)``, such as `I420`; `nil` for pictures of other
    /// color models.
    package let planeFormat: String?

    /// Reads the header of a file. Blocks.
    ///
    /// - Parameter format: JPEG or PNG.
    /// - Throws: ``CaptureError`` `.inputOutput` if the file is damaged, `.noInput` if its kind cannot be read, and
    ///   `.usage` for another format.
    package init(_ bytes: [UInt8], _ format: StillFormat) throws(CaptureError) {
        (self.bytes, self.format) = (bytes, format)
        let header = try Self.read(bytes, format) { (reader) throws(CaptureError) in reader.header }
        (width, height) = (Int(header.width), Int(header.height))
        (workBytes, hasAlpha) = (Int(clamping: header.work_bytes), header.has_alpha)
        planeFormat = Self.planeFormat(header)
    }

    private static func planeFormat(_ header: cpic_header) -> String? {
        switch (header.plane_count, header.across, header.down) {
        case (1, _, _): "GRAY8"
        case (3, 1, 1): "Y444"
        case (3, 2, 1): "Y42B"
        case (3, 4, 1): "Y41B"
        case (3, 2, 2): "I420"
        default: nil
        }
    }

    /// Decodes the picture. Blocks.
    ///
    /// - Parameters:
    ///   - divisor: 1, 2, 4 or 8: a JPEG is decoded at this fraction of its size, rounded up.
    ///   - isStrict: `true` to refuse a JPEG with damaged parts, which can be decoded nevertheless.
    ///   - flag: Ends the call with an error.
    ///   - begin: Receives the size of the rows.
    ///   - add: Receives each row with its number.
    /// - Throws: ``CaptureError`` `.inputOutput` if the file is damaged, `.noInput` if its kind cannot be read,
    ///   `.temporary` if the flag is set or there is no memory.
    package func decode(
        divisor: Int = 1, isStrict: Bool, until flag: CancelFlag,
        begin: (_ width: Int, _ height: Int) -> Void = { _, _ in },
        add: (UnsafeBufferPointer<SIMD4<UInt8>>, Int) -> Void
    ) throws(CaptureError) {
        try Self.read(bytes, format) { (reader) throws(CaptureError) in
            try reader.decode(divisor: divisor, until: flag, begin: begin, add: add)
            if isStrict { try reader.checkUndamaged() }
        }
    }

    /// The memory of a plane: its first byte, and the bytes from one row to the next.
    package typealias Plane = (start: UnsafeMutablePointer<UInt8>, stride: Int)

    /// Decodes a JPEG with a ``planeFormat`` into the planes of a frame of that format and size, with full levels
    /// (0...255) and without conversion of its color. Blocks.
    ///
    /// - Parameters:
    ///   - planes: One plane for gray, and three for others, with room for all rows.
    ///   - isStrict: `true` to refuse a JPEG with damaged parts, which can be decoded nevertheless.
    ///   - flag: Ends the call with an error.
    /// - Throws: As ``decode(divisor:isStrict:until:begin:add:)``.
    package func decodePlanes(into planes: [Plane], isStrict: Bool, until flag: CancelFlag) throws(CaptureError) {
        try Self.read(bytes, format) { (reader) throws(CaptureError) in
            try reader.decodePlanes(into: planes, until: flag)
            if isStrict { try reader.checkUndamaged() }
        }
    }

    /// The largest divisor with which a JPEG still has twice this size; 1 for a PNG.
    package func divisor(forWidth width: Int, height: Int) -> Int {
        guard format == .jpeg else { return 1 }
        return [8, 4, 2].first { self.width / $0 >= width * 2 && self.height / $0 >= height * 2 } ?? 1
    }

    private static func read<Result>(
        _ bytes: [UInt8], _ format: StillFormat, _ body: (borrowing PictureReader) throws(CaptureError) -> Result
    ) throws(CaptureError) -> Result {
        let result: Swift.Result<Result, CaptureError> = bytes.withUnsafeBufferPointer { bytes in
            do throws(CaptureError) {
                return .success(try body(try PictureReader(bytes, format)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Ends a call that blocks.
package final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package func set() { flag.store(true, ordering: .relaxed) }
    package var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Runs a call that blocks, on a thread of Dispatch, and sets its flag if the task is canceled.
    ///
    /// - Throws: The error of `body`.
    package static func run<Success: Sendable>(
        _ body: @escaping @Sendable (CancelFlag) throws(CaptureError) -> Success
    ) async throws(CaptureError) -> Success {
        let flag = CancelFlag()
        let result = await withTaskCancellationHandler {
            await BlockingWork.run { () -> Result<Success, CaptureError> in
                do throws(CaptureError) { return .success(try body(flag)) } catch { return .failure(error) }
            }
        } onCancel: {
            flag.set()
        }
        return try result.get()
    }
}

/// A file that is being read. The bytes must stay until its end.
private struct PictureReader: ~Copyable {
    private let reader: OpaquePointer
    private let format: StillFormat

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ format: StillFormat) throws(CaptureError) {
        var status = CPIC_OK
        let reader: OpaquePointer?
        switch format {
        case .jpeg: reader = cpic_open_jpeg(bytes.baseAddress, bytes.count, &status)
        case .png: reader = cpic_open_png(bytes.baseAddress, bytes.count, &status)
        case .webp, .raw:
            throw CaptureError(.usage, "\(format.rawValue) cannot be decoded", advice: "give a JPEG or PNG file")
        }
        guard let reader else { throw .noMemory }
        guard status == CPIC_OK else {
            defer { cpic_close(reader) }
            throw Self.error(status, reader, format)
        }
        (self.reader, self.format) = (reader, format)
    }

    deinit { cpic_close(reader) }

    var header: cpic_header { cpic_get_header(reader).pointee }

    func decode(
        divisor: Int, until flag: CancelFlag, begin: (Int, Int) -> Void,
        add: (UnsafeBufferPointer<SIMD4<UInt8>>, Int) -> Void
    ) throws(CaptureError) {
        defer { withExtendedLifetime(flag) {} }
        try check(cpic_start(reader, UInt32(divisor), Self.isSet, Unmanaged.passUnretained(flag).toOpaque()))
        let (width, height) = (Int(header.width), Int(header.height))
        begin(width, height)
        let row = UnsafeMutableBufferPointer<SIMD4<UInt8>>.allocate(capacity: width)
        defer { row.deallocate() }
        row.initialize(repeating: SIMD4())
        for y in 0..<height {
            let bytes = UnsafeMutableRawBufferPointer(row).assumingMemoryBound(to: UInt8.self)
            try check(cpic_read_row(reader, bytes.baseAddress))
            add(UnsafeBufferPointer(row), y)
        }
        try check(cpic_finish(reader))
    }

    func decodePlanes(into planes: [PictureFile.Plane], until flag: CancelFlag) throws(CaptureError) {
        defer { withExtendedLifetime(flag) {} }
        guard planes.count == Int(header.plane_count), let first = planes.first else {
            throw CaptureError(.software, "the frame has other planes than the picture", subject: PictureFile.subject)
        }
        let (second, third) = (planes.count > 1 ? planes[1] : first, planes.count > 2 ? planes[2] : first)
        var memory = cpic_planes(
            planes: (first.start, second.start, third.start), strides: (first.stride, second.stride, third.stride))
        try check(cpic_read_planes(reader, &memory, Self.isSet, Unmanaged.passUnretained(flag).toOpaque()))
    }

    private static let isSet: cpic_is_canceled = { context in
        guard let context else { return false }
        return Unmanaged<CancelFlag>.fromOpaque(context).takeUnretainedValue().isSet
    }

    func checkUndamaged() throws(CaptureError) {
        if cpic_is_damaged(reader) { throw Self.error(CPIC_DAMAGED, reader, format) }
    }

    private func check(_ status: cpic_status) throws(CaptureError) {
        if status != CPIC_OK { throw Self.error(status, reader, format) }
    }

    private static func error(_ status: cpic_status, _ reader: OpaquePointer, _ format: StillFormat) -> CaptureError {
        let kind = format == .jpeg ? "JPEG" : "PNG"
        let reason = String(cString: cpic_message(reader)).withoutControls
        let subject = PictureFile.subject
        return switch status {
        case CPIC_UNSUPPORTED:
            CaptureError(
                .noInput, "is a kind of \(kind) that cannot be read: \(reason)", subject: subject,
                advice: "save it as an ordinary JPEG or PNG")
        case CPIC_TOO_MANY_SCANS:
            CaptureError(
                .noInput, "has more than \(CPIC_MOST_SCANS) scans", subject: subject,
                advice: "save it as a JPEG that is not progressive")
        case CPIC_CANCELED: .canceledDecoding
        case CPIC_NO_MEMORY: .noMemory
        default:
            CaptureError(
                .inputOutput, "is not a complete \(kind) picture" + (reason.isEmpty ? "" : ": \(reason)"),
                subject: subject)
        }
    }
}

extension CaptureError {
    fileprivate static let noMemory = CaptureError(
        .temporary, "cannot be decoded: there is no memory", subject: PictureFile.subject)
}
