import Testing

@testable import MediaIO

/// Streams are drawn: pictures in the order of decoding, each with its presentation time. `I` is an entry, `C` a CRA
/// picture, `L` one of its skipped leading pictures; any other letter refers to earlier pictures. A picture that is
/// cut off ends in `~`.
@Suite("Spans")
struct SpliceSpanTests {
    static func pictures(_ drawing: String) -> [CodedPicture] {
        drawing.split(separator: " ").enumerated().map { index, word in
            let role: CodedPicture.Role =
                switch word.first {
                case "I": .entry
                case "C": .openEntry
                case "L": .skippedLeading
                default: .dependent
                }
            let isCutAway = word.hasSuffix("~")
            return CodedPicture(
                presentationTime: Int64(word.dropFirst().filter { $0 != "~" }) ?? 0, decodingTime: Int64(index) - 2,
                duration: 1, role: role, isCutAway: isCutAway)
        }
    }

    private func span(_ drawing: String, _ touched: ClosedRange<Int64>) throws -> SpliceSpan {
        try #require(SpliceSpan.covering([touched], of: Self.pictures(drawing), gap: 1).first)
    }

    private static let reordered = "I0 P3 B1 B2 P6 B4 B5 P9 B7 B8 I10 P13 B11 B12"

    @Test func aSpanGoesFromItsMiniGroupToTheNextEntry() throws {
        let span = try span(Self.reordered, 5...5)
        #expect(span.packets == 4..<10)
        #expect(span.primer == 0)
        #expect(span.end == .entry)
        #expect(span.decoded == 0..<11)
    }

    @Test func spansWithoutALaterEntryExtendToTheEnd() throws {
        let span = try span(Self.reordered, 12...12)
        #expect(span.packets == 11..<14)
        #expect(span.primer == 10)
        #expect(span.end == .endOfStream)
    }

    @Test func leadingPicturesAreCodedWithTheSpanBeforeThem() throws {
        let span = try span("I0 P2 B1 C5 L3 L4 P8 B6 B7", 2...2)
        #expect(span.packets == 1..<3)
        #expect(span.leading == 4..<6)
        #expect(span.end == .openEntry)
        #expect(span.numbers == [1, 2, 4, 5])
        #expect(!span.replaces(3))
    }

    @Test func touchedLeadingPicturesNeedTheSpanBefore() throws {
        let span = try span("I0 P2 B1 C5 L3 L4 P8 B6 B7 I9", 4...4)
        #expect(span.packets == 3..<9)
        #expect(span.primer == 0)
    }

    @Test func decodingBeginsAtACRAOnlyBehindItsLeadingPictures() throws {
        #expect(try span("I0 P2 B1 C5 L3 L4 P8 B6 B7 I9", 8...8).primer == 3)
    }

    private static let openGroups = "I0 P2 B1 P3 P4 C7 L5 L6 P8 P9 P10 P11 P12 I13"

