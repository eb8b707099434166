// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension SessionController {
    /// The result of a request.
    package enum Answer: Sendable, Hashable {
        /// The session has carried out the request, or will when it is prepared.
        case done
        /// The session refuses the request: the reason for programs, and in words.
        case refused(reason: String, explanation: String)
    }

    /// Performs a program's request. It does nothing for `SessionRequest.Action.state`, which ``snapshot()`` answers.
    package func perform(_ action: SessionRequest.Action) -> Answer {
        switch action {
        case .capture: answer(.trigger)
        case .skip: answer(.skip)
        case .abort: answer(.abort)
        case .cancel: answer(.cancel)
        case .switchCamera: answer(.switchCamera)
        case .accept: answer(.accept)
        case .discard: answer(.discard)
        case .bring(let path): answer(.bring(path.map { Taking.LibraryFile(source: .path($0)) }))
        case .upload(let bytes, let adjustment):
            answer(.bring(Taking.LibraryFile(source: .bytes(bytes), adjustment: adjustment)))
        case .fill(let values): fill(values)
        case .retake(let stage, let picture): retake(stage, picture)
        case .state: .done
        case .leave: answerLeaving()
        }
    }

    private func fill(_ values: [String: String]) -> Answer {
        do throws(CaptureError) {
            return answer(.fill(try session.checkedForm(values, isComplete: false)))
        } catch {
            return .refused(reason: "invalid-field", explanation: error.summary)
        }
    }

    private func answerLeaving() -> Answer {
        conclude(.left)
        return .done
    }

    private func retake(_ stage: String?, _ picture: Int?) -> Answer {
        let index = progress.stages.firstIndex { candidate in
            if let stage, candidate.name != stage { return false }
            return picture.map { number in candidate.pictures.contains { $0.number == number } } ?? true
        }
        // The machine refuses a stage that does not exist.
        return answer(.retake(stage: index ?? -1, picture: picture))
    }

    private func answer(_ input: SessionMachine.Input) -> Answer {
        guard let refusal = request(input) else { return .done }
        return .refused(reason: refusal.rawValue, explanation: refusal.explanation)
    }
}
