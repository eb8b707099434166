// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import PipelineKit
import HomeAssistantKit
import MetricsKit
import ServiceKit
import Synchronization
import SystemBase
import UploadKit

/// The metrics of a service: counters follow its events, and the state is read when it is scraped.
final class ServeMetrics: ServiceObserver, Sendable {
    private let store: MetricStore
    /// The last report on the disk of each series.
    private let storage = Mutex<[String: Storage]>([:])
    /// The last event that each listener has.
    private let positions = Mutex<[ObjectIdentifier: Int]>([:])
    private let bridge = Mutex<MQTTBridge?>(nil)
    private let analytics = Mutex<AnalyticsQueue?>(nil)
    private let outbox = Mutex<ServiceOutbox?>(nil)

    private struct Storage: Sendable {
        let camera: String
        let report: StorageReport
    }

    /// - Parameter store: Keeps the samples between scrapes.
    init(_ store: MetricStore = MetricStore()) { self.store = store }

    /// Adds the numbers of the queue of product events to each scrape.
    func measure(_ queue: AnalyticsQueue) { analytics.withLock { $0 = queue } }

    /// Adds the numbers of the outbox to each scrape.
    func measure(_ outbox: ServiceOutbox) { self.outbox.withLock { $0 = outbox } }

    /// Adds the numbers of the connection to the MQTT broker to each scrape.
    func measure(_ bridge: MQTTBridge) { self.bridge.withLock { $0 = bridge } }

    /// Counts a change of the number of connections.
    func changeConnections(by amount: Int) { store.add(Double(amount), to: .connections) }

    /// Notes the last event that a listener has; `nil` when it leaves.
    func move(_ listener: ObjectIdentifier, to event: Int?) { positions.withLock { $0[listener] = event } }

    /// Counts events that a client misses because it reads too slowly.
    func countDroppedEvents(_ count: Int) { if count > 0 { store.add(Double(count), to: .droppedEvents) } }

    /// Counts a response.
    ///
    /// - Parameters:
    ///   - method: A method of the API, or `other`: clients must not be able to create labels.
    ///   - route: The path of the endpoint with its parameters in braces, or `other`.
    func countRequest(method: String, route: String, status: Int, duration: Duration) {
        store.add(to: .requests, [method, route, String(status)])
        store.observe(duration.inSeconds, in: .requestDuration, [route])
    }
}

// MARK: - Events

extension ServeMetrics {
    func record(_ event: CaptureEvent, camera: String, series: String?) {
        let job = [camera, series ?? ""]
        switch event {
        case .captured(let still): record(still, job)
        case .missed(let slots, let reason):
            store.add(Double(slots.count), to: .captures, job + ["missed", reason.rawValue])
            store.add(Double(slots.count), to: .missesInARow, job)
        case .failed: store.add(to: .captures, job + ["failed", ""])
        case .stalled: store.add(to: .stalls, job)
        case .lost: store.add(to: .losses, job)
        case .recovered: store.add(to: .recoveries, job)
        case .storage(let report):
            if let series { storage.withLock { $0[series] = Storage(camera: camera, report: report) } }
        default: break
        }
    }

    func recordLivePicture(of camera: String, encodedIn duration: Duration) {
        store.observe(duration.inSeconds, in: .liveEncodingTime, [camera])
    }

    private func record(_ still: Still, _ job: [String]) {
        store.add(to: .captures, job + ["captured", ""])
        if still.isLate { store.add(to: .lateCaptures, job) }
        store.set(0, of: .missesInARow, job)
        store.set(still.captured.inSeconds, of: .lastCapture, job)
        // A frame may be earlier than its slot: it is not late.
        store.observe(max(0, still.offset.inSeconds), in: .lag, job)
        store.observe(still.encodingTime.inSeconds, in: .encodingTime, [job[0]])
        store.observe(still.storingTime.inSeconds, in: .storingTime, [job[0]])
    }
}

// MARK: - Scrapes

extension ServeMetrics {
    /// Returns all metrics as text. The free space and the state of the process are read on a thread that may block.
    func exposition(of service: CaptureService) async -> String {
        let status = await service.status
        forget(allBut: status)
        let reports = storage.withLock { $0 }
        let (spaces, process) = await BlockingWork.run { () throws(Never) in
            (reports.compactMapValues { DiskSpace(at: $0.report.folder)?.free }, ProcessUsage())
        }
        var text = Exposition()
        store.write(to: &text)
        text.write(status)
        if let queue = analytics.withLock({ $0 }) {
            let (fault, queue) = (queue.fault, queue.statistics)
            text.metric(.analyticsQueued, [([], Double(queue.waiting))])
            text.metric(.analyticsDelivered, [([], Double(queue.delivered))])
            text.metric(.analyticsDropped, [([], Double(queue.dropped))])
            text.metric(.analyticsFault, [([], fault == nil ? 0 : 1)])
        }
        if let outbox = outbox.withLock({ $0 }) { text.write(try? await outbox.reports()) }
        if let mqtt = bridge.withLock({ $0?.statistics }) {
            text.metric(.mqttConnected, [([], mqtt.isConnected ? 1 : 0)])
            text.metric(.mqttQueued, [([], Double(mqtt.queued))])
            text.metric(.mqttDelivered, [([], Double(mqtt.delivered))])
            text.metric(.mqttDropped, [([], Double(mqtt.dropped))])
        }
        let positions = positions.withLock { Array($0.values) }
        text.metric(.listeners, [([], Double(positions.count))])
        text.metric(.queuedEvents, [([], Double(positions.reduce(0) { $0 + max(0, status.lastEvent - $1) }))])
        let live = service.streamCount
        text.metric(.streams, [([], Double(live.streams))])
        text.metric(.viewers, [([], Double(live.viewers))])
        text.metric(
            .freeSpace,
            reports.sorted { $0.key < $1.key }.compactMap { id, storage in
                spaces[id].map { ([storage.camera, id], Double($0)) }
            })
        text.metric(
            .storageLeft,
            reports.sorted { $0.key < $1.key }.compactMap { id, storage in
                storage.report.timeLeft.map { ([storage.camera, id], $0.inSeconds) }
            })
        text.write(process)
        return text.text
    }

