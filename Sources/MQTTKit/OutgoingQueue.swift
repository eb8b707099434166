// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The messages that a broker has not acknowledged yet, oldest first. Pure.
///
/// A retained message replaces an earlier one of its topic that was not sent yet: only the last one matters. If the queue
/// exceeds its limits, it drops the oldest message that is not retained; if all are, the oldest.
struct OutgoingQueue {
    struct Entry {
        let id: Int
        let message: MQTTMessage
        var isSent = false
    }

    private let most: Int
    private let mostBytes: Int
    private var entries: [Entry] = []
    private var nextID = 0
    private(set) var byteCount = 0

    init(most: Int, mostBytes: Int) { (self.most, self.mostBytes) = (most, mostBytes) }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// The number of messages that were sent and not acknowledged.
    private(set) var sentCount = 0

    /// Appends a message.
    ///
    /// - Returns: Its ID, the message that it replaces, and those that are dropped. The message itself is dropped if it
    ///   is larger than the queue.
    mutating func append(_ message: MQTTMessage) -> (id: Int, replaced: Int?, dropped: [Int]) {
        let id = nextID
        nextID += 1
        guard message.byteCount <= mostBytes else { return (id, nil, [id]) }
        var replaced: Int?
        if message.isRetained,
            let index = entries.firstIndex(where: {
                $0.message.isRetained && !$0.isSent && $0.message.topic == message.topic
            })
        {
            replaced = remove(at: index).id
        }
        entries.append(Entry(id: id, message: message))
        byteCount += message.byteCount
        var dropped: [Int] = []
        while count > most || byteCount > mostBytes {
            let index = entries.firstIndex { !$0.message.isRetained } ?? entries.startIndex
            dropped.append(remove(at: index).id)
        }
        return (id, replaced, dropped)
    }

    /// Returns the oldest message that was not sent yet, and counts it as sent.
    mutating func takeNext() -> Entry? {
        guard let index = entries.firstIndex(where: { !$0.isSent }) else { return nil }
        entries[index].isSent = true
        sentCount += 1
        return entries[index]
    }

    /// Removes a message: it was acknowledged, or cannot be sent. Returns `false` if it was dropped before.
    @discardableResult
    mutating func remove(_ id: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
        _ = remove(at: index)
        return true
    }

    /// Counts no message as sent: the connection was lost.
    mutating func reset() {
        for index in entries.indices { entries[index].isSent = false }
        sentCount = 0
    }

    private mutating func remove(at index: Int) -> Entry {
        let entry = entries.remove(at: index)
        byteCount -= entry.message.byteCount
        if entry.isSent { sentCount -= 1 }
        return entry
    }
}
