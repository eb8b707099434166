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
        /// The broker acknowledged a message, by libmosquitto's number, or refused it.
        let acknowledged: (Int32, MQTTOutcome) -> Void
        /// The broker answered the request for a filter; `false` if it refused it.
        let subscribed: (String, Bool) -> Void
    }

    private let handle: OpaquePointer
    private var socket: PacedSocket?
    private let handlers: Handlers
    private let usesVersion5: Bool
    private let configuration: MQTTConfiguration
    /// `true` after the broker has accepted the connection.
    private(set) var isAccepted = false
    /// `true` after the broker has answered the request to connect.
    private(set) var isAnswered = false
    /// The maximum size of a packet that the broker accepts, in bytes; `nil` if it did not report one.
    private(set) var mostPacketBytes: Int?
    /// The code with which the broker refused or ended the connection.
    private var endCode: Int32?
    /// The reason why the broker refused or ended the connection, or why the client does.
    private var reason: String?
    /// The last error of libmosquitto or OpenSSL.
    private var error: String?
    /// The filters of the subscriptions that the broker has not answered, by libmosquitto's numbers.
    private var subscriptions: [Int32: String] = [:]
    /// The bytes that arrived since the last complete packet, and the maximum.
    private var unfinishedBytes = 0
    private let mostUnfinishedBytes: Int

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
        mostUnfinishedBytes = max(1 << 20, 4 * configuration.mostReceivedBytes)
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
        let code = mosquitto_connect_bind_v5(
            handle, configuration.host, Int32(clamping: configuration.port),
            Int32(clamping: configuration.keepAlive.components.seconds), nil, properties)
        guard code == MOSQ_ERR_SUCCESS.code else { return code }
        socket = PacedSocket(replacing: descriptor)
        return socket == nil ? MOSQ_ERR_ERRNO.code : code
    }

    /// The socket of libmosquitto; -1 without one.
    private var descriptor: Int32 { mosquitto_socket(handle) }
    /// `true` if there are bytes to send.
    var wantsToWrite: Bool { mosquitto_want_write(handle) || !(socket?.hasSent ?? true) }

    /// Waits for the network or the alarm, and lets libmosquitto work (`mosquitto_loop_read`, `mosquitto_loop_write`,
    /// `mosquitto_loop_misc`).
    ///
    /// - Returns: An error of the connection.
    func step(_ alarm: WakeUp, for span: Duration) -> Int32 {
        socket?.send()
        guard descriptor >= 0, let socket else { return MOSQ_ERR_CONN_LOST.code }
        let isUnread = unreadBytes > 0
        // While the network accepts nothing, its end of the pair may be full.
        let canWrite = mosquitto_want_write(handle) && !socket.isFull
        alarm.wait(for: isUnread || canWrite ? .zero : span, socket.entries(canReceive: !isUnread))
        if !isUnread { unfinishedBytes += socket.receive() }
        var code = mosquitto_loop_read(handle, 1)
        if code == MOSQ_ERR_SUCCESS.code, mosquitto_want_write(handle) { code = mosquitto_loop_write(handle, 1) }
        socket.send()
        guard code == MOSQ_ERR_SUCCESS.code else { return code }
        guard unfinishedBytes <= mostUnfinishedBytes else {
            reason = "the broker sends a message of more than \(mostUnfinishedBytes) bytes"
            return MOSQ_ERR_OVERSIZE_PACKET.code
        }
        return mosquitto_loop_misc(handle)
    }

    /// The bytes that libmosquitto has not read yet.
    private var unreadBytes: Int32 {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : 0
    }

    /// Subscribes to all topics of the configuration (`mosquitto_subscribe`).
    func subscribe() -> Int32 {
        for filter in configuration.subscriptions {
            var number: Int32 = 0
            let code = mosquitto_subscribe(handle, &number, filter, MQTTMessage.QualityOfService.atLeastOnce.rawValue)
            guard code == MOSQ_ERR_SUCCESS.code else { return code }
            subscriptions[number] = filter
        }
        return MOSQ_ERR_SUCCESS.code
    }

    /// `true` if the broker has answered all subscriptions.
    var hasSubscribed: Bool { subscriptions.isEmpty }

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
    func disconnect() {
        mosquitto_disconnect(handle)
        socket?.send()
    }

    /// The maximum size of a payload that the broker accepts on a topic, in bytes; `nil` if it did not report one.
    func mostPayloadBytes(_ topic: String) -> Int? {
        // The header, the length of the topic, the number of the packet and the length of its properties.
        mostPacketBytes.map { max(0, $0 - topic.utf8.count - 16) }
    }

    /// Returns `true` if the broker ended the connection with this error, perhaps because of a message.
    func isEndOfBroker(_ code: Int32) -> Bool {
        if let endCode { return Self.codesOfMessages.contains(endCode) }
        if let failure = socket?.failure { return failure == EPIPE || failure == ECONNRESET }
        return [MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_TLS.code, MOSQ_ERR_ERRNO.code].contains(code)
    }

    /// The codes of MQTT 5 with which a broker ends a connection because of a message. Others are a shutdown, for example.
    private static let codesOfMessages: Set<Int32> = [
        0x80, 0x81, 0x82, 0x83, 0x87, 0x90, 0x94, 0x95, 0x97, 0x99, 0x9A, 0x9B,
    ]

    /// `true` if the broker refused the version of the protocol, and another one can help.
    var isVersionRefused: Bool { endCode.map { $0 == 1 || $0 == MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.code } ?? false }

    /// Returns an error in words.
    func words(_ code: Int32) -> String {
        if let reason { return reason }
        if let failure = socket?.failure { return String(cString: strerror(failure)) }
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
        mosquitto_connect_v5_callback_set(handle) { _, pointer, code, _, properties in
            var most: UInt32 = 0
            let isLimited =
                mosquitto_property_read_int32(properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue.signed, &most, false)
                != nil
            MosquittoConnection.connection(pointer)?.answer(code, isLimited ? Int(most) : nil)
        }
        mosquitto_disconnect_callback_set(handle) { _, pointer, code in
            MosquittoConnection.connection(pointer)?.end(code)
        }
        mosquitto_publish_v5_callback_set(handle) { _, pointer, number, code, _ in
            MosquittoConnection.connection(pointer)?.handlers.acknowledged(
                number, MosquittoConnection.outcome(code))
        }
        mosquitto_subscribe_callback_set(handle) { _, pointer, number, count, codes in
            let isGranted = count > 0 && codes.map { $0.pointee < 0x80 } ?? false
            MosquittoConnection.connection(pointer)?.answer(subscription: number, isGranted)
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
            guard let text, let connection = MosquittoConnection.connection(pointer) else { return }
            if level == MOSQ_LOG_ERR { connection.error = String(cString: text) }
            // It has a line for each packet that is complete.
            if level == MOSQ_LOG_DEBUG, strstr(text, " received ") != nil { connection.unfinishedBytes = 0 }
        }
    }

    /// The meaning of an acknowledgment with a code of MQTT 5.
    private static func outcome(_ code: Int32) -> MQTTOutcome {
        guard code >= 0x80 else { return .delivered }
        guard code != MQTT_RC_PACKET_TOO_LARGE.code else { return .tooLarge(most: nil) }
        let text = mosquitto_reason_string(code).map { String(cString: $0) } ?? "\(code)"
        return .refused(reason: "the broker refuses the message: \(text)")
    }

    private func answer(subscription number: Int32, _ isGranted: Bool) {
        guard let filter = subscriptions.removeValue(forKey: number) else { return }
        handlers.subscribed(filter, isGranted)
    }

    private func answer(_ code: Int32, _ mostBytes: Int?) {
        isAnswered = true
        mostPacketBytes = mostBytes
        guard code == 0 else {
            endCode = code
            let text = usesVersion5 ? mosquitto_reason_string(code) : mosquitto_connack_string(code)
            reason = "the broker refused the connection: \(text.map { String(cString: $0) } ?? "\(code)")"
            return
        }
        isAccepted = true
        handlers.accepted()
    }

    private func end(_ code: Int32) {
        if usesVersion5, code >= 0x80, endCode == nil { endCode = code }
        guard reason == nil, usesVersion5, code >= 0x80, let text = mosquitto_reason_string(code) else { return }
        reason = "the broker ended the connection: \(String(cString: text))"
    }
}

extension mosq_err_t {
    /// The value that functions return.
    var code: Int32 { rawValue }
}

extension mqtt5_return_codes {
    fileprivate var code: Int32 { rawValue.signed }
}

extension UInt32 {
    fileprivate var signed: Int32 { Int32(bitPattern: self) }
}
#endif
