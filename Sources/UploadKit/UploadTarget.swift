// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A place to which pictures are sent.
package struct UploadTarget: Sendable, Hashable {
    /// The protocol of a target, with what only that protocol has.
    package enum Service: Sendable, Hashable {
        /// An S3 store; requests are signed with version 4 of AWS's signature.
        case s3(S3)
        /// A WebDAV server (RFC 4918).
        case webdav(Login)
        /// An SFTP server, which this machine knows by its host key.
        case sftp(SFTP)
        /// An HTTP server with requests of any form.
        case http(HTTP)
        /// A remote of rclone, which is installed on this machine.
        case rclone
    }

    /// The bucket of an S3 store.
    package struct S3: Sendable, Hashable {
        /// The region in signatures, such as `eu-central-1`.
        package var region = "us-east-1"
        /// The ID of the access key.
        package var keyID: String
        /// The secret access key.
        package var secret: SecretSource

        package init(region: String = "us-east-1", keyID: String, secret: SecretSource) {
            (self.region, self.keyID, self.secret) = (region, keyID, secret)
        }
    }

    /// The name and the password of a user; both can be missing.
    package struct Login: Sendable, Hashable {
        package var user: String?
        package var password: SecretSource?

        package init(user: String? = nil, password: SecretSource? = nil) {
            (self.user, self.password) = (user, password)
        }
    }

    /// The login at an SFTP server.
    package struct SFTP: Sendable, Hashable {
        package var user: String
        /// The path of the private key, whose public key is beside it in `.pub`; `nil` for a password.
        package var keyFile: String?
        /// The password, or the passphrase of the key.
        package var password: SecretSource?
        /// The SHA-256 of the server's host key, in Base64 as OpenSSH prints it, without `SHA256:`.
        package var hostKey: String

        package init(user: String, keyFile: String? = nil, password: SecretSource? = nil, hostKey: String) {
            (self.user, self.keyFile, self.password, self.hostKey) = (user, keyFile, password, hostKey)
        }
    }

    /// The form of requests to an HTTP server.
    package struct HTTP: Sendable, Hashable {
        package enum Method: String, Sendable, Hashable, CaseIterable {
            /// The picture is the body of `PUT`; the address ends with its name.
            case put
            /// The picture is a part of a form (`multipart/form-data`), after its fields.
            case post
        }

        package var method = Method.put
        package var login = Login()
        /// Headers of each request, in order. Each value is a template, and can have `{secret}`.
        package var headers: [Field] = []
        /// The fields of a form, in order. Each value is a template.
        package var fields: [Field] = []
        /// The name of the part with the picture.
        package var fileField = "file"
        /// The value of `{secret}` in headers.
        package var secret: SecretSource?
        /// `true` if pictures can be erased with `DELETE` at the address at which `PUT` created them.
        package var canErase = false

        package init() {}
    }

    /// A header or a field of a form.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The ID: 1 to 32 letters, digits and dashes.
    package var id: String
    package var service: Service
    /// The address, without a user and a password. For `s3` with the bucket and a prefix
    /// (`https://host/bucket/prefix`), for `rclone` a remote and its folder (`remote:folder`). For `http` with `post`
    /// it is a template.
    package var address: String
    /// The certificates of the authority that signs that of the server (PEM); `nil` for those of the system.
    package var authorityFile: String?
    /// The maximum rate, in bytes a second; `nil` without limit.
    package var byteRate: Int?

    /// `true` if the target can erase pictures.
    package var canErase: Bool { if case .http(let http) = service { http.canErase } else { true } }

    /// `true` if pictures that were sent can be fetched again. The answer to a form does not have their address.
    package var canFetch: Bool { if case .http(let http) = service { http.method == .put } else { true } }

    package init(id: String, service: Service, address: String) {
        (self.id, self.service, self.address) = (id, service, address)
    }
}

/// The place of a password or a key. It is read for each connection, so a new one is effective at once.
package enum SecretSource: Sendable, Hashable {
    /// The first line of a file that other users cannot read.
    case file(String)
    /// A variable of the environment.
    case variable(String)
    /// A credential of the service manager (`LoadCredential=`, systemd.exec(5)).
    case credential(String)
}
