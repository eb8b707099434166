// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

/// Requests to an S3 store that do not use the code under test. The region is `us-east-1`, the key `test:tester` and
/// the secret `testing`.
struct S3Client {
    let port: Int
    let folder: TestFolder
    let bucket: String

    init(port: Int, folder: TestFolder, bucket: String) {
        (self.port, self.folder, self.bucket) = (port, folder, bucket)
    }

    /// Skips the test if there is no store.
    init(_ folder: TestFolder) throws {
        guard let address = ProcessInfo.processInfo.environment["GST_CAPTURE_S3"],
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { try SkippedTest.skip("GST_CAPTURE_S3 is not set: it is the address of an S3 store at 127.0.0.1") }
        try folder.write("key", "testing\n")
        self.init(port: port, folder: folder, bucket: "bucket-" + UUID().uuidString.lowercased())
    }

    func makeBucket() async throws { _ = try await request("PUT", "/\(bucket)") }

    /// The objects below `prefix/`, by their names without it.
    func objects() async throws -> [String: [UInt8]] {
        var objects: [String: [UInt8]] = [:]
        let list = String(decoding: try await request("GET", "/\(bucket)"), as: UTF8.self)
        for part in list.components(separatedBy: "<Key>").dropFirst() {
            let key = String(part.prefix { $0 != "<" })
            objects[String(key.trimmingPrefix("prefix/"))] = Array(try await request("GET", "/\(bucket)/\(key)"))
        }
        return objects
    }

    /// The number of uploads in parts that are neither complete nor aborted.
    func openUploads() async throws -> Int {
        let list = String(decoding: try await request("GET", "/\(bucket)", query: "uploads="), as: UTF8.self)
        return list.components(separatedBy: "<UploadId>").count - 1
    }

    private func request(_ method: String, _ path: String, query: String = "") async throws -> Data {
        let python = try TestProcess.path("python3", advice: "apt install python3")
        let file = folder.path + "/answer"
        let messages = try await TestProcess.run(python, ["-c", Self.script, method, "\(port)", path, query, file])
        #expect(messages.isEmpty)
        return FileManager.default.contents(atPath: file) ?? Data()
    }

    /// Signs a request with version 4 of AWS's signature.
    private static let script = #"""
        import hashlib, hmac, http.client, sys, time
        method, port, path, query, file = sys.argv[1:]
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = date[:8] + "/us-east-1/s3/aws4_request"
        empty, host = hashlib.sha256().hexdigest(), "127.0.0.1:" + port
        names = "host;x-amz-content-sha256;x-amz-date"
        heads = ["host:" + host, "x-amz-content-sha256:" + empty, "x-amz-date:" + date]
        lines = [method, path, query] + heads + ["", names, empty]
        hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        key = b"AWS4testing"
        for word in scope.split("/"): key = hmac.digest(key, word.encode(), "sha256")
        sign = hmac.digest(key, "\n".join(["AWS4-HMAC-SHA256", date, scope, hash]).encode(), "sha256").hex()
        connection = http.client.HTTPConnection("127.0.0.1", int(port))
        connection.request(method, path + "?" + query, headers={
            "x-amz-content-sha256": empty, "x-amz-date": date, "Authorization":
            f"AWS4-HMAC-SHA256 Credential=test:tester/{scope}, SignedHeaders={names}, Signature={sign}"})
        answer = connection.getresponse()
        with open(file, "wb") as target: target.write(answer.read())
        if answer.status >= 300: print(answer.status, open(file, "rb").read())
        """#
}
#endif
