import Testing

@testable import MediaIO

/// The ends of segments of H.264 before recovery points.
@Suite("Recovery points")
struct RecoveryPointTests {
    /// `frame_num` has 4 bits, `pic_order_cnt_lsb` 6, and there are up to 4 references.
    private static let sequence: SequenceLimits = {
        var writer = BitWriter()
        writer.add(77, bits: 8)
        writer.add(0, bits: 8)
        writer.add(40, bits: 8)
        // The id, the bits of the number, the type and the bits of the order, and the references.
        for value in [0, 0, 0, 2, 4] { writer.addUnsigned(value) }
        writer.add(false)
        for value in [19, 14] { writer.addUnsigned(value) }
        writer.add(true)
        writer.align(with: true)
        return SequenceLimits([0x67] + writer.bytes)
    }()

    private static let picture: AVCPictureParameters = {
        var writer = BitWriter()
        for value in [0, 0] { writer.addUnsigned(value) }
        writer.add(0b10, bits: 2)
        for value in [0, 0, 0] { writer.addUnsigned(value) }
        writer.add(0, bits: 3)
        for _ in 0..<3 { writer.addSigned(0) }
        writer.add(0b100, bits: 3)
        writer.align(with: true)
        return AVCPictureParameters([0x68] + writer.bytes)
    }()

    /// Returns a slice with a few bytes of data.
    private static func slice(
        _ type: Int, idc: UInt8 = 1, isIDR: Bool = false, frameNumber: Int, order: Int, removing: [Int]? = nil
    ) -> [UInt8] {
        var writer = BitWriter()
        for value in [0, type, 0] { writer.addUnsigned(value) }
        writer.add(frameNumber, bits: 4)
        if isIDR { writer.addUnsigned(1) }
        writer.add(order, bits: 6)
        // No other number of references, and no reordering.
        if type == 0 { writer.add(0, bits: 2) }
        if idc > 0 {
            if isIDR { writer.add(0, bits: 2) } else { writer.add(removing != nil) }
            if let removing {
                for difference in removing { for value in [1, difference - 1] { writer.addUnsigned(value) } }
                writer.addUnsigned(0)
            }
        }
        if type != 2 { writer.addUnsigned(0) }
        writer.addSigned(-3)
        writer.addUnsigned(1)
        writer.align(with: true)
        let data: [UInt8] = [0, 0, 1, 0xAB, 0xCD, 0x80]
        return [idc << 5 | (isIDR ? 5 : 1)] + NALUnit.escaped(writer.bytes + data)
    }

    private static func header(_ slice: [UInt8]) throws -> AVCSliceHeader {
        try #require(AVCSliceHeader(slice[...], sequence) { _ in picture })
    }

    @Test func parametersAreRead() {
        #expect(Self.sequence.frameNumberBits == 4)
        #expect(Self.sequence.orderBits == 6)
        #expect(Self.sequence.referenceFrames == 4)
        #expect(!Self.sequence.mayBeInterlaced)
        #expect(Self.picture.usesArithmeticCoding)
        #expect(Self.picture.controlsDeblocking)
    }

    @Test func headersAreRead() throws {
        let header = try Self.header(Self.slice(0, frameNumber: 9, order: 34, removing: [1, 3]))
        #expect(header.frameNumber == 9)
        #expect(header.order == 34)
        #expect(header.marking == .removing([1, 3]))
        #expect(!header.isIntra)
        #expect(try Self.header(Self.slice(2, isIDR: true, frameNumber: 0, order: 0)).isIDR)
    }

    @Test func damagedHeadersAreRejected() {
        let whole = Self.slice(0, frameNumber: 9, order: 34, removing: [1, 3])
        for count in 0...3 {
            #expect(AVCSliceHeader(whole[..<count], Self.sequence) { _ in Self.picture } == nil)
        }
        #expect(AVCSliceHeader(whole[...], Self.sequence) { _ in nil } == nil)
    }

