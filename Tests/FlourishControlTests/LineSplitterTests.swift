import NIOCore
import Testing

@testable import FlourishControl

@Suite struct LineSplitterTests {
    private func lines(_ pieces: [String]) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        return pieces.flatMap { splitter.add(ByteBuffer(string: $0).readableBytesView) }
    }

    private func whole(_ text: String) -> LineSplitter.Line { .whole(Array(text.utf8)) }

    @Test func linesAreAssembledFromPieces() {
        #expect(lines(["a\nb", "c", "d\n\ne"]) == [whole("a"), whole("bcd"), whole("")])
        #expect(lines(["", "\n", "\r\n"]) == [whole(""), whole("\r")])
    }

    @Test func longLinesAreReportedOnceAndImmediately() {
        let long = String(repeating: "x", count: LineSplitter.longest)
        #expect(lines([long, "\n"]) == [whole(long)])
        #expect(lines([long, "x"]) == [.tooLong])
        #expect(lines([long, "x", long, "\na\n"]) == [.tooLong, whole("a")])
        #expect(lines([long + "x\na\n"]) == [.tooLong, whole("a")])
    }
}
