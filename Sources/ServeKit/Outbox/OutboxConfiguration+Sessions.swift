// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import ServiceKit
import UploadKit

extension OutboxConfiguration {
    /// Checks that each target can erase the pictures of the sessions that it gets, if their consent ends.
    ///
    /// - Throws: `CaptureError` with all faults.
    func check(_ sessions: [ServiceSession]) throws(CaptureError) {
        let errors = sessions.flatMap { session in
            targets(of: session).filter { !$0.canErase }.map { target in
                CaptureError(
                    .configuration, "has a retention, and its pictures go to \(target.id), which cannot erase them",
                    subject: "session \(session.id)",
                    advice:
                        "give \(target.id) the key erase: yes if its server accepts DELETE, or choose another target")
            }
        }
        if let error = CaptureError.joining(errors) { throw error }
    }

    /// The targets that get the pictures of a session with a retention.
    private func targets(of session: ServiceSession) -> [UploadTarget] {
        guard session.file.session.consent?.retention != nil else { return [] }
        let routes = routes.filter { $0.kind == .sessions && $0.folder == session.output }
        return targets.map(\.place).filter { target in routes.contains { $0.targets.contains(target.id) } }
    }
}
#endif
