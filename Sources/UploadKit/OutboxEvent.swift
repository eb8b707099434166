// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// An event of a sender.
package enum OutboxEvent: Sendable {
    /// A target has confirmed a picture.
    case sent(UploadJob, Confirmation)
    /// A target has erased a picture.
    case erased(UploadJob)
    /// A picture is not sent until a person wants it to be sent.
    case dead(UploadJob)
    /// The condition of a target has changed.
    case target(TargetState)
    /// A ledger or the store cannot be read. It is reported once until it can.
    case trouble(CaptureError)
}

extension UploadTarget {
    /// The files with the password and the key.
    var secretFiles: [String] {
        let secrets: [SecretSource?]
        var files: [String] = []
        switch service {
        case .s3(let s3): secrets = [s3.secret]
        case .webdav(let login): secrets = [login.password]
        case .sftp(let sftp):
            secrets = [sftp.password]
            if let file = sftp.keyFile { files.append(file) }
        case .http(let http): secrets = [http.login.password, http.secret]
        case .rclone: secrets = []
        }
        for case .file(let path) in secrets.compactMap({ $0 }) { files.append(path) }
        return files
    }
}
