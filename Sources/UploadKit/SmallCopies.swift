// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import Glibc
import StillKit

/// Small copies of pictures on their way to targets: JPEGs in a folder of the outbox. The same picture always has the same
/// copy.
struct SmallCopies: Sendable {
    /// The maximum width, in pixels.
    static let width = 1280

    private let folder: String

    init(folder: String) { self.folder = folder }

    /// Removes the copies of an earlier process. Blocks.
    func clear() { for name in DeviceFiles.names(in: folder) { unlink(folder + "/" + name) } }

    /// Makes the copy of a job's picture.
    ///
    /// - Throws: `TransferFault` if the picture is gone, has changed, or is damaged.
    func make(of job: UploadJob) async throws(TransferFault) -> Upload {
        guard job.picture.fileExtension.lowercased() != "mp4" else { throw .refused("a clip has no small copy") }
        let bytes = try await BlockingWork.run { () throws(TransferFault) in try Self.bytes(of: job.picture) }
        do throws(CaptureError) {
            let format = StillFormat(fileName: job.picture.path) ?? .raw
            let copy = try await StillCoding.thumbnail(of: bytes, format, width: Self.width)
            let path = path(job)
            try await BlockingWork.run { () throws(CaptureError) in
                try PrivateFolder.make(DeviceFiles.folder(of: path))
                try StillStore(overwrites: true, latest: nil, isPrivate: true).write(copy, to: path)
            }
            var upload = job.upload
            (upload.path, upload.byteCount, upload.sha256) = (path, copy.count, SHA256.digits(of: copy))
            upload.values["sha256"] = upload.sha256
            upload.values["bytes"] = "\(copy.count)"
            return upload
        } catch {
            if Task.isCancelled { throw .canceled }
            // Too many pictures are decoded: this one is tried again.
            if error.code == .temporary { throw .damaged(error.summary) }
            throw .refused("no small copy can be made: \(error.summary)")
        }
    }

    /// Removes the copy of a job. Blocks.
    func remove(_ job: UploadJob) { unlink(path(job)) }

    private func path(_ job: UploadJob) -> String { folder + "/\(job.id).jpg" }

    private static func bytes(of picture: UploadPicture) throws(TransferFault) -> [UInt8] {
        guard let bytes = try? RegularFile.read(picture.path, most: picture.byteCount + 1) else {
            throw .gone("the file is gone")
        }
        guard SHA256.digits(of: bytes) == picture.sha256 else {
            throw .changed("the file has changed since it was recorded")
        }
        return bytes
    }
}
