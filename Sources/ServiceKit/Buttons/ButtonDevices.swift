// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Dispatch
import Glibc

/// Reads the keys of input devices (evdev), also of those that are plugged in later. It does not poll.
public final class ButtonDevices: Sendable {
    /// A device that cannot be used, or a key that was pressed.
    public enum Event: Sendable, Hashable {
        case pressed(ServiceButton)
        /// The error, once for each node.
        case failed(CaptureError)
        /// The keys of a device cannot be kept from other programs. They are reported all the same, unless another program
        /// keeps them for itself.
        case shared(CaptureError)
    }

    /// The events since the creation; the stream ends with ``end()``.
    public let events: AsyncStream<Event>
    private let readers: ButtonReaders

    /// Starts to watch and to read.
    ///
    /// - Parameters:
    ///   - nodes: The folder of the nodes.
    ///   - records: The folder in which the kernel names the devices.
    /// - Returns: `nil` if the kernel cannot watch the folder that has the folder of the nodes.
    public init?(_ buttons: [ServiceButton], nodes: String = "/dev/input", records: String = "/sys/class/input") {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
        guard let readers = ButtonReaders(buttons, nodes, records, continuation) else { return nil }
        (self.events, self.readers) = (events, readers)
    }

    deinit { readers.end() }

    /// Stops reading.
    public func end() { readers.end() }
}

/// The open devices of a ``ButtonDevices``. `@unchecked Sendable` because only its serial queue uses its state.
private final class ButtonReaders: @unchecked Sendable {
    private let buttons: [ServiceButton]
    private let nodes: String
    private let records: String
    private let continuation: AsyncStream<ButtonDevices.Event>.Continuation
    private let queue = DispatchQueue(label: "gst-capture.buttons")
    private let watch: Int32
    private let watchSource: any DispatchSourceRead
    /// By the names of the nodes.
    private var sources: [String: any DispatchSourceRead] = [:]
    /// The nodes whose errors were reported.
    private var failed: Set<String> = []

    init?(
        _ buttons: [ServiceButton], _ nodes: String, _ records: String,
        _ continuation: AsyncStream<ButtonDevices.Event>.Continuation
    ) {
        (self.buttons, self.nodes, self.records, self.continuation) = (buttons, nodes, records, continuation)
        watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        // The kernel makes the folder of nodes with the first device.
        guard watch >= 0, inotify_add_watch(watch, DeviceFiles.folder(of: nodes), UInt32(IN_CREATE)) >= 0 else {
            if watch >= 0 { close(watch) }
            return nil
        }
        watchSource = DispatchSource.makeReadSource(fileDescriptor: watch, queue: queue)
        watchSource.setEventHandler { [weak self] in self?.rescan() }
        watchSource.setCancelHandler { [watch] in close(watch) }
        watchSource.activate()
        queue.async { [self] in openAll() }
    }

    func end() {
        queue.async { [self] in
            watchSource.cancel()
            for source in sources.values { source.cancel() }
            sources = [:]
            continuation.finish()
        }
    }

    private func rescan() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(watch, buffer.baseAddress, buffer.count) > 0 {}
        }
        openAll()
    }

    /// Opens the devices of buttons that are not open.
    private func openAll() {
        // The folder may be new. udev gives the rights of a node after its creation.
        _ = inotify_add_watch(watch, nodes, UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO | IN_DELETE))
        let names = Set(DeviceFiles.names(in: nodes).filter { $0.hasPrefix("event") })
        failed.formIntersection(names)
        for name in names.sorted() where sources[name] == nil {
            let own = buttons.filter { isDevice($0.device, name) }
            if !own.isEmpty { open(name, own) }
        }
    }

    private func isDevice(_ device: String, _ name: String) -> Bool {
        if device.hasPrefix("/") { return DeviceFiles.canonical(device) == DeviceFiles.canonical("\(nodes)/\(name)") }
        let title = DeviceFiles.line("\(records)/\(name)/device/name")
        return title.map { FixedText.trimmed($0).lowercased() == device.lowercased() } ?? false
    }

    private func open(_ name: String, _ own: [ServiceButton]) {
        let descriptor = Glibc.open("\(nodes)/\(name)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return fail(name, own[0].device, errno) }
        if let button = own.first(where: \.isGrabbed), ioctl(descriptor, cinput_grab, 1) != 0 {
            reportShared(button.device, errno)
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.readKeys(descriptor, name, own) }
        source.setCancelHandler { close(descriptor) }
        sources[name] = source
        failed.remove(name)
        source.activate()
    }

    private func fail(_ name: String, _ device: String, _ number: Int32) {
        // udev removes some nodes at once, and changes the rights of others: this is called again then.
        guard number != ENOENT, failed.insert(name).inserted else { return }
        let advice = number == EACCES ? "add the user of the service to the group input" : nil
        continuation.yield(
            .failed(
                CaptureError(
                    number == EACCES ? .permission : .inputOutput, CaptureError.systemMessage(number),
                    subject: "buttons: \(device)", advice: advice)))
    }

    private func reportShared(_ device: String, _ number: Int32) {
        let isTaken = number == EBUSY
        let problem =
            isTaken
            ? "another program keeps its keys for itself"
            : "its keys reach other programs, too: \(CaptureError.systemMessage(number))"
        continuation.yield(
            .shared(
                CaptureError(
                    isTaken ? .temporary : .inputOutput, problem, subject: "buttons: \(device)",
                    advice: isTaken ? "end that program, and plug the device in again" : nil)))
    }

    private func readKeys(_ descriptor: Int32, _ name: String, _ own: [ServiceButton]) {
        withUnsafeTemporaryAllocation(of: input_event.self, capacity: 64) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count * MemoryLayout<input_event>.stride)
                guard count > 0 else {
                    // An unplugged device is at its end.
                    if count == 0 || errno != EAGAIN { sources.removeValue(forKey: name)?.cancel() }
                    return
                }
                for event in buffer[..<(count / MemoryLayout<input_event>.stride)] { handle(event, own) }
            }
        }
    }

    /// Reports a press. A value of 0 is the release, and 2 the repetition of a key that is held.
    private func handle(_ event: input_event, _ own: [ServiceButton]) {
        guard event.type == UInt16(EV_KEY), event.value == 1 else { return }
        for button in own where button.key.map({ $0 == Int(event.code) }) ?? true {
            continuation.yield(.pressed(button))
        }
    }
}
