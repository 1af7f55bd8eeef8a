import Synchronization
import Testing

@testable import Platform

/// Counts its live instances.
private struct Parcel: ~Copyable, Sendable {
    static let alive = Atomic(0)
    let number: Int
    init(_ number: Int) {
        self.number = number
        Self.alive.add(1, ordering: .relaxed)
    }
    deinit { Self.alive.subtract(1, ordering: .relaxed) }
}

@Suite(.serialized) struct ChannelTests {
    @Test func elementsArriveInSequenceWithBackPressure() {
        let channel = Channel<Parcel>(capacity: 2)
        let sender = StageThread {
            for number in 0..<1000 { _ = channel.send(Parcel(number)) }
            channel.finish()
        }
        var expected = 0
        while let parcel = channel.receive() {
            #expect(parcel.number == expected)
            #expect(Parcel.alive.load(ordering: .relaxed) <= 4)
            expected += 1
        }
        sender.join()
        #expect(expected == 1000)
        #expect(Parcel.alive.load(ordering: .relaxed) == 0)
    }

    @Test func theNewestElementTakesThePlaceOfTheOldest() {
        let channel = Channel<Parcel>(capacity: 2)
        for number in 0..<5 { channel.sendNewest(Parcel(number)) }
        #expect(Parcel.alive.load(ordering: .relaxed) == 2)
        channel.finish()
        var numbers: [Int] = []
        while let parcel = channel.receive() { numbers.append(parcel.number) }
        #expect(numbers == [3, 4])
        #expect(Parcel.alive.load(ordering: .relaxed) == 0)
    }

    @Test func cancellingWakesASenderAndDropsEverything() {
        let channel = Channel<Parcel>(capacity: 1)
        let accepted = Atomic(0)
        let sender = StageThread {
            while channel.send(Parcel(0)) { accepted.add(1, ordering: .relaxed) }
        }
        while accepted.load(ordering: .relaxed) == 0 {}
        channel.cancel()
        sender.join()
        let isOver = channel.receive() == nil
        #expect(isOver)
        #expect(Parcel.alive.load(ordering: .relaxed) == 0)
    }

    @Test func cancellingWakesAReceiver() {
        let channel = Channel<Parcel>(capacity: 1)
        let receiver = StageThread { while channel.receive() != nil {} }
        channel.cancel()
        receiver.join()
    }

    @Test func remainingElementsAreReleasedWithTheChannel() {
        do {
            let channel = Channel<Parcel>(capacity: 3)
            _ = channel.send(Parcel(1))
            _ = channel.send(Parcel(2))
        }
        #expect(Parcel.alive.load(ordering: .relaxed) == 0)
    }
}
