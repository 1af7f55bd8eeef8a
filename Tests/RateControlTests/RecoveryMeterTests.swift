import RateControl
import Testing

@Suite("Quality recovery after effects")
struct RecoveryMeterTests {
    /// Runs 30 frames a second through an encoder that keeps ten; effects run from 4 s to 8 s.
    private func recoveries(
        seconds: Int = 16, effects: [Range<Double>] = [4..<8], qp: (Double) -> Double?
    ) -> [RecoveryMeter.Recovery] {
        var meter = RecoveryMeter(), inside: [EncodedFrame] = [], found: [RecoveryMeter.Recovery] = []
        for index in 0..<seconds * 30 {
            let time = Double(index) / 30
            let shows = effects.contains { $0.contains(time) }
            if let recovery = meter.advance(to: time, showsEffects: shows) { found.append(recovery) }
            inside.append(EncodedFrame(time: time, duration: 1 / 30, bits: 10_000, qp: qp(time)))
            if inside.count > 10 { meter.observe(inside.removeFirst()) }
        }
        return found
    }

    @Test func recoveryIsMeasuredToAWindow() throws {
        let found = recoveries { (4..<9.5).contains($0) ? 35 : 24 }
        let recovery = try #require(found.first)
        #expect(found.count == 1)
        #expect(recovery.endTime == 8)
        #expect(abs(recovery.seconds - 1.5) <= RecoveryMeter.window)
        #expect(abs(recovery.usualQP - 24) < 0.1)
    }

    @Test func finePicturesRecoverAtOnce() {
        #expect(recoveries { _ in 24 }.first?.seconds == 0)
    }

    @Test func anotherEffectEndsTheMeasurement() {
        let found = recoveries(effects: [4..<8, 9..<10]) { (4..<12).contains($0) ? 35 : 24 }
        #expect(found.map(\.endTime) == [10])
        #expect(found.first.map { abs($0.seconds - 2) <= RecoveryMeter.window } == true)
    }

    @Test func missingRecoveryIsNotReported() {
        #expect(recoveries(seconds: 60) { $0 < 4 ? 24 : 35 }.isEmpty)
    }

    @Test func effectsAtTheStartAreNotMeasured() {
        let found = recoveries(seconds: 20, effects: [0..<2, 10..<12]) { (10..<13).contains($0) ? 35 : 24 }
        #expect(found.map(\.endTime) == [12])
    }

    @Test func nothingIsReportedWithoutQuantisers() {
        #expect(recoveries { _ in nil }.isEmpty)
    }
}
