// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The settings that turn a flash LED on and off, derived from its controls (`V4L2_CID_FLASH_…`).
struct FlashPlan: Sendable, Hashable {
    /// The settings that turn the LED on, in this order.
    let lighting: [ControlSetting]
    /// The settings that turn the LED off, in this order.
    let turningOff: [ControlSetting]
    /// The kind of these controls.
    let kind: CameraControl.Kind

    private enum LED {
        static let none: Int64 = 0
        static let flash: Int64 = 1
        static let torch: Int64 = 2
        static let strobedBySoftware: Int64 = 0
    }

    /// Plans for a mode; `nil` if there is no LED, or it does not support the mode.
    init?(_ mode: FlashMode, controls: [CameraControl]) {
        let known = Dictionary(controls.map { ($0.id, $0) }) { first, _ in first }
        kind = .menu
        guard mode != .off, let led = known[.flashMode], led.isWritable else { return nil }
        let out = ControlSetting(led, LED.none)
        if led.offers(LED.torch) {
            lighting = [ControlSetting(led, LED.torch)]
            turningOff = [out]
        } else if mode != .torch, led.offers(LED.flash), let strobe = known[.strobe] {
            let source = known[.strobeSource].flatMap { $0.offers(LED.strobedBySoftware) ? $0 : nil }
            let bySoftware = source.map { [ControlSetting($0, LED.strobedBySoftware)] } ?? []
            lighting = bySoftware + [ControlSetting(led, LED.flash), ControlSetting(strobe, 1)]
            turningOff = (known[.strobeStop].map { [ControlSetting($0, 1)] } ?? []) + [out]
        } else {
            return nil
        }
    }

    /// Plans for a control that the user names, with one value while the light is on, and another before and after.
    init(_ control: CameraControl, lit: ControlValue, unlit: ControlValue) {
        (lighting, turningOff) = ([ControlSetting(control, lit)], [ControlSetting(control, unlit)])
        kind = control.kind
    }
}

extension CameraControl {
    fileprivate func offers(_ value: Int64) -> Bool { menu.contains { $0.index == value } }
}
