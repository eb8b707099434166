// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CMosquitto
import Glibc

/// One connection to a broker (`struct mosquitto`), from the attempt to connect to its end.
///
/// It belongs to one thread, on which libmosquitto calls its callbacks, too.
final class MosquittoConnection {
    /// The events of a connection, on its thread.
    struct Handlers {
        /// The broker accepted the connection.
        let accepted: () -> Void
        /// A message arrived.
        let received: (MQTTMessage) -> Void
        /// The broker acknowledged a message, by libmosquitto's number; `false` if it refused the message.
        let acknowledged: (Int32, Bool) -> Void
    }

    private let handle: OpaquePointer
    private let handlers: Handlers
    private let usesVersion5: Bool
    private let configuration: MQTTConfiguration
    /// `true` after the broker has accepted the connection.
    private(set) var isAccepted = false
    /// `true` after the broker has answered the request to connect.
    private(set) var isAnswered = false
    /// The reason why the broker refused or ended the connection.
    private(set) var reason: String?
    /// The last error of libmosquitto or OpenSSL.
    private var error: String?

    /// Initializes the library once (`mosquitto_lib_init`).
    private static let isInitialized = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    /// Prepares a connection. Reads the files of certificates.
    ///
    /// - Returns: `nil` if libmosquitto refuses the configuration; `report` gets the reason.
    init?(
        _ configuration: MQTTConfiguration, usesVersion5: Bool, _ handlers: Handlers, report: (String) -> Void
    ) {
        guard Self.isInitialized, let handle = mosquitto_new(nil, true, nil) else {
            report("libmosquitto cannot be used")
            return nil
        }
        (self.handle, self.handlers, self.usesVersion5) = (handle, handlers, usesVersion5)
        self.configuration = configuration
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        for (name, code) in [("settings", setOptions()), ("will", setWill()), ("certificates", setCertificates())]
        where code != MOSQ_ERR_SUCCESS.code {
            report("\(name): \(Self.text(code))")
            return nil
        }
    }

    deinit {
        // The callbacks of the end must not reach this object.
        mosquitto_user_data_set(handle, nil)
        mosquitto_destroy(handle)
    }

