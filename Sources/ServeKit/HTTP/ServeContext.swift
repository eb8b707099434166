// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Hummingbird
import NIOCore

/// The context of a request, with its connection.
struct ServeContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    /// The sender, which ``RequestGate`` sets.
    var caller = Caller.anonymous

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// ``RequestBytes`` limits the body of each endpoint.
    var maxUploadSize: Int { RequestBody.picture.most }
}
#endif
