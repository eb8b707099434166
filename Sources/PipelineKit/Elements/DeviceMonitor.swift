// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Finds devices, and reports when they appear and disappear (`GstDeviceMonitor`).
///
/// It lists the devices of all providers, including providers that another one hides: GStreamer's libcamera plugin, if
/// installed, hides the V4L2 provider. The caller merges the devices that both list.
public final class DeviceMonitor: Sendable {
    /// The messages about added and removed devices, from ``start(deadline:)`` to ``stop(deadline:)``.
    public let bus = Bus()

    private let monitor: Object
    private let control = ControlQueue("gst-capture.devices")

    /// Creates a monitor for devices of a class (`gst_device_monitor_add_filter`). GStreamer loads the plugins of the
    /// providers on the calling thread.
    ///
    /// - Parameters:
    ///   - deviceClass: The class, such as `Video/Source`.
    ///   - caps: The caps that a device must be able to deliver; `nil` for any.
    /// - Throws: ``PipelineError/Code/initialization``.
    public init(deviceClass: String = "Video/Source", caps: Caps? = nil) throws(PipelineError) {
        try GStreamer.initialize()
        monitor = Object(gst_device_monitor_new(), .full)
        gst_device_monitor_set_show_all_devices(monitor.cast(), 1)
        gst_device_monitor_add_filter(monitor.cast(), deviceClass, caps?.pointer)
        let native = gst_device_monitor_get_bus(monitor.cast())
        if let native { bus.attach(to: native) }
        gst_object_unref(native)
    }

    deinit {
        bus.close()
        // Stopping waits for the provider's thread, which may be the thread that releases this monitor.
        control.run { [monitor] in DeviceMonitor.end(monitor) }
    }

    /// Starts watching (`gst_device_monitor_start`). GStreamer queries the capabilities of every device, which takes
    /// seconds with some drivers.
    ///
    /// - Throws: ``PipelineError/Code/stateChange`` if GStreamer cannot watch devices; ``PipelineError/Code/deadline``.
    public func start(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await control.run("looking for devices", within: deadline) { [monitor] () throws(PipelineError) in
            guard gst_device_monitor_start(monitor.cast()) != 0 else {
                throw PipelineError(.stateChange, "devices cannot be watched")
            }
        }
    }

    /// Returns the devices that are present now (`gst_device_monitor_get_devices`).
    ///
    /// - Throws: ``PipelineError/Code/deadline``.
    public func devices(deadline: Duration = .seconds(10)) async throws(PipelineError) -> [Device] {
        try await control.run("listing devices", within: deadline) { [monitor] () throws(PipelineError) in
            DeviceMonitor.take(gst_device_monitor_get_devices(monitor.cast()))
        }
    }

    /// Stops watching, and closes the ``bus`` (`gst_device_monitor_stop`). The bus stays closed: create another monitor
    /// to watch again.
    ///
    /// - Throws: ``PipelineError/Code/deadline``.
    public func stop(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        defer { bus.close() }
        try await control.run("ending the watch for devices", within: deadline) { [monitor] () throws(PipelineError) in
            DeviceMonitor.end(monitor)
        }
    }

    private static func take(_ list: UnsafeMutablePointer<GList>?) -> [Device] {
        defer { g_list_free(list) }
        var (devices, node): ([Device], UnsafeMutablePointer<GList>?) = ([], list)
        while let current = node {
            if let data = current.pointee.data { devices.append(Device(data, .full)) }
            node = current.pointee.next
        }
        return devices
    }

    private static func end(_ monitor: Object) {
        gst_device_monitor_stop(monitor.cast())
        guard let bus = gst_device_monitor_get_bus(monitor.cast()) else { return }
        Bus.detach(from: bus)
        gst_object_unref(bus)
    }
}
