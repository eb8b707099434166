// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Synchronization

extension Object {
    /// Calls `handler` each time the signal is emitted (`g_signal_connect_closure_by_id`).
    ///
    /// A detail limits the calls, if the signal has details: `notify::caps` is emitted when the property `caps`
    /// changes.
    ///
    /// The handler receives the signal's arguments without the object itself. It runs on the emitting thread, often a
    /// streaming thread: it must not wait, and must not change the state of the pipeline. If the signal has a result,
    /// the handler's result becomes the signal's. GObject keeps the handler until ``SignalConnection/disconnect()`` or
    /// the end of the object; capture the object weakly.
    ///
    /// - Throws: ``PipelineError/Code/signal`` if there is no such signal.
    @discardableResult
    public final func connect(
        _ signal: String, _ handler: @escaping @Sendable ([Value]) -> Value?
    ) throws(PipelineError) -> SignalConnection {
        let (number, detail) = try find(signal)
        let closure = SignalHandler.closure(over: handler)
        let identifier = g_signal_connect_closure_by_id(pointer, number, detail, closure, 0)
        return SignalConnection(object: pointer, identifier: identifier)
    }

    /// Emits a signal, usually an action such as `push-sample`, and returns its result (`g_signal_emitv`).
    ///
    /// - Throws: ``PipelineError/Code/signal`` if there is no such signal, or it takes other arguments.
    @discardableResult
    public final func emit(_ signal: String, _ arguments: Value...) throws(PipelineError) -> Value? {
        let (identifier, detail) = try find(signal)
        var query = GSignalQuery()
        g_signal_query(identifier, &query)
        var instanceAndArguments = SignalArguments(self)
        defer { instanceAndArguments.unset() }
        guard instanceAndArguments.append(arguments, asIn: query) else {
            throw failure(.signal, "the signal \(signal) takes other arguments")
        }
        return instanceAndArguments.emit(identifier, detail, returning: query.return_type)
    }

    /// Looks a signal up, with its detail after `::` (`g_signal_parse_name`).
    private func find(_ signal: String) throws(PipelineError) -> (number: guint, detail: GQuark) {
        var (number, detail): (guint, GQuark) = (0, 0)
        guard !signal.utf8.contains(0),
            g_signal_parse_name(signal, cgst_object_type(pointer), &number, &detail, 1) != 0
        else { throw failure(.signal, "there is no signal \(signal)") }
        return (number, detail)
    }
}

/// The connection of a handler to a signal; see ``Object/connect(_:_:)``.
///
/// Releasing this object does not disconnect the handler.
///
/// `@unchecked Sendable`: GObject keeps and locks the weak reference; the other fields are immutable or atomic.
public final class SignalConnection: @unchecked Sendable {
    // Weak: if an object that the handler captures holds this connection, a strong reference would keep the GObject
    // forever.
    private let object: UnsafeMutablePointer<GWeakRef>
    private let identifier: gulong
    private let isDisconnected = Atomic(false)

    init(object: UnsafeMutableRawPointer, identifier: gulong) {
        self.object = .allocate(capacity: 1)
        self.identifier = identifier
        g_weak_ref_init(self.object, object)
    }

    deinit {
        g_weak_ref_clear(object)
        object.deallocate()
    }

    /// Disconnects the handler (`g_signal_handler_disconnect`). A run in progress on another thread may end after this
    /// returns. A second call, even a concurrent one, has no effect, nor does a call after the end of the object.
    public func disconnect() {
        guard !isDisconnected.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard let alive = g_weak_ref_get(object) else { return }
        defer { g_object_unref(alive) }
        if g_signal_handler_is_connected(alive, identifier) != 0 { g_signal_handler_disconnect(alive, identifier) }
    }
}

/// The Swift closure behind a GClosure, which retains and releases it.
private final class SignalHandler: Sendable {
    let body: @Sendable ([Value]) -> Value?

    init(_ body: @escaping @Sendable ([Value]) -> Value?) { self.body = body }

    static func closure(over body: @escaping @Sendable ([Value]) -> Value?) -> UnsafeMutablePointer<GClosure>? {
        let data = Unmanaged.passRetained(SignalHandler(body)).toOpaque()
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data)
        g_closure_add_finalize_notifier(closure, data, releaseSignalHandler)
        g_closure_set_marshal(closure, marshalSignal)
        return closure
    }
}

// Free functions: a closure literal could inherit an actor's isolation and crash on a streaming thread.
private func releaseSignalHandler(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() }
}

private func marshalSignal(
    _ closure: UnsafeMutablePointer<GClosure>?, _ result: UnsafeMutablePointer<GValue>?, _ count: guint,
    _ parameters: UnsafePointer<GValue>?, _ hint: gpointer?, _ marshalData: gpointer?
) {
    guard let data = closure?.pointee.data else { return }
    let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
    let arguments = (1..<max(1, Int(count))).compactMap { index in parameters.map { Value(copying: $0 + index) } }
    let answer = handler.body(arguments)
    // If the result has the wrong type, the signal's zero value stays in place.
    if let result, let answer { _ = answer.store(in: result) }
}

/// The object and the arguments in the form that `g_signal_emitv` expects: an array of GValues.
private struct SignalArguments {
    private var values: [GValue]

    init(_ object: Object) {
        values = [GValue()]
        g_value_init(&values[0], cgst_object_type(object.pointer))
        g_value_set_object(&values[0], object.pointer)
    }

    mutating func append(_ arguments: [Value], asIn query: GSignalQuery) -> Bool {
        guard arguments.count == Int(query.n_params) else { return false }
        for (index, argument) in arguments.enumerated() {
            // The lowest bit marks arguments of static scope; it is not part of the type.
            values.append(GValue())
            g_value_init(&values[index + 1], query.param_types[index] & ~GType(1))
            guard argument.store(in: &values[index + 1]) else { return false }
        }
        return true
    }

    func emit(_ identifier: guint, _ detail: GQuark, returning type: GType) -> Value? {
        let resultType = type & ~GType(1)
        guard resultType != cgst_type_none else {
            g_signal_emitv(values, identifier, detail, nil)
            return nil
        }
        return withGValue(of: resultType) { result in
            g_signal_emitv(values, identifier, detail, result)
            return Value(copying: result)
        }
    }

    mutating func unset() {
        for index in values.indices { g_value_unset(&values[index]) }
    }
}
