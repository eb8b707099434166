// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import MetricsKit

/// The metrics of the program. docs/monitoring.md lists them.
extension Metric {
    private static let job = ["camera", "series"]
    /// Upper bounds of buckets for the time that encoding and storing takes, in seconds.
    private static let workBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    // Events. The series is empty for single pictures.
    static let captures = counter(
        "gst_capture_captures_total", job + ["outcome", "reason"],
        "Pictures and slots by outcome: captured, missed with a reason, or failed.")
    static let lateCaptures = counter(
        "gst_capture_late_captures_total", job, "Pictures whose frame exceeds the tolerance of the series.")
    static let missesInARow = gauge(
        "gst_capture_consecutive_missed_slots", job, "Slots that were missed since the last picture.")
    static let lastCapture = gauge(
        "gst_capture_last_capture_timestamp_seconds", job, "When the frame of the last picture was captured.")
    static let lag = histogram(
        "gst_capture_capture_lag_seconds", job,
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
        "The time from a slot to its frame; 0 for an earlier frame.")
    static let encodingTime = histogram(
        "gst_capture_encoding_duration_seconds", ["camera"], buckets: workBuckets, "How long encoding a picture took.")
    static let storingTime = histogram(
        "gst_capture_storing_duration_seconds", ["camera"], buckets: workBuckets,
        "How long it took to make a picture durable, including the wait for the disk.")
    static let stalls = counter(
        "gst_capture_camera_stalls_total", job, "How often no frame arrived for a while, as the job saw it.")
    static let losses = counter(
        "gst_capture_camera_losses_total", job, "How often the camera was lost, as the job saw it.")
    static let recoveries = counter(
        "gst_capture_camera_recoveries_total", job, "How often a lost camera came back, as the job saw it.")

    // State.
    static let build = gauge("gst_capture_build_info", ["version"], "The version of the program; always 1.")
    static let ready = gauge("gst_capture_ready", [], "1 if /readyz responds with 200.")
    static let cameraUp = gauge("gst_capture_camera_up", ["camera"], "0 while the camera is lost.")
    static let frames = counter(
        "gst_capture_camera_frames_total", ["camera"], "Frames since the camera was opened for its series.")
    static let lastFrame = gauge(
        "gst_capture_camera_last_frame_timestamp_seconds", ["camera"], "When the last frame arrived.")
    static let seriesState = gauge(
        "gst_capture_series_state", job + ["state"], "1 for the state of the series, 0 for all others.")
    static let interval = gauge(
        "gst_capture_series_interval_seconds", job, "The interval of the series, if its schedule has one.")
    static let nextSlot = gauge(
        "gst_capture_series_next_slot_timestamp_seconds", job, "When the next slot is due.")
    static let freeSpace = gauge(
        "gst_capture_storage_free_bytes", job, "Bytes that can still be written to the disk of the series.")
    static let storageLeft = gauge(
        "gst_capture_storage_left_seconds", job,
        "The time until a limit or the end of the disk is reached, by the last forecast of the series.")

    // Live pictures.
    static let streams = gauge("gst_capture_streams", [], "Encoders of live pictures.")
    static let viewers = gauge("gst_capture_stream_viewers", [], "Viewers of live pictures.")
    static let liveEncodingTime = histogram(
        "gst_capture_stream_encoding_duration_seconds", ["camera"], buckets: workBuckets,
        "How long encoding a live picture took.")

    // Analytics.
    static let analyticsQueued = gauge(
        "gst_capture_analytics_queue_length", [], "Product events that wait for their delivery.")
    static let analyticsDelivered = counter(
        "gst_capture_analytics_delivered_total", [], "Product events that were delivered.")
    static let analyticsDropped = counter(
        "gst_capture_analytics_dropped_total", [],
        "Product events that were too old, too many, refused, or could not be stored.")
    static let analyticsFault = gauge(
        "gst_capture_analytics_fault", [], "1 while the queue of product events cannot be used.")

    // The outbox.
    static let outboxWaiting = gauge(
        "gst_capture_outbox_queue_length", ["target"], "Pictures that a target does not have yet.")
    static let outboxOldest = gauge(
        "gst_capture_outbox_oldest_timestamp_seconds", ["target"], "When the oldest of them was captured.")
    static let outboxSent = counter(
        "gst_capture_outbox_sent_total", ["target"], "Pictures that a target has confirmed, since the outbox began.")
    static let outboxSentBytes = counter("gst_capture_outbox_sent_bytes_total", ["target"], "Their bytes.")
    static let outboxDead = gauge(
        "gst_capture_outbox_dead", ["target"], "Pictures that are not sent until a person wants it.")
    static let outboxUp = gauge("gst_capture_outbox_target_up", ["target"], "1 unless a target fails.")
    static let outboxFault = gauge("gst_capture_outbox_fault", [], "1 while the outbox cannot be read.")

    // MQTT.
    static let mqttConnected = gauge("gst_capture_mqtt_connected", [], "1 while the broker is connected.")
    static let mqttQueued = gauge(
        "gst_capture_mqtt_queue_length", [], "Messages that wait to be sent, or for their acknowledgment.")
    static let mqttDelivered = counter(
        "gst_capture_mqtt_delivered_total", [], "Messages that the broker acknowledged.")
    static let mqttDropped = counter(
        "gst_capture_mqtt_dropped_total", [], "Messages that were dropped, or that the broker refused.")

    // HTTP.
    static let events = counter("gst_capture_events_total", [], "Events of the service.")
    static let listeners = gauge("gst_capture_event_listeners", [], "Clients that listen to events.")
    static let queuedEvents = gauge("gst_capture_event_queue_length", [], "Events that wait for clients.")
    static let droppedEvents = counter(
        "gst_capture_events_dropped_total", [], "Events that clients missed because they read too slowly.")
    static let connections = gauge("gst_capture_http_connections", [], "Open connections.")
    static let requests = counter(
        "gst_capture_http_requests_total", ["method", "route", "status"], "Responses by the template of the path.")
    static let requestDuration = histogram(
        "gst_capture_http_request_duration_seconds", ["route"], buckets: workBuckets,
        "The time to the head of the response.")

    // The process, with the names that all clients of Prometheus use.
    static let processTime = counter("process_cpu_seconds_total", [], "User and system time.")
    static let residentBytes = gauge("process_resident_memory_bytes", [], "Resident memory.")
    static let openDescriptors = gauge("process_open_fds", [], "Open file descriptors.")
    static let mostDescriptors = gauge("process_max_fds", [], "The maximum number of open file descriptors.")
    static let processStart = gauge("process_start_time_seconds", [], "When the process started.")

    /// All metrics.
    static let all = [
        captures, lateCaptures, missesInARow, lastCapture, lag, encodingTime, storingTime, stalls, losses,
        recoveries, build, ready, cameraUp, frames, lastFrame, seriesState, interval, nextSlot, freeSpace,
        storageLeft, streams, viewers, liveEncodingTime, analyticsQueued, analyticsDelivered, analyticsDropped,
        analyticsFault,
        outboxWaiting, outboxOldest, outboxSent, outboxSentBytes, outboxDead, outboxUp, outboxFault,
        mqttConnected, mqttQueued, mqttDelivered, mqttDropped, events,
        listeners, queuedEvents, droppedEvents, connections,
        requests, requestDuration,
        processTime, residentBytes, openDescriptors, mostDescriptors, processStart,
    ]
}
#endif
