// Part of gst-capture. Apache License 2.0, see LICENSE.

import Synchronization

/// The items that other threads recorded, in order. A test waits for them instead of sleeping.
final class Log<Item: Sendable>: Sendable {
    private let state = Mutex<[Item]>([])
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func append(_ item: Item) {
        state.withLock { $0.append(item) }
        continuation.yield()
    }

    func append(contentsOf items: [Item]) {
        for item in items { append(item) }
    }

    var items: [Item] { state.withLock { $0 } }

    /// Waits until there are at least `count` items.
    @discardableResult
    func first(_ count: Int) async -> [Item] {
        await waiting(until: { $0.count >= count })
    }

    /// Waits until the items satisfy a condition. One task at a time.
    @discardableResult
    func waiting(until condition: ([Item]) -> Bool) async -> [Item] {
        var iterator = stream.makeAsyncIterator()
        while true {
            let items = items
            if condition(items) { return items }
            guard await iterator.next(isolation: #isolation) != nil else { return items }
        }
    }
}

extension Log where Item == Void {
    func append() { append(()) }
}

/// Records its release: a closure retains the token that it captures.
final class Token: Sendable {
    private let released: Log<Void>

    init(released: Log<Void>) { self.released = released }

    /// Makes a closure capture it.
    func touch() {}

    deinit { released.append(()) }
}
