// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite struct `The age of things by a clock that may jump` {
    private static let day: Int64 = 86_400
    private static let today = AgeClock.firstTime + 300 * day

    /// A machine whose clocks a test moves.
    private struct Machine {
        var reading: AgeClock.Reading
        var clock: AgeClock

        init(wall: Int64, isSynchronized: Bool? = false) {
            reading = AgeClock.Reading(wall: wall, steady: 10, isSynchronized: isSynchronized)
            clock = AgeClock(reading)
        }

        mutating func wait(_ seconds: Int64) {
            reading.wall += seconds
            reading.steady += seconds
            clock.update(reading)
        }

        mutating func jump(_ seconds: Int64, isSynchronized: Bool? = false) {
            reading.wall += seconds
            reading.isSynchronized = isSynchronized
            clock.update(reading)
        }
    }

    @Test(arguments: [true, false, nil])
    func `Without a jump the age is the difference`(isSynchronized: Bool?) {
        var machine = Machine(wall: Self.today, isSynchronized: isSynchronized)
        machine.wait(100)
        #expect(machine.clock.isTrusted)
        #expect(machine.clock.age(of: Self.today) == 100 && machine.clock.age(of: Self.today - 50) == 150)
        #expect(machine.clock.age(of: Self.today + 500) == 0)
    }

    @Test(arguments: [true, false, nil])
    func `What this process made before a jump has the steady age, whether the jump is believed or not`(
        isSynchronized: Bool?
    ) {
        var machine = Machine(wall: 1000)
        machine.wait(30)
        let made = machine.reading.wall
        machine.wait(60)
        machine.jump(Self.today, isSynchronized: isSynchronized)
        machine.wait(10)
        #expect(machine.clock.age(of: made) == 70)
        #expect(machine.clock.age(of: machine.reading.wall - 5) == 5)
    }

    @Test func `What an earlier process made is not judged after a jump until the clock is synchronized`() {
        var machine = Machine(wall: Self.today - 30 * Self.day)
        let earlier = Self.today - 100 * Self.day
        #expect(machine.clock.age(of: earlier) == 70 * Self.day)
        machine.jump(30 * Self.day)
        #expect(!machine.clock.isTrusted && machine.clock.age(of: earlier) == nil)
        machine.wait(2 * Self.day)
        #expect(machine.clock.age(of: earlier) == nil)
        machine.jump(0, isSynchronized: true)
        #expect(machine.clock.age(of: earlier) == 102 * Self.day)
    }

    @Test func `A clock that cannot be asked counts as set a day after its jump`() {
        var machine = Machine(wall: Self.today, isSynchronized: nil)
        machine.jump(5 * Self.day, isSynchronized: nil)
        machine.wait(Self.day - 1)
        #expect(!machine.clock.isTrusted)
        machine.wait(1)
        #expect(machine.clock.isTrusted)
    }

    @Test func `A clock that is set back, or ahead and back, makes nothing older`() {
        var machine = Machine(wall: Self.today)
        machine.wait(100)
        machine.jump(-3600)
        #expect(machine.clock.isTrusted && machine.clock.age(of: Self.today + 50) == 50)
        machine.jump(3600)
        machine.jump(Self.day)
        machine.jump(-Self.day)
        #expect(machine.clock.isTrusted && machine.clock.age(of: Self.today + 50) == 50)
    }

    @Test func `A time before this software is that of a clock that was not set`() {
        let machine = Machine(wall: Self.today, isSynchronized: true)
        #expect(machine.clock.age(of: 5000) == nil)
        #expect(!Machine(wall: 5000, isSynchronized: true).clock.isTrusted)
    }

    @Test func `After many jumps nothing is older than by the steady clock`() {
        var machine = Machine(wall: Self.today)
        var made: [(time: Int64, steady: Int64)] = []
        for number in 0..<200 {
            machine.wait(10)
            made.append((machine.reading.wall, machine.reading.steady))
            machine.wait(10)
            machine.jump(number % 3 == 0 ? -7 * Self.day : 4 * Self.day)
        }
        for (time, steady) in made {
            #expect(machine.clock.age(of: time).map { $0 <= machine.reading.steady - steady } ?? true)
        }
    }

    @Test func `The clock of this machine judges the present`() {
        let clock = AgeClock.current()
        #expect(clock.age(of: WallTime.now().seconds - 5).map { (4...20).contains($0) } ?? !clock.isTrusted)
    }
}
