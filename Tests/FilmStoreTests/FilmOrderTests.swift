// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import FilmKit
@testable import FilmStore

@Suite("The order of a film")
struct FilmOrderTests {
    private static func order(_ text: String) throws -> FilmOrder { try FilmOrder(Array(text.utf8)) }

    @Test func `An order is read, and its text is the same order`() throws {
        let order = try Self.order(
            #"{"series":"garden","length_s":20,"deflicker":true,"time":"%H:%M","gaps":"hold","width":1280,"height":720,"#
                + #""since":"2026-11-21 06:00"}"#)
        #expect(order.source == .series("garden") && order.settings.pace == .length(.seconds(20)))
        #expect(order.settings.deflickers && order.settings.time == "%H:%M" && order.settings.gaps == .hold)
        #expect(order.settings.size == FrameSize(width: 1280, height: 720) && order.settings.since != nil)
        #expect(try FilmOrder(Array(order.json.text.utf8)) == order)
        let album = try Self.order(#"{"album":"0a1b2c3d","rate":12.5}"#)
        #expect(album.source == .album("0a1b2c3d") && album.settings.order == .time)
        // `2h ago` is a moment: it must not move while the order waits.
        let ago = try Self.order(#"{"series":"garden","since":"2h ago"}"#)
        #expect(try FilmOrder(Array(ago.json.text.utf8)).settings.since?.seconds == ago.settings.since?.seconds)
    }

    @Test(arguments: [
        ("{}", "series"), (#"{"series":"a","album":"b"}"#, "album"), (#"{"series":"a","rate":0}"#, "rate"),
        (#"{"series":"a","rate":30,"length_s":5}"#, "length_s"), (#"{"series":"a","length_s":1e9}"#, "length_s"),
        (#"{"series":"a","time":""}"#, "time"), (#"{"series":"a","since":"soon"}"#, "since"),
        (#"{"series":"a","output":"/etc/passwd"}"#, "output"),
    ])
    func `A mistake names its member`(text: String, member: String) {
        let error = #expect(throws: CaptureError.self) { try Self.order(text) }
        #expect(
            error?.code == .usage && error?.subject == member && error?.advice != nil, "\(String(describing: error))")
    }

    @Test func `Any bytes are an order or one error`() throws {
        var generator = SplitMix(7)
        let sound = Array(#"{"series":"garden","length_s":20,"deflicker":true,"width":640,"height":480}"#.utf8)
        for _ in 0..<2000 {
            do throws(CaptureError) {
                _ = try FilmOrder(sound.mutated(&generator).mutated(&generator))
            } catch {
                #expect(error.code == .usage && !error.message.contains("\n"))
            }
        }
    }
}
