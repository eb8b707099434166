// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Logging
import ServiceKit
import ServiceLifecycle
import SessionKit

/// Makes the requests of the buttons of devices.
struct ButtonRequests: Service {
    private let devices: ButtonDevices
    private let service: CaptureService
    private let requests: PictureRequests
    private let logger = Logger(label: "gst-capture")

    /// - Returns: `nil` if there are no buttons, or the devices cannot be watched.
    init?(_ buttons: [ServiceButton], _ service: CaptureService, _ requests: PictureRequests) {
        guard !buttons.isEmpty else { return nil }
        guard let devices = ButtonDevices(buttons) else {
            Logger(label: "gst-capture").warning("buttons are off: /dev cannot be watched")
            return nil
        }
        (self.devices, self.service, self.requests) = (devices, service, requests)
    }

    /// Runs until the service shuts down.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for await event in devices.events {
                    switch event {
                    case .failed(let error): logger.warning("button not used: \(error)")
                    case .shared(let error): logger.warning("\(error)")
                    // A picture takes a while, and the next press must not wait for it.
                    case .pressed(let button): group.addTask { await perform(button) }
                    }
                }
            }
        } onGracefulShutdown: {
            devices.end()
        }
    }

    private func perform(_ button: ServiceButton) async {
        do {
            switch button.action {
            case .snap(let camera): try await requests.snap(camera)
            case .record(let camera): try await record(camera)
            case .trigger(let camera): try await service.triggerClip(camera)
            case .capture(let session): try await capture(session)
            case .input(let name, let session):
                guard let action = SessionRequest.Action.inputs[name] else { return }
                _ = try await service.request(action, of: session)
            }
            logger.notice("button \(button.device)", metadata: ["do": "\(button.action)"])
        } catch let refusal as SessionRefusal {
            logger.info("button \(button.device) refused: \(refusal.explanation)")
        } catch {
            logger.warning("button \(button.device) failed: \(error)")
        }
    }

    /// Starts a recording, or ends the one that runs.
    private func record(_ camera: String) async throws {
        if try await service.clipStatus(of: camera).state == .off {
            try await service.startClip(camera)
        } else {
            try await service.stopClip(camera)
        }
    }

    /// Continues a session, or begins it.
    private func capture(_ session: String) async throws {
        if try await service.session(session).state == nil {
            _ = try await service.startSession(session, forKiosk: true)
        }
        _ = try await service.request(.capture, of: session)
    }
}
#endif
