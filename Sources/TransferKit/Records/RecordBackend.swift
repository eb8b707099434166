// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import UploadKit

/// The addresses of a backend of records, and its credentials.
package struct RecordBackend: Sendable, Hashable {
    /// The credentials that a backend demands.
    package enum Credentials: Sendable, Hashable {
        /// A token (`Authorization: Bearer`).
        case token(SecretSource)
        /// A user and a password (`Authorization: Basic`); nothing without a user.
        case login(UploadTarget.Login)
    }

    /// The address of a bucket, such as `https://host/v1/buckets/site1`.
    package var records: String
    /// The address of the files, such as `https://host/v1/blobs`; `nil` for `blobs` beside `buckets`.
    package var blobs: String?
    package var credentials: Credentials
    /// The credentials for files; `nil` for those of records.
    package var blobCredentials: Credentials?
    /// The certificates of the authority that signs that of the server (PEM); `nil` for those of the system.
    package var authorityFile: String?

    package init(records: String, blobs: String? = nil, credentials: Credentials = .login(.init())) {
        (self.records, self.blobs, self.credentials) = (records, blobs, credentials)
    }
}
#endif
