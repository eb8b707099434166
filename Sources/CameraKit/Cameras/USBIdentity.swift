// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The identity of a USB camera in sysfs, available without opening the camera and before udev makes its links.
///
/// - Vendor, product and serial number identify a camera that has a serial number, in any port.
/// - If two cameras share all three, only their ports distinguish them: once a twin was seen, the port counts.
/// - The port identifies a camera without a serial number. In another port it is not recognized, because any camera of
///   the same model could be there.
package struct USBIdentity: Sendable, Hashable {
    /// Vendor and product: `046d:082d`.
    package let product: String
    /// The serial number, if the camera has one.
    package let serial: String?
    /// The host controller and the ports below it: `0000:00:14.0-4`.
    package let place: String
    /// The interface, without the bus: `4:1.0`.
    let interface: String
    /// The number of the node among those of its interface; metadata nodes often have 1.
    let index: Int
    /// `true` if another camera with the same vendor, product and serial number was connected at some time.
    package var hasTwin = false

    /// The interface without the port: `1.0`.
    private var function: Substring { interface.split(separator: ":").last ?? "" }

    /// `true` if all but the port is the same: product, serial number, function and index.
    private func isLike(_ known: USBIdentity) -> Bool {
        product == known.product && serial == known.serial && function == known.function && index == known.index
    }
}

extension USBIdentity {
    /// The result of a search for a camera that was known before.
    package enum Search: Sendable, Hashable {
        /// The indices of the camera's nodes; several if the device has several alike.
        case found([Int])
        /// The camera is not connected.
        case missing
        /// Cameras that could be this one are in other ports, but only the port identifies it.
        case uncertain([Int])
    }

    /// Searches for this camera in a list of connected ones.
    package func search(_ present: [USBIdentity]) -> Search {
        let alike = present.indices.filter { present[$0].isLike(self) }
        let here = alike.filter { present[$0].place == place }
        if !here.isEmpty { return .found(here) }
        if alike.isEmpty { return .missing }
        let places = Set(alike.map { present[$0].place })
        return serial != nil && !hasTwin && places.count == 1 ? .found(alike) : .uncertain(alike)
    }
}

extension USBIdentity {
    package init(_ usb: USBFacts, _ facts: NodeFacts) {
        self.init(
            product: usb.product, serial: usb.serial, place: usb.place, interface: usb.interface,
            index: facts.index ?? 0, hasTwin: facts.hasTwin)
    }
}
