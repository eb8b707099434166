// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A property that a camera sets automatically, and that can be frozen so that pictures of a series match.
public enum LockableControl: String, Sendable, Hashable, CaseIterable {
    /// Exposure time and gain.
    case exposure
    /// The white balance.
    case whiteBalance = "white-balance"
    /// The focus distance.
    case focus
}

extension LockableControl {
    /// The bit in `V4L2_CID_3A_LOCK`, for drivers with that control.
    var lockBit: Int64 {
        switch self {
        case .exposure: 1
        case .whiteBalance: 2
        case .focus: 4
        }
    }

    /// The automatic controls that a driver may have for it; most have one or two of these.
    var automatisms: [Automatism] {
        switch self {
        case .exposure: [.exposure, .gain, .sensitivity]
        case .whiteBalance: [.whiteBalance, .whiteBalancePreset]
        case .focus: [.focus]
        }
    }
}

/// An automatic control and the values that it rules.
struct Automatism: Sendable, Hashable {
    /// The control that turns it on and off.
    let mode: ControlID
    /// The values of `mode` that mean manual, best first.
    let manual: [Int64]
    /// The controls that it rules while it is on.
    let values: [ControlID]

    /// The menu of exposure modes: 0 automatic, 1 manual, 2 manual time with automatic iris, 3 the reverse.
    static let exposure = Automatism(mode: .autoExposure, manual: [1, 2], values: [.exposureTime, .exposure])
    static let gain = Automatism(mode: .autoGain, manual: [0], values: [.gain, .analogGain])
    static let sensitivity = Automatism(mode: .autoSensitivity, manual: [0], values: [.sensitivity])
    static let whiteBalance = Automatism(
        mode: .autoWhiteBalance, manual: [0], values: [.colorTemperature, .redBalance, .blueBalance])
    static let whiteBalancePreset = Automatism(
        mode: .whiteBalancePreset, manual: [0], values: [.redBalance, .blueBalance])
    static let focus = Automatism(mode: .autoFocus, manual: [0], values: [.focus])

    static let all = LockableControl.allCases.flatMap(\.automatisms)

    /// Returns `true` if the automatic control is on, or its mode cannot be read.
    func isOn(_ mode: CameraControl) -> Bool { !manual.contains { .integer($0) == mode.value } }

    /// Returns the best manual mode that the control offers; `nil` if there is none.
    func manualMode(of mode: CameraControl) -> Int64? {
        manual.first { value in
            mode.kind == .menu
                ? mode.menu.contains { $0.index == value } : value >= mode.minimum && value <= mode.maximum
        }
    }
}
