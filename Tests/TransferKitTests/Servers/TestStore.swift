// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing
import UploadKit

/// A real server of each protocol.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case nginx, apache, sshd, http, rclone, s3

    var testDescription: String { rawValue }
}

/// A server that a test has started, with its folder.
final class TestStore: Sendable {
    // Released first: a server that runs would write into its folder again.
    private let process: TestProcess?
    /// A folder for the files of the test.
    let folder: TestFolder
    let port: Int
    private let kind: StoreKind
    /// The folder in which the server stores files, or the name of the bucket.
    private let root: String

    private init(_ kind: StoreKind, _ folder: TestFolder, _ port: Int, _ process: TestProcess?, _ root: String) {
        (self.kind, self.folder, self.port, self.process, self.root) = (kind, folder, port, process, root)
    }

    /// Starts a server. Skips the test if it is not installed.
    static func start(_ kind: StoreKind) async throws -> TestStore {
        let folder = try TestFolder()
        try folder.write("password", "secret\n")
        try folder.write("wrong", "mistake\n")
        // SHA-1 in Base64: both servers know this form.
        try folder.write("users", "user:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n", mode: 0o644)
        let root = try folder.makeFolder("root")
        switch kind {
        case .nginx: return try await startNginx(folder, root)
        case .apache: return try await startApache(folder, root)
        case .sshd: return try await startSSHD(folder, root)
        case .http:
            let server = try await ScriptedServer.start(root)
            _ = try folder.makeFolder("root/plain/2026/05")
            return TestStore(kind, folder, server.port, server.process, root + "/plain")
        case .rclone: return try await startRclone(folder, root)
        case .s3: return try await startS3(folder)
        }
    }

    /// The target of the server.
    ///
    /// - Parameters:
    ///   - port: That of a proxy; `nil` for the server's own.
    ///   - isWrong: Uses a wrong password or key.
    func target(port: Int? = nil, isWrong: Bool = false) -> UploadTarget {
        let port = port ?? self.port
        let secret = SecretSource.file(folder.path + (isWrong ? "/wrong" : "/password"))
        let login = UploadTarget.Login(user: "user", password: secret)
        let server = "127.0.0.1:\(port)"
        switch kind {
        case .nginx, .apache:
            return UploadTarget(id: "t", service: .webdav(login), address: "http://\(server)")
        case .sshd:
            let key = folder.path + (isWrong ? "/other" : "/user")
            let login = UploadTarget.SFTP(user: NSUserName(), keyFile: key, hostKey: hostKey)
            return UploadTarget(id: "t", service: .sftp(login), address: "sftp://\(server)\(root)/a%20\"b%27\\c")
        case .http:
            var settings = UploadTarget.HTTP()
            (settings.login, settings.canErase) = (login, true)
            return UploadTarget(id: "t", service: .http(settings), address: "http://\(server)/plain")
        case .rclone:
            // The address of a remote without a configuration.
            let remote = ":webdav,url='http://\(server)',vendor=other,user=user,pass=\(isWrong ? wrongWord : word):"
            return UploadTarget(id: "t", service: .rclone, address: remote)
        case .s3:
            let bucket = UploadTarget.S3(keyID: "test:tester", secret: isWrong ? secret : .file(folder.path + "/key"))
            return UploadTarget(id: "t", service: .s3(bucket), address: "http://\(server)/\(root)/prefix")
        }
    }

    /// The files that the server has, by their names, with those whose upload is not complete.
    func files() async throws -> [String: [UInt8]] {
        if kind == .s3 { return try await s3.objects() }
        let folder = kind == .sshd ? root + "/a \"b'\\c" : root
        return TestFolder.files(folder).filter { $0.key != "head" }
    }

    /// The S3 store with the bucket of the test.
    var s3: S3Client { S3Client(port: port, folder: folder, bucket: root) }

    // MARK: Servers

