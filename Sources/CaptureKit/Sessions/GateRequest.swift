// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A condition that a session wants to hold before a picture, and what is done where it does not.
public struct GateRequest: Sendable, Hashable {
    /// What has to hold.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The camera, or what it sees, does not shake.
        case steady
        /// The picture is as sharp as it was lately at its best.
        case focus
        /// Little of the picture is too bright or too dark.
        case light
        /// What belongs into the outline is there: edges along a card's, or a face.
        case present
    }

    /// What is done where it does not hold.
    public enum Failure: String, Sendable, Hashable, CaseIterable {
        /// It is told on the preview.
        case warn
        /// No countdown begins until it holds.
        case wait
        /// A countdown is aborted; and none begins while it is known not to hold.
        case abort
    }

    /// What is done where it was waited for in vain.
    public enum Expiry: String, Sendable, Hashable, CaseIterable {
        /// The picture is taken all the same.
        case goOn = "go-on"
        /// The run is aborted.
        case abort
    }

    /// The longest wait, where none is said.
    public static let usualLimit = Duration.seconds(30)

    /// What has to hold.
    public var kind: Kind
    /// What is done where it does not.
    public var failure: Failure
    /// How long is waited for it.
    public var limit = GateRequest.usualLimit
    /// What is done after that; a gate that aborts does so then, too.
    public var expiry = Expiry.goOn
    /// The score that it takes, from 0 to 1; `nil` for the usual one of its kind.
    ///
    /// Scores are counted so that 0.5 is what is usually asked for, ⅔ is twice as good, ¾ three times, and ⅓ half as
    /// good; 0 is always met, and 1 never. What 0.5 means, and what is measured:
    ///
    /// - steady: the picture moves by no more than a 128th of its width within a tenth of a second, which is 5 pixels of
    ///   640; ⅔ lets 2.5 pass. An accelerometer feels no more than 0.8 m/s² beside gravity.
    /// - light: mean luma is 18 % to 82 %, at most 60 % of the picture is nearly black, and at most 25 % white; ⅔ asks for
    ///   36 % to 64 %, and no more than 30 % and 12.5 %. The best there can be is 0.73, for a mean of 50 %.
    /// - present: edges on the outline are 2.5 times as strong as what is beside them; of a face, it is 60 % as wide as
    ///   the outline has it.
    /// - focus is other: its score is the part of the sharpness that the picture lately had at its best, and 0.6 is usual.
    public var threshold: Double?
    /// Of `present`, the widest face, as a part of the width that the outline expects; `nil` for ``usualLargest``.
    public var largest: Double?
    /// Of `focus`, the least sharpness: the variance of the Laplacian of luma, in the preview's pixels; `nil` for
    /// ``usualSharpness``.
    public var sharpness: Double?
    /// Of `light`, the largest part of a card that may be white with glare; `nil` for ``usualGlare``. Without a card in an
    /// outline, the largest part of the picture; `nil` for a quarter.
    public var glare: Double?

    /// A face that is wider than this part of the expected width is too close.
    public static let usualLargest = 1.6
    /// A picture below this sharpness is blurred whatever it shows: that of sharp scenes is ten times as much and more.
    public static let usualSharpness = 10.0
    /// More of a card than this is not white without glare.
    public static let usualGlare = 0.05

    /// Creates a request.
    ///
    /// - Parameter failure: `nil` for what is usual: shake aborts, focus and presence are waited for, light is told.
    public init(_ kind: Kind, _ failure: Failure? = nil) {
        self.kind = kind
        self.failure = failure ?? kind.usualFailure
    }
}

extension GateRequest.Kind {
    /// What is usually done where it does not hold.
    public var usualFailure: GateRequest.Failure {
        switch self {
        case .steady: .abort
        case .focus, .present: .wait
        case .light: .warn
        }
    }
}
