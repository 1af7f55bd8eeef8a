import Foundation
import TestSupport
import Testing

@testable import MediaIO

/// Sounds from files of other people.
@Suite("Sound files")
struct SoundFileTests {
    /// Returns the four bytes of a number, the least significant first.
    private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// Returns a WAV file of one channel at 48 kHz.
    ///
    /// - Parameter format: 1 for integers, 3 for floating-point numbers.
    private func wave(_ format: UInt8, bits: UInt8, _ data: [UInt8], rate: UInt32 = 48_000) -> [UInt8] {
        let block = Int(bits) / 8
        return Array("RIFF".utf8) + number(36 + data.count) + Array("WAVEfmt ".utf8) + number(16) + [format, 0, 1, 0]
            + number(Int(rate)) + number(Int(rate) * block) + [UInt8(block), 0, bits, 0] + Array("data".utf8)
            + number(data.count) + data
    }

    private func samples(_ bytes: [UInt8], rate: Int = 48_000) throws -> [Float] {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "tick.wav")
            try Data(bytes).write(to: file)
            return try SoundFile.samples(of: file.path, rate: rate)
        }
    }

    private func message(_ bytes: [UInt8]) -> String {
        do {
            _ = try samples(bytes)
            return ""
        } catch { return "\(error)" }
    }

    @Test func integersAreScaled() throws {
        let data: [UInt8] = [0, 0, 0, 0x40, 0, 0xC0, 0xFF, 0x7F]
        #expect(try samples(wave(1, bits: 16, data)).map { ($0 * 100).rounded() } == [0, 50, -50, 100])
    }

    /// Such samples would exceed the range of every codec once they are mixed.
    @Test func loudFloatingPointSamplesAreLimited() throws {
        let loud = [3e38, -3e38, 0.25 as Float].flatMap { number(Int($0.bitPattern)) }
        #expect(try samples(wave(3, bits: 32, loud)) == [1, -1, 0.25])
        #expect(message(wave(3, bits: 32, number(Int(Float.infinity.bitPattern)))).contains("cannot be decoded"))
    }

    @Test func otherFilesAreRefusedInOneLine() {
        let long = wave(1, bits: 16, [UInt8](repeating: 1, count: 8 * 16_000 * 2 + 64), rate: 16_000)
        #expect(message(long).contains("longer than 8 s"))
        #expect(message(Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVE".utf8)).contains("cannot be decoded"))
        // A container may hold codecs that a short sound does not need.
        #expect(message(wave(0x55, bits: 0, [UInt8](repeating: 0xFF, count: 64))).contains("cannot be decoded"))
        for text in [message(long), message([])] { #expect(!text.isEmpty && !text.contains("\n")) }
    }
}