    private static func startNginx(_ folder: TestFolder, _ root: String) async throws -> TestStore {
        let program = try TestProcess.path("nginx", advice: "apt install nginx-light")
        let (port, path) = (TestProcess.freePort(), folder.path)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(path)/\($0);" }
        try folder.write(
            "nginx.conf",
            """
            daemon off; master_process off; pid \(path)/pid; error_log stderr notice; events {}
            http {
                access_log off; client_max_body_size 100m; \(temporary.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port); root \(root);
                    location / {
                        dav_methods PUT DELETE MKCOL MOVE; auth_basic x; auth_basic_user_file \(path)/users;
                    }
                }
            }
            """)
        let process = try TestProcess(program, ["-c", path + "/nginx.conf", "-p", path, "-e", "stderr"])
        try await process.wait(for: "event method")
        return TestStore(.nginx, folder, port, process, root)
    }

    private static func startApache(_ folder: TestFolder, _ root: String) async throws -> TestStore {
        let program = try TestProcess.path("apache2", advice: "apt install apache2")
        _ = try TestProcess.path("mod_dav_fs.so", advice: "apt install apache2-bin")
        let (port, path) = (TestProcess.freePort(), folder.path)
        let modules = [
            "mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_basic", "dav", "dav_fs",
        ]
        try folder.write(
            "apache.conf",
            modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n" }.joined()
                + """
                ServerName localhost
                Listen 127.0.0.1:\(port)
                PidFile \(path)/pid
                Mutex file:\(path)
                ErrorLog /dev/stderr
                LogLevel notice
                User www-data
                Group www-data
                DocumentRoot \(root)
                DavLockDB \(path)/locks
                <Directory \(root)>
                    Dav On
                    AuthType Basic
                    AuthName x
                    AuthUserFile \(path)/users
                    Require valid-user
                </Directory>
                """)
        let process = try TestProcess(program, ["-d", path, "-f", path + "/apache.conf", "-D", "FOREGROUND"])
        try await process.wait(for: "resuming normal operations")
        return TestStore(.apache, folder, port, process, root)
    }

    private static func startSSHD(_ folder: TestFolder, _ root: String) async throws -> TestStore {
        let program = try TestProcess.path("sshd", advice: "apt install openssh-server")
        let generator = try TestProcess.path("ssh-keygen", advice: "apt install openssh-client")
        let (port, path) = (TestProcess.freePort(), folder.path)
        for key in ["host", "user", "other"] {
            _ = try await TestProcess.run(generator, ["-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(key)"])
        }
        let print = try await TestProcess.run(generator, ["-lf", path + "/host.pub"])
        try folder.write("pin", String(print.split(separator: " ")[1].dropFirst("SHA256:".count)))
        // sshd demands this folder if it is started as root.
        mkdir("/run/sshd", 0o755)
        try folder.write(
            "sshd.conf",
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(path)/host
            AuthorizedKeysFile \(path)/user.pub
            PasswordAuthentication no
            UsePAM no
            StrictModes no
            PidFile none
            Subsystem sftp internal-sftp
            """)
        let process = try TestProcess(program, ["-D", "-e", "-f", path + "/sshd.conf"])
        try await process.wait(for: "Server listening")
        return TestStore(.sshd, folder, port, process, root)
    }

    private static func startRclone(_ folder: TestFolder, _ root: String) async throws -> TestStore {
        let program = try TestProcess.path("rclone", advice: "apt install rclone")
        for (file, word) in [("word", "secret"), ("wrong-word", "mistake")] {
            try folder.write(file, try await TestProcess.run(program, ["obscure", word]))
        }
        let port = TestProcess.freePort()
        let process = try TestProcess(
            program, ["serve", "webdav", root, "--addr", "127.0.0.1:\(port)", "--user", "user", "--pass", "secret"])
        try await process.wait(for: "Server started")
        return TestStore(.rclone, folder, port, process, root)
    }

    /// Makes a bucket in the store at `GST_CAPTURE_S3`.
    private static func startS3(_ folder: TestFolder) async throws -> TestStore {
        let client = try S3Client(folder)
        try await client.makeBucket()
        return TestStore(.s3, folder, client.port, nil, client.bucket)
    }

    private var hostKey: String { text("pin") }
    private var word: String { text("word") }
    private var wrongWord: String { text("wrong-word") }

    private func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
#endif
