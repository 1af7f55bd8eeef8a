import MediaIO
@testable import Pipeline
import Raster
import Testing

struct PictureTapTests {
    private let pool = FramePool()

    /// An arrival of another kind than expected.
    private struct Missing: Error {
        let what: String

        init(_ what: String) { self.what = what }
    }

    private func frame(at time: Double) throws -> VideoFrame {
        try VideoFrame(format: PictureFormat(width: 16, height: 16), time: MediaTime(seconds: time), pool: pool)
    }

    @Test func aCallerGetsTheNextFrame() async throws {
        let tap = PictureTap()
        async let arrival = tap.next(within: .seconds(60))
        while !tap.isWanted { await Task.yield() }
        tap.offer(try frame(at: 3))
        guard case .frame(let picture) = await arrival else { throw Missing("no frame") }
        #expect(picture.frame.time.seconds == 3 && !tap.isWanted)
    }

    @Test("Without a frame, a caller with a limit gives up, and later frames reach the others")
    func limits() async throws {
        let tap = PictureTap()
        async let patient = tap.next()
        while !tap.isWanted { await Task.yield() }
        guard case .late = await tap.next(within: .milliseconds(5)) else { throw Missing("not late") }
        #expect(tap.isWanted)
        tap.offer(try frame(at: 1))
        guard case .frame = await patient else { throw Missing("no frame") }
        guard case .late = await tap.next(within: .zero) else { throw Missing("not late") }
        #expect(!tap.isWanted)
    }

    @Test func nobodyWaitsAfterTheEnd() async throws {
        let tap = PictureTap()
        async let before = tap.next()
        while !tap.isWanted { await Task.yield() }
        tap.close()
        guard case .ended = await before, case .ended = await tap.next(within: .seconds(60)) else {
            throw Missing("not ended")
        }
    }

    @Test("A cancelled task stops waiting, before and after it began to, and others go on")
    func cancellation() async throws {
        let tap = PictureTap()
        async let patient = tap.next()
        while !tap.isWanted { await Task.yield() }
        for _ in 0..<20 {
            // Whether the cancellation or the wait comes first differs.
            let impatient = Task { await tap.next(within: .seconds(60)) }
            impatient.cancel()
            guard case .cancelled = await impatient.value else { throw Missing("not cancelled") }
        }
        #expect(tap.isWanted)
        tap.offer(try frame(at: 1))
        guard case .frame = await patient else { throw Missing("no frame") }
        #expect(!tap.isWanted)
    }
}
