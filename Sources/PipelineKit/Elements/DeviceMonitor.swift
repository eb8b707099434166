// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Finds devices, and says when they come and go (`GstDeviceMonitor`).
///
/// It shows the devices of all providers, also of those that another one hides: where GStreamer's libcamera plugin is
/// installed, it hides the V4L2 one. Merging what both show is the caller's.
public final class DeviceMonitor: Sendable {
    /// Devices that come and go, from ``start(deadline:)`` to ``stop(deadline:)``.
    public let bus = Bus()

    private let monitor: Object
    private let control = ControlQueue("gst-capture.devices")

    /// Looks for devices of a class (`gst_device_monitor_add_filter`).
    ///
    /// - Parameters:
    ///   - deviceClass: Such as `Video/Source`.
    ///   - caps: What they must be able to deliver; `nil` for anything.
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
        // Stopping waits for the provider's thread, which may be the one that lets go of us.
        control.run { [monitor] in DeviceMonitor.end(monitor) }
    }

    /// Begins to watch (`gst_device_monitor_start`). Drivers are asked for all they can do, which takes seconds with some.
    ///
    /// - Throws: ``PipelineError/Code/stateChange`` where nothing can be watched; ``PipelineError/Code/deadline``.
    public func start(deadline: Duration = .seconds(10)) async throws(PipelineError) {
        try await control.run("looking for devices", within: deadline) { [monitor] () throws(PipelineError) in
            guard gst_device_monitor_start(monitor.cast()) != 0 else {
                throw PipelineError(.stateChange, "devices cannot be watched")
            }
        }
    }

    /// The devices that are there now (`gst_device_monitor_get_devices`).
    ///
    /// - Throws: ``PipelineError/Code/deadline``.
    public func devices(deadline: Duration = .seconds(10)) async throws(PipelineError) -> [Device] {
        try await control.run("listing devices", within: deadline) { [monitor] () throws(PipelineError) in
            DeviceMonitor.take(gst_device_monitor_get_devices(monitor.cast()))
        }
    }

    /// Ends the watch, and the ``bus`` with it (`gst_device_monitor_stop`).
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
