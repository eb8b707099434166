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

    /// The automatic controls that a driver may have for the property. Most drivers have one or two of them.
    var automaticControls: [AutomaticControl] {
        switch self {
        case .exposure: [.exposure, .gain, .sensitivity]
        case .whiteBalance: [.whiteBalance, .whiteBalancePreset]
        case .focus: [.focus]
        }
    }
}

/// A control that turns automatic values of other controls on and off.
struct AutomaticControl: Sendable, Hashable {
    /// The control that turns the automatic values on and off.
    let mode: ControlID
    /// The values of `mode` that mean manual, best first.
    let manual: [Int64]
    /// The controls whose values are automatic while the mode is not manual.
    let values: [ControlID]

    /// The menu of exposure modes: 0 automatic, 1 manual, 2 manual time with automatic iris, 3 the reverse.
    static let exposure = AutomaticControl(mode: .autoExposure, manual: [1, 2], values: [.exposureTime, .exposure])
    static let gain = AutomaticControl(mode: .autoGain, manual: [0], values: [.gain, .analogGain])
    static let sensitivity = AutomaticControl(mode: .autoSensitivity, manual: [0], values: [.sensitivity])
    static let whiteBalance = AutomaticControl(
        mode: .autoWhiteBalance, manual: [0], values: [.colorTemperature, .redBalance, .blueBalance])
    static let whiteBalancePreset = AutomaticControl(
        mode: .whiteBalancePreset, manual: [0], values: [.redBalance, .blueBalance])
    static let focus = AutomaticControl(mode: .autoFocus, manual: [0], values: [.focus])

    static let all = LockableControl.allCases.flatMap(\.automaticControls)

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
