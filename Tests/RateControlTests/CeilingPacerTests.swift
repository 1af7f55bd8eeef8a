import Foundation
import RateControl
import Testing

/// A simulated encoder that holds a ceiling by exceeding its rate: a frame costs the bits that its picture needs at
/// the ceiling, or those that its rate still allows if that is more.
private struct CeilingEncoder {
    var pacer = CeilingPacer()
    var frameRate = 30.0
    let bitRate = 1_500_000
    let ceiling = 30.0
    /// The bits of a frame at the ceiling, without effect.
    var need = 25_000.0
    /// The factor on a frame's bits between two instants, and its prediction.
    var effect: (range: Range<Double>, truth: Double, guess: Double)?
    var delay = 15

    struct Result {
        var kept: [Double] = []
        var bits: [Double] = []

        func rate(_ range: Range<Double>) -> Double {
            Double(kept.count { range.contains($0) }) / (range.upperBound - range.lowerBound)
        }

        func bitRate(_ range: Range<Double>) -> Double {
            zip(kept, bits).reduce(0) { $0 + (range.contains($1.0) ? $1.1 : 0) }
                / (range.upperBound - range.lowerBound)
        }
    }

    mutating func run(seconds: Double) -> Result {
        var result = Result(), inside: [EncodedFrame] = [], last = 0.0, overspent = 0.0
        for index in 0..<Int(seconds * frameRate) {
            let time = Double(index) / frameRate
            let isOn = effect.map { $0.range.contains(time) } ?? false
            let frame = CeilingPacer.Frame(
                time: time, ceiling: ceiling, bitRate: bitRate, complexity: isOn ? effect!.guess : 1)
            guard pacer.keeps(frame, mustStay: index == 0) else { continue }
            let needed = need * (isOn ? effect!.truth : 1)
            let due = Double(bitRate) * (index == 0 ? 1 / frameRate : time - last)
            last = time
            let bits = max(needed, due - overspent)
            overspent += bits - due
            // Twice the bits, a quantiser finer by six.
            let qp = ceiling - 6 * log2(bits / needed)
            result.kept.append(time)
            result.bits.append(bits)
            inside.append(EncodedFrame(time: time, duration: 1 / frameRate, bits: Int(bits), qp: max(qp, 0)))
            if inside.count > delay { pacer.observe(inside.removeFirst()) }
        }
        return result
    }
}

@Suite("Frame drops for a quantiser ceiling")
struct CeilingPacerTests {
    @Test(arguments: [24.0, 30, 60])
    func sufficientRatesDropNothing(_ frameRate: Double) {
        var encoder = CeilingEncoder(frameRate: frameRate, need: 750_000 / frameRate)
        #expect(encoder.run(seconds: 10).kept.count == Int(10 * frameRate))
    }

    @Test(arguments: [15, 40])
    func dropsAreEvenlySpaced(_ delay: Int) {
        var encoder = CeilingEncoder(need: 100_000, delay: delay)
        let result = encoder.run(seconds: 20)
        let rate = result.rate(8..<20)
        #expect(abs(rate - 15) < 2, "half of the frames fit: \(rate)")
        #expect(abs(result.bitRate(5..<20) - 1_500_000) < 200_000)
        let gaps = zip(result.kept.dropFirst(), result.kept).filter { $1 > 8 }.map { (($0 - $1) * 30).rounded() }
        #expect(gaps.allSatisfy { 1...3 ~= $0 }, "\(Set(gaps))")
    }

    @Test func announcedEffectsArePacedFromTheFirstFrame() {
        var encoder = CeilingEncoder(effect: (4..<9, 6, 6))
        let result = encoder.run(seconds: 15)
        #expect(result.rate(0..<4) == 30)
        #expect(abs(result.rate(4..<5) - 10) < 4, "\(result.rate(4..<5))")
        #expect(abs(result.rate(5..<9) - 10) < 2, "\(result.rate(5..<9))")
        #expect(result.rate(10..<15) == 30, "all frames are back within a second")
        #expect(result.bitRate(4..<9) < 1_900_000)
    }

    @Test(arguments: [1.0, 12])
    func wrongPredictionsAreCorrected(_ guess: Double) {
        var encoder = CeilingEncoder(effect: (4..<12, 6, guess))
        let result = encoder.run(seconds: 12)
        #expect(abs(result.rate(9..<12) - 10) < 3, "\(result.rate(9..<12))")
    }

    @Test func aMinimumFrameRateIsKept() {
        var encoder = CeilingEncoder(need: 20_000_000)
        let result = encoder.run(seconds: 30)
        #expect(result.rate(10..<30) >= 0.9)
    }

    @Test func requiredFramesAreKept() {
        var pacer = CeilingPacer()
        for index in 0..<300 {
            let time = Double(index) / 30
            let frame = CeilingPacer.Frame(time: time, ceiling: 20, bitRate: 100_000, complexity: 1)
            let stays = pacer.keeps(frame, mustStay: true)
            #expect(stays)
            pacer.observe(EncodedFrame(time: time, duration: 1 / 30, bits: 50_000, qp: 20))
        }
        #expect(pacer.shortage > 1)
    }
}
