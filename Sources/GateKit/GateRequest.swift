// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A condition that must hold before a picture, and the action if it does not.
public struct GateRequest: Sendable, Hashable {
    /// The kinds of conditions.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Neither the camera nor the scene shakes.
        case steady
        /// The picture is about as sharp as at its recent best.
        case focus
        /// The picture is neither too dark nor too bright.
        case light
        /// The subject is in the outline: a card's edges lie along the outline's, or a face is there.
        case present
    }

    /// The action if the condition does not hold.
    public enum Failure: String, Sendable, Hashable, CaseIterable {
        /// The preview shows a hint.
        case warn
        /// No countdown begins until the condition holds.
        case wait
        /// A countdown is aborted, and none begins until the condition holds.
        case abort
    }

    /// The action if the wait for the condition times out.
    public enum Expiry: String, Sendable, Hashable, CaseIterable {
        /// The picture is captured anyway.
        case proceed = "go-on"
        /// The run is aborted.
        case abort
    }

    /// The default of ``limit``.
    public static let usualLimit = Duration.seconds(30)

    /// The kind of condition.
    public var kind: Kind
    /// The action if the condition does not hold.
    public var failure: Failure
    /// The timeout of the wait for the condition.
    public var limit = GateRequest.usualLimit
    /// The action after the timeout. A gate whose ``failure`` is `abort` always aborts then.
    public var expiry = Expiry.proceed
    /// The score that the condition requires, from 0 to 1; `nil` for the default of its kind.
    ///
    /// A score of 0.5 is the usual requirement, ⅔ is twice as good, ¾ three times, and ⅓ half as good. A threshold of 0
    /// always passes, and 1 requires a perfect measure, such as no motion at all. The measures, and the meaning of 0.5:
    ///
    /// - steady: the picture moves by at most a 128th of its width within a tenth of a second, which is 5 pixels of
    ///   640; ⅔ allows 2.5. An accelerometer measures at most 0.8 m/s² besides gravity.
    /// - light: mean luma is 18 % to 82 %, at most 60 % of the picture is nearly black, and at most 25 % white. ⅔
    ///   requires 36 % to 64 %, and at most 30 % and 12.5 %. The best possible score is 0.73, for a mean of 50 %: a
    ///   higher threshold never passes.
    /// - present: edges on the outline are 2.5 times as strong as their surroundings; a face is 60 % as wide as the
    ///   outline expects.
    /// - focus differs: its score is the sharpness as a fraction of the picture's recent best, and the default is 0.6.
    public var threshold: Double?
    /// For `present`: the widest face, as a fraction of the width that the outline expects; `nil` for ``usualLargest``.
    public var largest: Double?
    /// For `focus`: the least sharpness, as the variance of the Laplacian of luma in the preview's pixels; `nil` for
    /// ``usualSharpness``.
    public var sharpness: Double?
    /// For `light`: the largest fraction of a card that may be white with glare; `nil` for ``usualGlare``. If no
    /// outline holds a card, the largest fraction of the picture; `nil` for a quarter.
    public var glare: Double?
    /// For `present`: `true` to require exactly one face, so that a second one at least half as wide does not pass.
    public var isAlone = false
    /// `true` to judge each captured picture, too, and to reject it if the condition does not hold. Not for `steady`,
    /// as a single picture shows no motion.
    public var rejectsPictures = false

    /// The default of ``largest``: a wider face is too close to the camera.
    public static let usualLargest = 1.6
    /// The default of ``sharpness``: a picture below it is blurred, whichever scene it shows. Sharp scenes have at
    /// least ten times as much.
    public static let usualSharpness = 10.0
    /// The default of ``glare``: a card without glare is not white in a larger part.
    public static let usualGlare = 0.05

    /// Creates a request.
    ///
    /// - Parameter failure: `nil` for the default: `steady` aborts, `focus` and `present` wait, and `light` warns.
    public init(_ kind: Kind, _ failure: Failure? = nil) {
        self.kind = kind
        self.failure = failure ?? kind.usualFailure
    }
}

extension GateRequest.Kind {
    /// The default action if the condition does not hold.
    public var usualFailure: GateRequest.Failure {
        switch self {
        case .steady: .abort
        case .focus, .present: .wait
        case .light: .warn
        }
    }
}
