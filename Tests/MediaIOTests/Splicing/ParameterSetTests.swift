import Testing

@testable import MediaIO

@Suite("Parameter sets")
struct ParameterSetTests {
    /// `avcC` of a 16×16 stream with SPS 0 and PPS 0, as x264 writes them, with the format of the high profiles behind.
    private let avc: [UInt8] = [
        1, 100, 0, 10, 0xFF, 0xE1, 0, 5, 0x67, 100, 0, 10, 0xAC, 1, 0, 3, 0x68, 0xCE, 0x38, 0xFD, 0xF8, 0xF8, 0,
    ]

    @Test func h264RecordsAreParsed() {
        let sets = StreamConfiguration(avc, codec: .h264).sets
        #expect(sets.map(\.kind) == [.sequence, .picture])
        #expect(sets.map(\.id) == [0, 0])
        #expect(sets[1].unit == [0x68, 0xCE, 0x38])
    }

    /// Damaged and hostile files contain such records.
    @Test func nothingIsAddedToADamagedRecord() {
        #expect(StreamConfiguration(avc, codec: .h264).acceptsSets)
        for count in 1..<19 { #expect(!StreamConfiguration(Array(avc.prefix(count)), codec: .h264).acceptsSets) }
        var full = avc
        full[13] = 255
        #expect(!StreamConfiguration(full, codec: .h264).acceptsSets)
        let hevc: [UInt8] = [1] + [UInt8](repeating: 0, count: 21) + [1, 0x20, 0, 1, 0, 4, 0x40, 1, 0x0C, 1]
        #expect(StreamConfiguration(hevc, codec: .hevc).acceptsSets)
        for count in 1..<hevc.count {
            #expect(!StreamConfiguration(Array(hevc.prefix(count)), codec: .hevc).acceptsSets)
        }
        #expect(StreamConfiguration([0, 0, 1, 0x67], codec: .h264).acceptsSets)
    }

    @Test func setsAreAddedToARecord() throws {
        let other = try [[0x67, 100, 0, 10, 0x4F], [0x68, 0x50, 0x80]].map {
            try #require(ParameterSet($0[...], codec: .h264))
        }
        #expect(other.map(\.id) == [1, 1])
        var configuration = StreamConfiguration(avc, codec: .h264)
        configuration.add(other)
        #expect(
            configuration.sets.map(\.unit) == [
                [0x67, 100, 0, 10, 0xAC], other[0].unit, [0x68, 0xCE, 0x38], other[1].unit,
            ])
        #expect(configuration.bytes.suffix(4) == [0xFD, 0xF8, 0xF8, 0])
    }

