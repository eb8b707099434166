// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc
import PipelineKit
import Synchronization

/// A GStreamer device provider without hardware: tests add and remove its devices.
///
/// Its class is `Staged/Source`, so monitors for cameras do not see it.
enum StagedDevices {
    static let deviceClass = "Staged/Source"

    /// Registers the provider with GStreamer, once (`gst_device_provider_register`).
    static let register: Bool = {
        guard (try? GStreamer.initialize()) != nil else { return false }
        let provider = subclass("StagedProvider", of: gst_device_provider_get_type(), prepareProvider)
        _ = deviceType
        return gst_device_provider_register(nil, "stagedprovider", guint(GST_RANK_PRIMARY.rawValue), provider) != 0
    }()

    /// Adds a device to the provider that is being watched (`gst_device_provider_device_add`).
    static func plugIn(_ name: String) {
        let device = makeDevice(name)
        g_object_ref_sink(device)
        watched.withLock { watched in
            watched.devices[name] = UInt(bitPattern: device)
            gst_device_provider_device_add(UnsafeMutablePointer(bitPattern: watched.provider), device)
        }
    }

    /// Removes a device that ``plugIn(_:)`` added (`gst_device_provider_device_remove`).
    static func unplug(_ name: String) {
        watched.withLock { watched in
            guard let address = watched.devices.removeValue(forKey: name),
                let device = UnsafeMutablePointer<GstDevice>(bitPattern: address)
            else { return }
            gst_device_provider_device_remove(UnsafeMutablePointer(bitPattern: watched.provider), device)
            gst_object_unref(device)
        }
    }

    /// One entry for each stop of the provider.
    static let stops = Log<Void>()

    fileprivate struct Watched {
        /// The address of the provider while a monitor watches it.
        var provider: UInt = 0
        /// The addresses of devices, by name.
        var devices: [String: UInt] = [:]
    }

    fileprivate static let watched = Mutex(Watched())

    private static let deviceType = subclass("StagedDevice", of: gst_device_get_type(), prepareDevice)

    private static func subclass(_ name: String, of parent: GType, _ prepare: GClassInitFunc) -> GType {
        var query = GTypeQuery()
        g_type_query(parent, &query)
        return g_type_register_static_simple(
            parent, name, query.class_size, prepare, query.instance_size, nil, GTypeFlags(rawValue: 0))
    }

    /// A device with a serial number; "bare" has none (`g_object_new_with_properties`).
    fileprivate static func makeDevice(_ name: String) -> UnsafeMutablePointer<GstDevice>? {
        var values = [GValue](repeating: GValue(), count: 4)
        for (index, type) in [cgst_type_string, cgst_type_string, gst_caps_get_type(), cgst_structure_type()]
            .enumerated()
        {
            g_value_init(&values[index], type)
        }
        g_value_set_string(&values[0], name)
        g_value_set_string(&values[1], deviceClass)
        g_value_take_boxed(&values[2], gst_caps_from_string("video/x-raw,width=640"))
        if name != "bare" {
            let details = gst_structure_from_string("details,serial=(string)\(name)-1", nil)
            g_value_take_boxed(&values[3], UnsafeMutableRawPointer(details))
        }
        defer { for index in values.indices { g_value_unset(&values[index]) } }
        return withNames(["display-name", "device-class", "caps", "properties"]) { names in
            g_object_new_with_properties(deviceType, 4, names, &values)
        }.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstDevice.self) }
    }

    private static func withNames<Result>(
        _ names: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = names.map { g_strdup($0) }
        defer { for copy in copies { g_free(copy) } }
        var pointers = copies.map { UnsafePointer<CChar>($0) }
        return body(&pointers)
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on one of GStreamer's threads.
private func prepareProvider(_ type: gpointer?, _ data: gpointer?) {
    guard let type = type?.assumingMemoryBound(to: GstDeviceProviderClass.self) else { return }
    gst_device_provider_class_set_metadata(
        type, "Staged devices", StagedDevices.deviceClass, "Devices without hardware", "gst-capture")
    type.pointee.probe = probeProvider
    type.pointee.start = startProvider
    type.pointee.stop = stopProvider
}

private func prepareDevice(_ type: gpointer?, _ data: gpointer?) {
    type?.assumingMemoryBound(to: GstDeviceClass.self).pointee.create_element = createElement
}

private func probeProvider(_ provider: UnsafeMutablePointer<GstDeviceProvider>?) -> UnsafeMutablePointer<GList>? {
    ["bare", "webcam"].reduce(nil) { g_list_prepend($0, StagedDevices.makeDevice($1)) }
}

private func startProvider(_ provider: UnsafeMutablePointer<GstDeviceProvider>?) -> gboolean {
    StagedDevices.watched.withLock { $0.provider = UInt(bitPattern: provider) }
    return 1
}

private func stopProvider(_ provider: UnsafeMutablePointer<GstDeviceProvider>?) {
    StagedDevices.watched.withLock { watched in
        for address in watched.devices.values { gst_object_unref(gpointer(bitPattern: address)) }
        watched = StagedDevices.Watched()
    }
    StagedDevices.stops.append()
}

private func createElement(
    _ device: UnsafeMutablePointer<GstDevice>?, _ name: UnsafePointer<gchar>?
) -> UnsafeMutablePointer<GstElement>? {
    guard let device, let label = gst_device_get_display_name(device) else { return nil }
    defer { g_free(label) }
    return strcmp(label, "bare") == 0 ? nil : gst_element_factory_make("videotestsrc", name)
}
