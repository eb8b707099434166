// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@testable import VideoKit

@Suite("Key frames and rates")
struct FramePacingTests {
    private func sent(_ requests: inout KeyFrameRequests, _ times: some Sequence<Int>) -> [Int] {
        times.filter { requests.take(at: .zero + .milliseconds($0)) }
    }

    @Test("A request is sent once, and the next not before a fifth of a second")
    func pause() {
        var requests = KeyFrameRequests()
        #expect(sent(&requests, [0, 33]) == [])
        requests.request()
        requests.request()
        #expect(sent(&requests, [66, 99]) == [66])
        requests.request()
        #expect(sent(&requests, stride(from: 100, to: 900, by: 50)) == [300])
    }

    @Test("A reader does not wait because of a periodic key frame")
    func readerAfterPeriodic() {
        var requests = KeyFrameRequests(period: .seconds(1))
        requests.record(keyAt: .zero)
        #expect(sent(&requests, stride(from: 33, to: 1023, by: 33)) == [990])
        requests.record(keyAt: .zero + .milliseconds(990))
        requests.request()
        #expect(sent(&requests, [1023, 1056]) == [1023])
    }

    @Test("A periodic request that the encoder has not answered is sent again")
    func unanswered() {
        var requests = KeyFrameRequests(period: .seconds(1))
        requests.record(keyAt: .zero)
        #expect(sent(&requests, [1000, 1100, 1199, 1200, 1300, 1400]) == [1000, 1200, 1400])
    }

    @Test("A key frame fulfills the requests before it")
    func fulfilled() {
        var requests = KeyFrameRequests()
        requests.request()
        requests.record(keyAt: .zero)
        #expect(sent(&requests, [33, 66, 2000]) == [])
    }

    @Test("Key frames are periodic by time, at any frame rate")
    func periodic() {
        for step in [33, 140, 1300] {
            var requests = KeyFrameRequests(period: .seconds(1))
            var keys = [0]
            requests.record(keyAt: .zero)
            for time in stride(from: step, to: 10_000, by: step) where requests.take(at: .zero + .milliseconds(time)) {
                requests.record(keyAt: .zero + .milliseconds(time))
                keys.append(time)
            }
            for (earlier, later) in zip(keys, keys.dropFirst()) {
                #expect((990..<(1000 + step)).contains(later - earlier))
            }
            #expect(keys.count >= 10_000 / (1000 + step))
        }
    }

    @Test("A rate limit passes frames evenly, and catches up with none after a pause")
    func rate() {
        var limit = FrameRateLimit(10)
        let times = Array(stride(from: 0, to: 1000, by: 33)) + [5000, 5033, 5066, 5099]
        let passed = times.filter { limit.accepts(.zero + .milliseconds($0)) }
        #expect(passed == [0, 99, 198, 297, 396, 495, 594, 693, 792, 891, 990, 5000, 5099])
        var none = FrameRateLimit(nil)
        #expect([0, 1, 2].allSatisfy { none.accepts(.zero + .milliseconds($0)) })
    }

    @Test(
        "Encoders get a frame rate for their budget",
        arguments: [
            ("video/x-raw,format=I420,width=64,height=48,framerate=30/1", nil, "30/1"),
            ("video/x-raw,format=I420,width=64,height=48,framerate=30/1", 12.5, "25/2"),
            ("video/x-raw,format=I420,framerate=15/1,width=64,height=48", 20.0, "15/1"),
            ("image/jpeg,framerate=0/1,width=64,height=48", nil, "30/1"),
            ("image/jpeg,width=64,height=48", 10.0, "10/1"),
        ] as [(String, Double?, String)])
    func format(_ caps: String, _ rate: Double?, _ expected: String) throws {
        var format = FrameFormat(rate: rate)
        let source = try Caps(caps)
        let result = format.caps(for: source)
        let found: Fraction? = result.structures.first?["framerate"]
        let (numerator, denominator) = (try #require(found).numerator, try #require(found).denominator)
        #expect("\(numerator)/\(denominator)" == expected)
        #expect(result.structures.first?["width"] == 64)
        #expect(format.caps(for: try Caps(caps)) == result)
    }

    @Test("A gate passes the newest frame when the encoder is ready, and counts the others")
    func gate() {
        var gate = FrameGate<Int>()
        #expect(gate.receive(0, keep: { -$0 }) == nil)
        #expect(gate.becomeReady() == 0)
        #expect(gate.becomeReady() == nil)
        #expect(gate.receive(1, keep: { -$0 }) == 1)
        for frame in 2...4 { #expect(gate.receive(frame, keep: { -$0 }) == nil) }
        #expect(gate.becomeReady() == -4)
        #expect(gate.droppedCount == 2)
        #expect(gate.receive(5, keep: { -$0 }) == nil)
        gate.clear()
        #expect(gate.becomeReady() == nil)
        #expect(gate.droppedCount == 2)
    }
}