    @Test func recordsOfHEVCKeepOneArrayOfEachKind() throws {
        let head = [UInt8](repeating: 0, count: 21)
        let vps: [UInt8] = [0x40, 1, 0x0C, 1]
        let hvc = [1] + head + [1, 0x20, 0, 1, 0, 4] + vps
        let new = try [[0x40, 1, 0xFC, 1], [0x44, 1, 0x80]].map { try #require(ParameterSet($0[...], codec: .hevc)) }
        var configuration = StreamConfiguration(hvc, codec: .hevc)
        configuration.add(new)
        #expect(configuration.bytes[22] == 2)
        #expect(configuration.sets.map(\.unit) == [vps, new[0].unit, new[1].unit])
        #expect(configuration.sets.map(\.id) == [0, 15, 0])
    }

    @Test func streamsWithStartCodesAreParsed() throws {
        var configuration = StreamConfiguration(
            [0, 0, 0, 1, 0x67, 100, 0, 10, 0xAC, 0, 0, 1, 0x68, 0xCE, 0x38], codec: .h264)
        #expect(configuration.sets.map(\.kind) == [.sequence, .picture])
        configuration.add([try #require(ParameterSet([0x68, 0x50, 0x80], codec: .h264))])
        #expect(configuration.sets.map(\.id) == [0, 0, 1])
    }

    @Test func changedSetsApplyFromTheirPacketsOn() throws {
        let sequence = try #require(ParameterSet([0x67, 66, 0, 10, 0xF8], codec: .h264))
        let old = try #require(ParameterSet([0x68, 0xCE, 0x38], codec: .h264))
        let new = try #require(ParameterSet([0x68, 0xCE, 0x3C], codec: .h264))
        var sets = ParameterSets()
        sets.add(sequence, at: ParameterSets.header)
        sets.add(old, at: ParameterSets.header)
        // Zeros between units belong to none.
        sets.add(try #require(ParameterSet([0x68, 0xCE, 0x38, 0, 0], codec: .h264)), at: 3)
        #expect(!sets.haveChanged)
        sets.add(new, at: 7)
        #expect(sets.haveChanged)
        #expect(!sets.isFree(0) && sets.isFree(1))
        #expect(sets.all(at: 6) == [sequence, old] && sets.all(at: 7) == [sequence, new])
    }

    /// A set that the header lacks exists only from its packet on.
    @Test func lateSetsAreChanges() throws {
        var sets = ParameterSets()
        sets.add(try #require(ParameterSet([0x68, 0xCE, 0x38], codec: .h264)), at: 5)
        #expect(sets.haveChanged && sets.all(at: 4).isEmpty && sets.all(at: 5).count == 1)
    }

    /// Each entry refers to its picture parameter set, which refers to the sequence.
    @Test func entriesChooseTheirSequence() throws {
        var sets = ParameterSets()
        // Sequences 0 and 1, and the picture parameter sets 0 and 1 that refer to them.
        let units: [[UInt8]] = [
            [0x67, 66, 0, 10, 0xF8], [0x67, 66, 0, 20, 0x5F], [0x68, 0xCE, 0x38], [0x68, 0b0100_1011, 0x38],
        ]
        for unit in units { sets.add(try #require(ParameterSet(unit[...], codec: .h264)), at: ParameterSets.header) }
        #expect(sets.haveChanged)
        // `first_mb_in_slice` 0, `slice_type` 7, and the id.
        sets.addEntry([0x65, 0b1000_1000, 0b1000_0000], at: 0)
        sets.addEntry([0x65, 0b1000_1000, 0b0100_0000], at: 9)
        #expect(sets.sequence(at: 8) == units[0] && sets.sequence(at: 9) == units[1])
        #expect(sets.sequenceChanges(in: 1..<20) == [9])
    }

    @Test func truncatedSetsAreInvalid() {
        #expect(StreamConfiguration([1, 100, 0, 10, 0xFF, 0xE1, 0, 9, 0x67], codec: .h264).sets.isEmpty)
        #expect(StreamConfiguration([1, 2, 3], codec: .hevc).sets.isEmpty)
        #expect(ParameterSet([], codec: .h264) == nil)
    }

    @Test(arguments: [[], [0], [0, 0, 1], [0, 0, 0, 0, 0], [7, 0, 0, 3, 0, 0, 2, 255], [0, 0, 3]] as [[UInt8]])
    func escapingRoundTrips(_ plain: [UInt8]) {
        let unit = NALUnit.escaped(plain)
        #expect(NALUnit.unescaped(unit[...]) == plain)
        for index in unit.indices.dropLast(2) {
            #expect(!(unit[index] == 0 && unit[index + 1] == 0 && unit[index + 2] < 3))
        }
    }

    @Test func exponentialGolombNumbersAreParsed() {
        // 1, 010, 011, 00100, then −1 as 011.
        var reader = BitReader([0b1010_0110, 0b0100_0110])
        #expect((0..<4).map { _ in reader.unsigned() } == [0, 1, 2, 3])
        #expect(reader.signed() == -1)
        while !reader.isAtEnd { _ = reader.bit() }
        #expect(reader.bits(8) == 0)
    }
}

@Suite("Renumbered parameter sets of HEVC")
struct HEVCSetIDTests {
    @Test func aPicturesSetGetsAnIDOfNineBits() throws {
        // PPS 0 of SPS 0, then the bits 10 1101.
        let unit = HEVCSetIDs.renumbered([0x44, 1, 0b1110_1101, 0x80], picture: 17)
        var reader = BitReader(NALUnit.unescaped(unit[2...]))
        #expect(reader.unsigned() == 17)
        #expect(reader.unsigned() == 15)
        #expect(reader.bits(6) == 0b10_1101)
        #expect(reader.bits(8) == 0x80)
        #expect(try #require(ParameterSet(unit[...], codec: .hevc)).id == 17)
    }

    @Test(arguments: [(UInt8(0x02), 1), (0x28, 2)])
    func slicesReferToTheNewID(_ header: UInt8, _ flags: Int) {
        // The flags, PPS 0, and what follows.
        let content: [UInt8] = [flags == 1 ? 0b1101_0101 : 0b1011_0101, 0xAA, 0x55]
        let unit = HEVCSetIDs.renumbered([header, 1] + content, picture: 30)
        var reader = BitReader(NALUnit.unescaped(unit[2...]))
        var before = BitReader(content)
        #expect(reader.bits(flags) == before.bits(flags))
        #expect(before.unsigned() == 0)
        #expect(reader.unsigned() == 30)
        for _ in flags + 1..<24 { #expect(reader.bit() == before.bit()) }
        #expect(unit.count == 6)
    }

    @Test func otherUnitsAreUnchanged() {
        #expect(HEVCSetIDs.renumbered([0x4E, 1, 5, 6], picture: 15) == [0x4E, 1, 5, 6])
    }
}