    private func spanWithTail(_ touched: ClosedRange<Int64>, length: Int?) throws -> SpliceSpan {
        let lengths = length.map { [5: $0] } ?? [:]
        return try #require(
            SpliceSpan.covering([touched], of: Self.pictures(Self.openGroups), tailLengths: lengths, gap: 1).first)
    }

    @Test func leadingPicturesOfARecoveryPointStayBehindIt() throws {
        let span = try spanWithTail(3...3, length: 1)
        #expect(span.packets == 3..<5)
        #expect(span.end == .recoveryPoint)
        #expect(span.leading == 6..<8)
        #expect(span.trailing == 8..<12)
        #expect(span.places == 3..<8)
        #expect(span.decoded == 0..<12)
        #expect(!span.replaces(5))
    }

    @Test func segmentsBeginEarlierForTheTailOfARecoveryPoint() throws {
        #expect(try spanWithTail(3...3, length: 3).packets == 1..<5)
        #expect(try spanWithTail(3...3, length: 5).packets == 0..<5)
    }

    @Test func segmentsDoNotEndBeforeUnsuitableRecoveryPoints() throws {
        for length in [nil, 6] {
            let span = try spanWithTail(3...3, length: length)
            #expect(span.packets == 3..<13)
            #expect(span.end == .entry)
        }
    }

    /// RADL pictures between its RASL pictures: their end cannot be determined.
    @Test func entriesWithScatteredLeadingPicturesAreRejected() throws {
        #expect(try span("I0 P1 C5 L3 B2 L4 P6 I7", 1...1).packets == 1..<7)
    }

    /// MP4 files mark pictures as key frames that are followed by pictures shown earlier.
    @Test func entriesShownTooEarlyAreRejected() throws {
        #expect(try span("I0 P3 I2 B1 P4 I5", 0...0).packets == 0..<5)
    }

    @Test func nearbyIntervalsMerge() {
        let pictures = Self.pictures("I0 P1 P2 P3 I4 P5 P6 P7 I8 P9")
        let two = SpliceSpan.covering([1...1, 6...6], of: pictures, gap: 2)
        #expect(two.map(\.packets) == [1..<4, 6..<8])
        let one = SpliceSpan.covering([1...1, 6...6], of: pictures, gap: 3)
        #expect(one.map(\.packets) == [1..<8])
        #expect(one.first?.primer == 0)
    }

    @Test func untouchedVideosHaveNoSpan() {
        #expect(SpliceSpan.covering([], of: Self.pictures("I0 P1"), gap: 1).isEmpty)
        #expect(SpliceSpan.covering([7...9], of: Self.pictures("I0 P1"), gap: 1).isEmpty)
    }
}

@Suite("Spans behind cuts")
struct SpansBehindCutsTests {
    private func spans(_ drawing: String, _ touched: [ClosedRange<Int64>] = []) -> [SpliceSpan] {
        SpliceSpan.covering(touched, of: SpliceSpanTests.pictures(drawing), gap: 1)
    }

    @Test func picturesAfterACutAreEncodedUpToTheNextEntry() {
        let spans = spans("I0 P1 P2 I3~ P4~ I5~ P6~ P7 P8 I9 P10")
        #expect(spans.map(\.packets) == [7..<9])
        #expect(spans.first?.primer == 5)
        #expect(spans.first?.end == .entry)
    }

    /// An edit list leaves the pictures after a cut with the times of those that are cut away.
    @Test func cutPicturesMayHaveTheTimesOfOthers() {
        #expect(spans("I0 P1 P2 P3~ P4~ I2~ P3 P4 I5 P6").map(\.packets) == [6..<8])
    }

    @Test func cutsBeforeAnEntryNeedNoSpan() {
        #expect(spans("I0 P1 P2~ P3~ I4 P5").isEmpty)
        #expect(spans("I0~ P1~ I2 P3").isEmpty)
        #expect(spans("I0 P1 P2 P3~ P4~").isEmpty)
    }

    @Test func picturesThatMayReferToACutOneAtTheEndAreEncoded() {
        let spans = spans("I0 P1 P4~ B2 B3 P7~ B5~ B6~")
        #expect(spans.map(\.packets) == [3..<5])
        #expect(spans.first?.end == .endOfStream)
    }

    @Test func leadingPicturesOfACRABehindACutAreEncodedWithIt() {
        #expect(spans("I0 P1~ P2~ C5 L3 L4 P6 I7").map(\.packets) == [3..<7])
    }

    @Test func eachCutHasItsSpan() {
        #expect(spans("I0 P1~ P2 I3 P4 P5~ P6 P7 I8").map(\.packets) == [2..<3, 6..<8])
    }

    @Test func effectAndCutSpansMerge() {
        let spans = spans("I0 P1~ P2 P3 I4 P5 I6", [3...5])
        #expect(spans.map(\.packets) == [2..<6])
        #expect(spans.first?.end == .entry)
    }
}

@Suite("Times of spliced packets")
struct SpliceTimingTests {
    private let pictures = SpliceSpanTests.pictures("I0 P3 B1 B2 P6 B4 B5 I7 P8")

    @Test func theSourcesTimesAreKept() {
        let timing = SpliceTiming(pictures)
        #expect(pictures.indices.map(timing.decodingTime) == Array(-2...6))
        #expect(timing.reorderDepth == 1)
    }

