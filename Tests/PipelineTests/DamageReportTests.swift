import Testing

@testable import MediaIO
@testable import Pipeline

@Suite("Damage reports")
struct DamageReportTests {
    private func damage(_ seconds: Double?) -> DecodingDamage {
        let time = seconds.map { MediaTime(value: Int64($0 * 1000), timeBase: Rational(1, 1000)) }
        return DecodingDamage(kind: .undecodable, time: time, detail: "a packet is broken")
    }

    @Test func intervalsStartBeforeTheyEnd() {
        var report = DamageReport()
        // Packets in decoding order, where pictures refer to later ones.
        let reported = report.add([damage(3.267), damage(2.4), damage(nil), damage(2.8)], isClean: true)
        #expect(reported.map(\.message) == ["the input is damaged from 2.4 s to 3.267 s: a packet is broken (4 times)"])
    }

    @Test func singlePositionsAreNoInterval() {
        var report = DamageReport()
        #expect(report.add([damage(1.5)], isClean: false).isEmpty)
        #expect(report.add([], isClean: true).map(\.message) == ["the input is damaged at 1.5 s: a packet is broken"])
        #expect(report.add([], isClean: true).isEmpty)
    }
}
