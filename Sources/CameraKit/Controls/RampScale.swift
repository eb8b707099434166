// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The values of a control as rungs of a ladder, from the lowest to the highest, each with its level.
///
/// Levels of exposure time and gain are in stops, and those of color temperature in negative mired. Only differences
/// between levels are meaningful.
struct RampScale: Sendable, Hashable {
    /// The unit of a control's values.
    enum Unit: Sendable, Hashable {
        /// A value in proportion to light: exposure time, or ISO.
        case light
        /// An amplification in the driver's own unit.
        case gain
        /// A color temperature in kelvin.
        case kelvin
    }

    private enum Rungs: Sendable, Hashable {
        case range(first: Int64, step: Int64)
        case menu([CameraControl.MenuItem])
    }

    let id: ControlID
    let name: String
    /// The number of rungs; at least 2.
    private(set) var count: Int
    private let rungs: Rungs
    private let unit: Unit
    private let gainCurve: GainCurve

    /// Returns `nil` if the control has fewer than two values, or its numbers cannot be of this unit.
    init?(_ control: CameraControl, _ unit: Unit) {
        guard control.isWritable, let rungs = Self.rungs(of: control, unit) else { return nil }
        (id, name, self.unit) = (control.id, control.name, unit)
        (self.rungs, count) = rungs
        gainCurve = GainCurve(from: control.minimum, to: control.maximum)
        if count < 2 { return nil }
    }

    private static func rungs(of control: CameraControl, _ unit: Unit) -> (Rungs, Int)? {
        switch control.kind {
        case .integerMenu where unit != .gain:
            let items = control.menu.filter { $0.number ?? 0 > 0 }.sorted { $0.number ?? 0 < $1.number ?? 0 }
            return (.menu(items), items.count)
        case .integer:
            // Accepts only values of 32 bits, as drivers have, so that sums cannot overflow.
            let range = Int64(Int32.min)...Int64(Int32.max)
            guard range.contains(control.minimum), range.contains(control.maximum), control.step <= Int32.max else {
                return nil
            }
            let step = Int64(control.step)
            // The logarithm of 0 does not exist: start at the first positive value.
            let isTooLow = unit != .gain && control.minimum < 1
            let first = isTooLow ? control.minimum + (step - control.minimum) / step * step : control.minimum
            guard first <= control.maximum else { return nil }
            return (.range(first: first, step: step), Int((control.maximum - first) / step) + 1)
        default: return nil
        }
    }

    /// Returns the level of a rung.
    func level(_ rung: Int) -> Double {
        let number = number(rung)
        return switch unit {
        case .light: log2(Double(number))
        case .gain: gainCurve.stops(number)
        case .kelvin: -1_000_000 / Double(number)
        }
    }

    /// Returns the setting for a rung.
    func setting(_ rung: Int) -> ControlSetting {
        switch rungs {
        case .range: ControlSetting(id: id, name: name, value: .integer(number(rung)))
        case .menu(let items): ControlSetting(id: id, name: name, value: .integer(items[rung].index))
        }
    }

    /// Returns the rung of a value, or the next one above it, or the highest. For a menu, `value` is an entry's index;
    /// an unknown index yields the lowest rung.
    func rung(of value: Int64) -> Int {
        switch rungs {
        case .range: return firstRung { number($0) >= value } ?? count - 1
        case .menu(let items): return items.firstIndex { $0.index == value } ?? 0
        }
    }

    /// Returns the highest rung that is not above a level; the lowest rung if all are above.
    func rung(notAbove level: Double) -> Int {
        max(0, (firstRung { self.level($0) > level } ?? count) - 1)
    }

    /// Returns the lowest rung that is not below a level; the highest rung if all are below.
    func rung(notBelow level: Double) -> Int {
        firstRung { self.level($0) >= level } ?? count - 1
    }

    /// Removes the rungs above a value, but keeps at least two, and all up to `rung`.
    mutating func limit(to value: Int64, keeping rung: Int) {
        count = max(2, rung + 1, firstRung { number($0) > value } ?? count)
    }

    private func number(_ rung: Int) -> Int64 {
        switch rungs {
        case .range(let first, let step): first + Int64(rung) * step
        case .menu(let items): items[rung].number ?? 1
        }
    }

    /// Returns the first rung for which the condition holds; it must hold for all rungs above, too.
    private func firstRung(where holds: (Int) -> Bool) -> Int? {
        let rung = (0..<count).partition(where: holds)
        return rung < count ? rung : nil
    }
}