    /// Forgets a series that was removed. Clients can create any number of series, one after the other.
    func forget(series id: String) {
        storage.withLock { _ = $0.removeValue(forKey: id) }
        store.removeSamples { names, values in
            zip(names, values).contains { name, value in name == "series" && value == id }
        }
    }

    /// Forgets cameras and series that a new configuration does not have.
    private func forget(allBut status: ServiceStatus) {
        let cameras = Set(status.cameras.map(\.id))
        let series = Set(status.series.map(\.id) + [""])
        storage.withLock { $0 = $0.filter { series.contains($0.key) } }
        store.removeSamples { names, values in
            zip(names, values).contains { name, value in
                name == "camera" && !cameras.contains(value) || name == "series" && !series.contains(value)
            }
        }
    }
}

extension Exposition {
    /// Appends the state of cameras and series.
    fileprivate mutating func write(_ status: ServiceStatus) {
        metric(.build, [([Version.current], 1)])
        metric(.events, [([], Double(status.lastEvent))])
        metric(.ready, [([], status.isReady ? 1 : 0)])
        metric(.cameraUp, status.cameras.map { ([$0.id], $0.health.state == .lost ? 0 : 1) })
        metric(.frames, status.cameras.map { ([$0.id], Double(status.frames(of: $0.id))) })
        let now = (clock: PipelineClock.system.now, wall: WallTime.now())
        metric(
            .lastFrame,
            status.cameras.compactMap { camera in
                status.lastFrame(of: camera.id).map { ([camera.id], now.wall.inSeconds - (now.clock - $0).inSeconds) }
            })
        metric(
            .seriesState,
            status.series.flatMap { series in
                SeriesStatus.State.allCases.map {
                    ([series.camera, series.id, $0.rawValue], series.state == $0 ? 1 : 0)
                }
            })
        metric(
            .interval,
            status.series.compactMap { series in
                series.interval.map { ([series.camera, series.id], $0.inSeconds) }
            })
        metric(
            .nextSlot,
            status.series.compactMap { series in
                series.nextSlot.map { ([series.camera, series.id], $0.dueTime.inSeconds) }
            })
    }

    /// Appends the targets of an outbox; `nil` if it cannot be read.
    fileprivate mutating func write(_ targets: [TargetReport]?) {
        metric(.outboxFault, [([], targets == nil ? 1 : 0)])
        guard let targets else { return }
        let numbers: [(Metric, (TargetReport) -> Double?)] = [
            (.outboxWaiting, { Double($0.backlog.count) }),
            (.outboxOldest, { $0.backlog.oldest?.inSeconds }),
            (.outboxSent, { Double($0.state.sentCount) }),
            (.outboxSentBytes, { Double($0.state.sentBytes) }),
            (.outboxDead, { Double($0.state.deadCount) }),
            (.outboxUp, { $0.state.isFailing ? 0 : 1 }),
        ]
        for (name, number) in numbers {
            metric(name, targets.compactMap { target in number(target).map { ([target.state.id], $0) } })
        }
    }

    /// Appends the use of the process.
    fileprivate mutating func write(_ process: ProcessUsage?) {
        guard let process else { return }
        metric(.processTime, [([], process.processorSeconds)])
        metric(.residentBytes, [([], Double(process.residentBytes))])
        metric(.openDescriptors, [([], Double(process.openDescriptors))])
        metric(.mostDescriptors, [([], Double(process.mostDescriptors))])
        metric(.processStart, [([], process.start)])
    }
}

extension ServiceStatus {
    /// The jobs of a camera share its frames.
    fileprivate func frames(of camera: String) -> Int {
        series.lazy.filter { $0.camera == camera }.compactMap(\.pulse?.frames).max() ?? 0
    }

    fileprivate func lastFrame(of camera: String) -> ClockTime? {
        series.lazy.filter { $0.camera == camera }.compactMap(\.pulse?.lastFrame).max()
    }
}

extension Duration {
    /// Seconds.
    var inSeconds: Double { Double(nanoseconds) / 1e9 }
}

extension WallTime {
    /// Seconds since 1970.
    fileprivate var inSeconds: Double { Double(seconds) + Double(nanoseconds) / 1e9 }
}
#endif
