// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ConnectionKit
import Dispatch
import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceKit
import ServiceLifecycle

/// The protection of a running service: its tokens, certificate, sockets and limits.
struct ServeSafety: Sendable {
    let control: AccessControl
    /// The folder of the tokens and of the responses to requests; `nil` if there is none.
    let stateFolder: String?
    private let tls: TLSIdentity?
    private let claims: [String: SocketClaim]
    private let group: gid_t?
    private let hosts: [String]
    private let publicAddress: PublicAddress?
    private let isInsecure: Bool
    private let addresses: [ListenAddress]

    /// Reads the tokens and the certificate, and claims the Unix sockets that the program will open.
    ///
    /// - Parameters:
    ///   - sockets: The addresses that listen already, in place of the configuration's.
    ///   - state: The state folder; `nil` for the standard one.
    ///   - isInsecure: `true` to serve other machines without tokens.
    /// - Throws: `CaptureError` if a file or a socket cannot be used.
    static func open(
        _ configuration: ServiceConfiguration, sockets: [ListenAddress], state: String?, isInsecure: Bool
    ) async throws(CaptureError) -> ServeSafety {
        try await BlockingWork.run { () throws(CaptureError) in
            try ServeSafety(configuration, sockets, state: state, isInsecure: isInsecure)
        }
    }

    private init(
        _ configuration: ServiceConfiguration, _ sockets: [ListenAddress], state: String?, isInsecure: Bool
    ) throws(CaptureError) {
        // Other users must not use a Unix socket before it has its group and mode.
        umask(umask(0o077) | 0o002)
        let folder = state ?? ProgramFolders.state
        addresses = sockets.isEmpty ? configuration.addresses : sockets
        let isPublic = addresses.contains { !$0.isLocal }
        guard folder != nil || !isPublic || isInsecure else { throw CaptureError.noStateFolder }
        control = try AccessControl(folder.map(TokenFile.init(folder:)))
        stateFolder = folder
        tls = try configuration.safety.tls.map { files throws(CaptureError) in try TLSIdentity(files) }
        group = try configuration.safety.socketGroup.map { name throws(CaptureError) in try UserGroup.number(name) }
        var claims: [String: SocketClaim] = [:]
        if sockets.isEmpty {
            for case .unix(let path) in configuration.addresses {
                claims[path] = try SocketClaim(path, option: "--listen")
            }
        }
        (self.claims, hosts, self.isInsecure) = (claims, configuration.safety.hosts, isInsecure)
        publicAddress = configuration.safety.address
    }

    /// Returns who may use an address.
    func access(to address: ListenAddress) -> ListenerAccess {
        let isSocket = if case .unix = address { true } else { false }
        return ListenerAccess(
            control: control, reach: isSocket ? .socket : address.isLocal ? .machine : .network,
            isTLS: tls != nil && !isSocket, isInsecure: isInsecure, hosts: hosts, publicAddress: publicAddress)
    }

    /// Returns the certificate of an address; `nil` for a Unix socket.
    func tls(at address: ListenAddress) -> TLSIdentity? { access(to: address).isTLS ? tls : nil }

    /// Lets the group use the socket of an address.
    func share(_ address: ListenAddress) async throws(CaptureError) {
        guard case .unix(let path) = address, let claim = claims[path] else { return }
        let group = group
        try await BlockingWork.run { () throws(CaptureError) in try claim.share(with: group) }
    }

    /// The warnings about each address, for the log of each start.
    var warnings: [String] {
        let ports = addresses.filter { !$0.isLocal }
        let lines = (ports.map(\.description) + (publicAddress.map { [$0.description] } ?? [])).compactMap { address in
            if isInsecure {
                return "\(address): every machine that reaches it may do everything, because of --insecure"
            }
            return control.isConfigured
                ? nil : "\(address): there is no token yet; gst-capture serve pair creates the first"
        }
        return lines + (tls == nil ? ports.map { "\($0): tokens and pictures are not encrypted; set tls:" } : [])
    }

    /// Reads the tokens and the certificate again.
    func reload() async {
        await control.reload()
        await tls?.reload()
    }

    /// The files whose changes ``reload()`` reads.
    fileprivate var watchedFiles: [String] {
        [control.file?.path, tls?.files.certificate, tls?.files.key].compactMap { $0 }
    }
}

extension CaptureError {
    /// The error of a process that has no place for tokens.
    static var noStateFolder: CaptureError {
        CaptureError(
            .configuration, "there is no folder for tokens", subject: "--state",
            advice: "give one such as --state /var/lib/gst-capture")
    }
}

/// Reloads tokens and certificates when their files change (`inotify(7)`).
struct SafetyWatch: Service {
    private let safety: ServeSafety
    private let logger: Logger

    init(_ safety: ServeSafety, _ logger: Logger) { (self.safety, self.logger) = (safety, logger) }

    func run() async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watches = await start { continuation.yield() }
        // A file may have changed between the start and the watch.
        continuation.yield()
        for await _ in changes.cancelOnGracefulShutdown() { await safety.reload() }
        for watch in watches { watch.end() }
    }

    private func start(_ report: @escaping @Sendable () -> Void) async -> [FileWatch] {
        let (safety, logger) = (safety, logger)
        return await BlockingWork.run {
            // The first token may come later: the folder must exist to be watched.
            do throws(CaptureError) { try safety.control.file?.makeFolder() } catch { logger.notice("\(error)") }
            let queue = DispatchQueue(label: "gst-capture.watch")
            return safety.watchedFiles.compactMap { path in
                let watch = FileWatch(path, on: queue, report: report)
                if watch == nil { logger.warning("\(path): is not watched; send SIGHUP when it has changed") }
                return watch
            }
        }
    }
}
#endif
