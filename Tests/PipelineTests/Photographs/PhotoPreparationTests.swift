import MediaIO
import Raster
import Reactions
import Synchronization
import Testing

@testable import Pipeline

/// Resources that are prepared before a photograph is requested.
@Suite("Prepared photographs") struct PhotoPreparationTests {
    private static let quality = PhotoSettings(.jpeg, photoQualityPrioritization: .quality)
    private static let balanced = PhotoSettings(.jpeg, photoQualityPrioritization: .balanced)

    /// Answers in the order of arrival.
    private final class Answers: Sendable {
        private let state = Mutex<[String]>([])
        /// A copy: ThreadSanitizer does not see that a shared array is written only after its reader has released it.
        var all: [String] { state.withLock { $0.map { $0 } } }
        func note(_ name: String) -> @Sendable (Bool) -> Void {
            { done in self.state.withLock { $0.append("\(name) \(done)") } }
        }
    }

    @Test("Preparation waits for the first frame, and a later call replaces an earlier one")
    func order() async throws {
        let bench = try PhotoBench()
        let answers = Answers()
        bench.develop()
        bench.photos.prepare([Self.quality], completion: answers.note("first"))
        #expect(answers.all == [])
        bench.photos.prepare([Self.balanced], completion: answers.note("second"))
        #expect(answers.all == ["first false"])
        #expect(bench.photos.prepared == [Self.balanced])
        try bench.offer(0, rate: 30)
        #expect(try await bench.waits { answers.all.count == 2 })
        #expect(answers.all.last == "second true")

        bench.photos.prepare([], completion: answers.note("third"))
        #expect(try await bench.waits { answers.all.last == "third true" })
        bench.photos.close()
    }

    @Test("Preparation is cancelled by the end of the video")
    func endings() throws {
        let bench = try PhotoBench()
        let answers = Answers()
        bench.photos.prepare([Self.quality], completion: answers.note("only"))
        bench.photos.close()
        #expect(answers.all == ["only false"])
    }

    @Test("Fewer frames take less memory, and none takes none")
    func memory() {
        let processor = PhotoProcessor()
        let format = PictureFormat(width: 1920, height: 1080)
        let sizes = [16, 5, 0, 5].map { count in
            processor.prepare(format, frames: count)
            return processor.byteCount
        }
        // A frame takes two bytes for each sample, and luma again at ever smaller sizes; one more holds the result.
        let frame = 1920 * 1080 * 2 * (3 / 2 + 1 / 3.0)
        #expect((16.0...17 * 1.1).contains(Double(sizes[0]) / frame))
        #expect((5.0...6 * 1.1).contains(Double(sizes[1]) / frame))
        #expect(sizes[2] == 0 && sizes[3] == sizes[1])
    }
}
