// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The source of a pipeline that gets its frames from another machine.
package struct NetworkSource: Sendable {
    /// The name of the element.
    package let name: String
    /// The camera's address; `nil` if the element has none, such as a receiver of multicast.
    package let address: NetworkAddress?
    /// The name and the password that the element sends, as `name:password`; `nil` for none.
    package let credentials: String?
    /// `true` if the stream has no natural end: its end is a loss of the camera. A file that is fetched has one.
    package let isEndless: Bool
    /// `true` if the pipeline expects Motion JPEG in a multipart message.
    package let isMultipart: Bool

    /// Finds the network source of a pipeline; `nil` if there is none.
    package init?(in pipeline: Pipeline) {
        let elements = pipeline.descendants
        guard let source = elements.first(where: Self.isNetwork) else { return nil }
        (name, address) = (source.name, Self.address(of: source))
        credentials = Self.credentials(of: source) ?? address?.credentials
        isMultipart = elements.contains { $0.factoryName == "multipartdemux" }
        isEndless = isMultipart || Self.isLive(source)
    }

    /// `true` if the source may deliver a picture for each request (``PictureRequests``).
    var mayBePictures: Bool { isEndless && !isMultipart && address?.scheme.hasPrefix("http") == true }

    private static func isNetwork(_ element: Element) -> Bool {
        element.classification.contains("Source/Network") || address(of: element) != nil
    }

    /// HTTP sources can also fetch files: the default of their property `is-live` is `false`. A network source without
    /// this property is live.
    private static func isLive(_ element: Element) -> Bool {
        if let isLive = try? element.get("is-live", as: Bool.self) { return isLive }
        return element.classification.contains("Source/Network") || address(of: element)?.scheme.hasPrefix("rt") == true
    }

    private static func address(of element: Element) -> NetworkAddress? {
        for name in ["location", "uri"] where element.hasProperty(name) {
            guard let text = try? element.get(name, as: String.self) else { continue }
            if let address = NetworkAddress(text) { return address }
        }
        guard element.factoryName == "tcpclientsrc", let host = try? element.get("host", as: String.self),
            let port = try? element.get("port", as: Int.self)
        else { return nil }
        return NetworkAddress(host: host, port: port)
    }

    private static func credentials(of element: Element) -> String? {
        guard let name = try? element.get("user-id", as: String.self) else { return nil }
        return name + ":" + ((try? element.get("user-pw", as: String.self)) ?? "")
    }
}
