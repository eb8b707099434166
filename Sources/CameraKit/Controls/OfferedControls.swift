// Part of gst-capture. Apache License 2.0, see LICENSE.

extension LockableControl {
    /// Returns the properties that a camera with these controls can freeze, in the order of ``allCases``.
    package static func offered(by controls: [CameraControl]) -> [LockableControl] {
        allCases.filter { property in
            let plan = LockPlan(property, controls: controls)
            return !plan.steps.isEmpty || !plan.held.isEmpty
        }
    }
}

extension RampableControl {
    /// Returns the properties that a camera with these controls can ramp, in the order of ``allCases``. A control that
    /// is inactive counts: an automatic mode, which a ramp turns off, may have taken it over.
    package static func offered(by controls: [CameraControl]) -> [RampableControl] {
        let settable = Set(controls.filter { !$0.flags.contains(.readOnly) && !$0.flags.contains(.disabled) }.map(\.id))
        return allCases.filter { !settable.isDisjoint(with: $0.values) }
    }

    /// The controls that a ramp of the property can set.
    private var values: [ControlID] {
        switch self {
        case .exposure: lockable.automaticControls.flatMap(\.values)
        case .whiteBalance: [.colorTemperature]
        }
    }
}