    @Test(arguments: [
        AVCSliceHeader.Place(
            referenceIDC: 1, isIDR: true, pictureSet: 5, frameNumber: 0, order: 0, marking: .sliding),
        AVCSliceHeader.Place(referenceIDC: 0, pictureSet: 5, frameNumber: 12, order: 63, marking: .sliding),
        AVCSliceHeader.Place(referenceIDC: 2, pictureSet: 5, frameNumber: 3, order: 1, marking: .removing([2, 5])),
    ])
    func movedSlicesHaveTheirPlaceAndTheirData(_ place: AVCSliceHeader.Place) throws {
        let slice = Self.slice(2, isIDR: true, frameNumber: 0, order: 0)
        let moved = try #require(
            AVCSliceHeader.moved(slice, from: Self.sequence, Self.picture, to: Self.sequence, place))
        let header = try Self.header(moved)
        #expect(header.referenceIDC == place.referenceIDC)
        #expect(header.isIDR == place.isIDR)
        #expect(header.pictureSet == 5)
        #expect(header.frameNumber == place.frameNumber)
        #expect(header.order == place.order)
        #expect(header.marking == place.marking)
        #expect(NALUnit.unescaped(moved[...]).suffix(6) == [0, 0, 1, 0xAB, 0xCD, 0x80])
    }

    @Test func predictedPicturesCannotBecomeIDRPictures() {
        let place = AVCSliceHeader.Place(
            referenceIDC: 1, isIDR: true, pictureSet: 5, frameNumber: 0, order: 0, marking: .sliding)
        let slice = Self.slice(0, frameNumber: 1, order: 2)
        #expect(AVCSliceHeader.moved(slice, from: Self.sequence, Self.picture, to: Self.sequence, place) == nil)
    }

    private static func references(after slices: [[UInt8]]) throws -> [Int]? {
        var marking = ReferenceMarking()
        for slice in slices { marking.decode(try header(slice), in: sequence) }
        return marking.references
    }

    @Test func theOldestReferencesSlideOut() throws {
        let slices =
            [Self.slice(2, isIDR: true, frameNumber: 0, order: 0)]
            + (1...17).map { Self.slice(0, frameNumber: $0 % 16, order: 2 * $0 % 64) }
        #expect(try Self.references(after: slices) == [14, 15, 0, 1])
    }

    @Test func referencesAreRemovedByNumber() throws {
        let slices = [
            Self.slice(2, isIDR: true, frameNumber: 0, order: 0), Self.slice(0, frameNumber: 1, order: 8),
            Self.slice(0, frameNumber: 2, order: 16, removing: [1]),
        ]
        #expect(try Self.references(after: slices) == [0, 2])
    }

    @Test func gapsMakeReferencesUnknown() throws {
        let first = Self.slice(2, isIDR: true, frameNumber: 0, order: 0)
        #expect(try Self.references(after: [first, Self.slice(0, frameNumber: 2, order: 8)]) == nil)
        #expect(try Self.references(after: [Self.slice(0, frameNumber: 2, order: 8)]) == nil)
    }

    /// The tail is decoded as a decoder does it, and must leave the references that the source has.
    @Test(arguments: [
        RecoveryPoint(frameNumber: 10, order: 32, references: [6, 8, 9]),
        RecoveryPoint(frameNumber: 4, order: 20, firstOrder: -6, references: [0, 1, 2, 3]),
        RecoveryPoint(frameNumber: 2, order: 4, firstOrder: -4, references: [14, 0, 1]),
        RecoveryPoint(frameNumber: 0, order: 0, firstOrder: -2, references: [15]),
        RecoveryPoint(frameNumber: 1, order: 50, firstOrder: -10, references: [0]),
    ])
    func tailsLeaveTheReferencesOfTheSource(_ point: RecoveryPoint) throws {
        let tail = try #require(SegmentTail(before: point, in: Self.sequence))
        let slices = tail.pictures.enumerated().map { index, picture in
            var removing: [Int]?
            if case .removing(let differences) = picture.marking { removing = differences }
            return Self.slice(
                index == 0 ? 2 : 0, isIDR: index == 0, frameNumber: picture.frameNumber, order: picture.order,
                removing: removing)
        }
        #expect(try Self.references(after: slices).map(Set.init) == Set(point.references))
        // The order increases up to the first leading picture (8.2.1.1).
        var (high, previous) = (0, 0)
        var orders: [Int] = []
        for order in tail.pictures.map(\.order) + [point.order] {
            if order < previous, previous - order >= 32 { high += 64 }
            if order > previous, order - previous > 32 { high -= 64 }
            previous = order
            orders.append(high + order)
        }
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 })
        #expect(orders[orders.count - 2] < orders[orders.count - 1] + point.firstOrder)
    }

    /// The last reference before a recovery point is always present.
    @Test func impossibleReferencesHaveNoTail() {
        let point = RecoveryPoint(frameNumber: 3, order: 8, references: [9])
        #expect(SegmentTail(before: point, in: Self.sequence) == nil)
    }
}