    /// Connects (`mosquitto_connect_bind_v5`). Blocks while the name is resolved, and until the broker's machine responds;
    /// the answer of the broker follows.
    func open() -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if usesVersion5 {
            mosquitto_property_add_int32(
                &properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue.signed,
                UInt32(clamping: configuration.mostReceivedBytes))
        }
        return mosquitto_connect_bind_v5(
            handle, configuration.host, Int32(clamping: configuration.port),
            Int32(clamping: configuration.keepAlive.components.seconds), nil, properties)
    }

    /// The socket; -1 without one.
    var descriptor: Int32 { mosquitto_socket(handle) }
    /// `true` if there are bytes to send.
    var wantsToWrite: Bool { mosquitto_want_write(handle) }

    /// Reads from the socket (`mosquitto_loop_read`).
    func read() -> Int32 { mosquitto_loop_read(handle, 1) }
    /// Writes to the socket (`mosquitto_loop_write`).
    func write() -> Int32 { mosquitto_loop_write(handle, 1) }
    /// Checks whether the connection is alive (`mosquitto_loop_misc`).
    func check() -> Int32 { mosquitto_loop_misc(handle) }

    /// Subscribes to all topics of the configuration (`mosquitto_subscribe`).
    func subscribe() -> Int32 {
        for filter in configuration.subscriptions {
            let code = mosquitto_subscribe(handle, nil, filter, MQTTMessage.QualityOfService.atLeastOnce.rawValue)
            guard code == MOSQ_ERR_SUCCESS.code else { return code }
        }
        return MOSQ_ERR_SUCCESS.code
    }

    /// Sends a message (`mosquitto_publish`). Returns libmosquitto's number for it.
    func publish(_ message: MQTTMessage) -> (code: Int32, number: Int32) {
        var number: Int32 = 0
        let code = message.payload.withUnsafeBytes { bytes in
            mosquitto_publish(
                handle, &number, message.topic, Int32(clamping: bytes.count), bytes.baseAddress,
                message.quality.rawValue, message.isRetained)
        }
        return (code, number)
    }

    /// Says farewell, so that the broker does not publish the will (`mosquitto_disconnect`).
    func disconnect() { mosquitto_disconnect(handle) }

    /// Returns an error in words.
    func words(_ code: Int32) -> String {
        if let reason { return reason }
        let text = Self.text(code)
        return error.map { "\(text) (\($0))" } ?? text
    }

    private static func text(_ code: Int32) -> String {
        if code == MOSQ_ERR_ERRNO.code { return String(cString: strerror(errno)) }
        let text = String(cString: mosquitto_strerror(code))
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

// MARK: - Settings

extension MosquittoConnection {
    private func setOptions() -> Int32 {
        let version = usesVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        let code = mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
        guard code == MOSQ_ERR_SUCCESS.code, let credentials = configuration.credentials else { return code }
        return mosquitto_username_pw_set(handle, credentials.name, credentials.password)
    }

    private func setWill() -> Int32 {
        guard let will = configuration.will else { return MOSQ_ERR_SUCCESS.code }
        return will.payload.withUnsafeBytes { bytes in
            mosquitto_will_set(
                handle, will.topic, Int32(clamping: bytes.count), bytes.baseAddress, will.quality.rawValue,
                will.isRetained)
        }
    }

    private func setCertificates() -> Int32 {
        guard let tls = configuration.tls else { return MOSQ_ERR_SUCCESS.code }
        // Without a version, libmosquitto uses TLS 1.2 or newer. It checks the name of the broker.
        if tls.authorities == nil {
            let code = mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
            guard code == MOSQ_ERR_SUCCESS.code, tls.certificate != nil else { return code }
        }
        let folder: String? = tls.authorities == nil ? "/etc/ssl/certs" : nil
        return mosquitto_tls_set(handle, tls.authorities, folder, tls.certificate, tls.key, nil)
    }
}

// MARK: - Callbacks

extension MosquittoConnection {
    private static func connection(_ pointer: UnsafeMutableRawPointer?) -> MosquittoConnection? {
        pointer.map { Unmanaged<MosquittoConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setCallbacks() {
        mosquitto_connect_callback_set(handle) { _, pointer, code in
            MosquittoConnection.connection(pointer)?.answer(code)
        }
        mosquitto_disconnect_callback_set(handle) { _, pointer, code in
            MosquittoConnection.connection(pointer)?.end(code)
        }
        mosquitto_publish_v5_callback_set(handle) { _, pointer, number, code, _ in
            MosquittoConnection.connection(pointer)?.handlers.acknowledged(number, code < 0x80)
        }
        mosquitto_message_callback_set(handle) { _, pointer, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            MosquittoConnection.connection(pointer)?.handlers.received(
                MQTTMessage(
                    String(cString: topic), Array(bytes),
                    quality: MQTTMessage.QualityOfService(rawValue: message.qos) ?? .atLeastOnce,
                    isRetained: message.retain))
        }
        mosquitto_log_callback_set(handle) { _, pointer, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MosquittoConnection.connection(pointer)?.error = String(cString: text)
        }
    }

    private func answer(_ code: Int32) {
        isAnswered = true
        guard code == 0 else {
            let text = usesVersion5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
            reason = "the broker refused the connection: \(text.map { String(cString: $0) } ?? "\(code)")"
            return
        }
        isAccepted = true
        handlers.accepted()
    }

    private func end(_ code: Int32) {
        guard reason == nil, usesVersion5, code >= 0x80, let text = mosquitto_reason_string(code) else { return }
        reason = "the broker ended the connection: \(String(cString: text))"
    }
}

extension mosq_err_t {
    /// The value that functions return.
    var code: Int32 { rawValue }
}

extension UInt32 {
    fileprivate var signed: Int32 { Int32(bitPattern: self) }
}
#endif