    @Test func equalFrameCountsReuseTheTimes() {
        let timing = SpliceTiming(pictures)
        let span = SpliceSpan(packets: 4..<7, leading: 7..<7, primer: 0, end: .entry)
        #expect(timing.decodingTimes(of: [4, 6, 5], replacing: span) == [2, 3, 4])
    }

    /// With dropped frames, the others are decoded no later than they are shown.
    @Test func fewerFramesKeepTheOrder() throws {
        let timing = SpliceTiming(pictures)
        let span = SpliceSpan(packets: 1..<7, leading: 7..<7, primer: 0, end: .entry)
        let times = try #require(timing.decodingTimes(of: [1, 5, 3], replacing: span))
        #expect(times.count == 3)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(times, [1, 5, 3]).allSatisfy { $0 <= $1 })
        #expect(times[0] > timing.decodingTime(of: 0))
    }

    /// The leading pictures of a CRA picture move before it if no times are free for them.
    @Test func leadingPicturesGetFreeTimes() throws {
        let far = SpliceSpanTests.pictures("I0 P2 B1 C5 L3 L4 P6").map {
            CodedPicture(
                presentationTime: $0.presentationTime * 100, decodingTime: ($0.decodingTime ?? 0) * 100, role: $0.role)
        }
        let timing = SpliceTiming(far)
        let span = SpliceSpan(packets: 1..<3, leading: 4..<6, primer: 0, end: .openEntry)
        let times = try #require(timing.decodingTimes(of: [100, 200, 300, 400], replacing: span))
        #expect(times.first ?? 0 > timing.decodingTime(of: 0))
        #expect(times.last ?? 0 < timing.decodingTime(of: 3))
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Only the last packets make room: all others keep their times, and the video its frame rate.
    @Test func mostTimesAreKeptWithLeadingPictures() throws {
        let far = SpliceSpanTests.pictures("I0 P1 P2 P3 P4 P5 P6 P7 P8 P9 P10 P11 P12 P13 P14 P15 P16 C19 L17 L18 P20")
            .map {
                CodedPicture(
                    presentationTime: $0.presentationTime * 100, decodingTime: ($0.decodingTime ?? 0) * 100,
                    role: $0.role)
            }
        let timing = SpliceTiming(far)
        let span = SpliceSpan(packets: 1..<17, leading: 18..<20, primer: 0, end: .openEntry)
        let coded = (1...18).map { Int64($0 * 100) }
        let times = try #require(timing.decodingTimes(of: coded, replacing: span))
        #expect(times.prefix(8).elementsEqual((1...8).map { timing.decodingTime(of: $0) }))
        #expect(times.last ?? 0 < timing.decodingTime(of: 17))
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Removed pictures have no influence on the order of times, whatever their own.
    @Test func cutPicturesHaveNoTimes() {
        let timing = SpliceTiming(SpliceSpanTests.pictures("I0 P1 P2~ I1~ P2 P3"))
        #expect([0, 1, 4, 5].map(timing.decodingTime) == [-2, -1, 2, 3])
        #expect(timing.decodingTime(of: 3) == -1)
        let repeated = SpliceSpanTests.pictures("I0 P1 P2~ P2").map {
            CodedPicture(
                presentationTime: $0.presentationTime, decodingTime: nil, role: $0.role, isCutAway: $0.isCutAway)
        }
        #expect([0, 1, 3].map(SpliceTiming(repeated).decodingTime) == [0, 1, 2])
    }

    @Test func timesFailWithoutRoom() {
        let span = SpliceSpan(packets: 1..<2, leading: 2..<2, primer: 0, end: .entry)
        let timing = SpliceTiming(SpliceSpanTests.pictures("I0 P1 I2"))
        #expect(timing.decodingTimes(of: [-3], replacing: span) == nil)
    }

    @Test func missingTimesAreGenerated() {
        let silent = pictures.map {
            CodedPicture(presentationTime: $0.presentationTime, decodingTime: nil, role: $0.role)
        }
        let timing = SpliceTiming(silent)
        let times = silent.indices.map(timing.decodingTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(times, silent).allSatisfy { $0 <= $1.presentationTime })
    }
}
