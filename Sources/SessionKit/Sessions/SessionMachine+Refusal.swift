// Part of gst-capture. Apache License 2.0, see LICENSE.

extension SessionMachine {
    /// The reason for refusing a request.
    enum Refusal: String, Sendable, Hashable, CaseIterable {
        case counting
        case capturing
        case bringing
        case switchingCamera = "switching-camera"
        case waitingForGates = "waiting-for-gates"
        case notBegun = "not-begun"
        case notSkippable = "not-skippable"
        case cameraIsFixed = "camera-is-fixed"
        case onlyCamera = "only-camera"
        case noStage = "no-stage"
        case notTaken = "not-taken"
        case notInReview = "not-in-review"
        case inReview = "in-review"
        case over

        /// The reason in words, for the user.
        var explanation: String {
            switch self {
            case .counting: "the countdown runs; only cancel and abort end it"
            case .capturing: "the picture is being taken"
            case .bringing: "a picture is being brought in"
            case .switchingCamera: "the camera is not ready yet"
            case .waitingForGates: "the countdown starts when the picture is right"
            case .notBegun: "the session has not begun"
            case .notSkippable: "this stage cannot be skipped"
            case .cameraIsFixed: "this stage needs this camera"
            case .onlyCamera: "there is no other camera"
            case .noStage: "no stage is active"
            case .notTaken: "this stage has no picture yet"
            case .notInReview: "not all pictures are taken yet"
            case .inReview: "all pictures are taken: accept them, retake one, or discard them"
            case .over: "the session is over"
            }
        }
    }
}
