/// The header of an H.264 slice (ITU-T H.264, 7.3.3), as far as the order of pictures and the marking of references
/// need it. All other fields are copied as bits.
struct AVCSliceHeader: Sendable, Hashable {
    /// The effect of a reference picture on other reference pictures (`dec_ref_pic_marking`, 7.3.3.3).
    enum Marking: Sendable, Hashable {
        /// The oldest reference is removed if there are as many as allowed.
        case sliding
        /// `memory_management_control_operation` 1: short-term references are removed, each given by the difference of
        /// its number to the picture's own, at least 1.
        case removing([Int])
        /// Any other operation, or a long-term reference.
        case other
    }

    /// `nal_ref_idc`: 0 unless other pictures may refer to the picture.
    let referenceIDC: UInt8
    let isIDR: Bool
    /// `first_mb_in_slice`.
    let firstBlock: Int
    /// `slice_type`.
    let type: Int
    /// `pic_parameter_set_id`.
    let pictureSet: Int
    let frameNumber: Int
    /// `pic_order_cnt_lsb`; 0 unless pictures state their order.
    let order: Int
    /// `delta_pic_order_cnt_bottom`; 0 unless pictures state it.
    let bottomOrder: Int
    let marking: Marking
    /// The bits from `direct_spatial_mv_pred_flag` to the weights.
    private let references: Range<Int>
    /// The bits from `cabac_init_idc` to the end of the header.
    private let rest: Range<Int>

    /// True if the slice refers to no other picture.
    var isIntra: Bool { type % 5 == 2 }
    var isReference: Bool { referenceIDC > 0 }

    /// Reads the header of a progressive slice.
    ///
    /// - Parameters:
    ///   - unit: The slice, or its beginning.
    ///   - set: Returns the parameters with an id.
    /// - Returns: nil if the header uses syntax that is not supported, or is damaged.
    init?(_ unit: ArraySlice<UInt8>, _ sequence: SequenceLimits, set: (Int) -> AVCPictureParameters?) {
        guard let header = unit.first else { return nil }
        self.init(header: header, content: NALUnit.unescaped(unit.dropFirst()), sequence, set: set)
    }

    private init?(
        header: UInt8, content: [UInt8], _ sequence: SequenceLimits, set: (Int) -> AVCPictureParameters?
    ) {
        guard [1, 5].contains(header & 0x1F), !sequence.mayBeInterlaced, !sequence.hasSeparatePlanes,
            sequence.orderType == 0 || sequence.orderType == 2
        else { return nil }
        referenceIDC = header >> 5 & 3
        isIDR = header & 0x1F == 5
        var reader = BitReader(content)
        firstBlock = Int(reader.unsigned())
        type = Int(reader.unsigned())
        pictureSet = Int(reader.unsigned())
        guard type < 10, type % 5 < 3, let picture = set(pictureSet), picture.sliceGroups == 1 else { return nil }
        frameNumber = Int(reader.bits(sequence.frameNumberBits))
        if isIDR { _ = reader.unsigned() }
        order = Int(reader.bits(sequence.orderBits))
        bottomOrder = sequence.orderType == 0 && picture.hasBottomOrder ? Int(reader.signed()) : 0
        if picture.hasRedundantPictures, reader.unsigned() != 0 { return nil }
        let start = reader.position
        guard Self.skipReferences(&reader, type: type % 5, isReference: referenceIDC > 0, sequence, picture) else {
            return nil
        }
        references = start..<reader.position
        guard let marking = Self.readMarking(&reader, isReference: referenceIDC > 0, isIDR: isIDR) else { return nil }
        self.marking = marking
        let later = reader.position
        if picture.usesArithmeticCoding, type % 5 != 2 { _ = reader.unsigned() }
        _ = reader.signed()
        if picture.controlsDeblocking, reader.unsigned() != 1 { reader.skipCodes(2) }
        rest = later..<reader.position
        guard !reader.isAtEnd else { return nil }
    }

    /// Skips the fields from `direct_spatial_mv_pred_flag` to the weights.
    ///
    /// - Returns: Whether they are valid.
    private static func skipReferences(
        _ reader: inout BitReader, type: Int, isReference: Bool, _ sequence: SequenceLimits,
        _ picture: AVCPictureParameters
    ) -> Bool {
        guard type != 2 else { return true }
        let isB = type == 1
        if isB { _ = reader.bit() }
        var counts = [picture.references] + (isB ? [picture.laterReferences] : [])
        if reader.bit() { for list in counts.indices { counts[list] = Int(min(reader.unsigned(), 32)) + 1 } }
        guard counts.allSatisfy({ $0 <= 32 }) else { return false }
        for _ in counts where reader.bit() {
            var operations = 0
            while reader.unsigned() != 3 {
                _ = reader.unsigned()
                operations += 1
                if operations > 66 { return false }
            }
        }
        guard isB ? picture.weightsBothDirections : picture.weightsPrediction else { return true }
        let hasColour = sequence.chromaFormat > 0
        reader.skipCodes(hasColour ? 2 : 1)
        for count in counts {
            for _ in 0..<count {
                if reader.bit() { reader.skipCodes(2) }
                if hasColour, reader.bit() { reader.skipCodes(4) }
            }
        }
        return true
    }

    /// - Returns: nil if the marking is damaged.
    private static func readMarking(_ reader: inout BitReader, isReference: Bool, isIDR: Bool) -> Marking? {
        guard isReference else { return .sliding }
        if isIDR {
            _ = reader.bit()
            return reader.bit() ? .other : .sliding
        }
        guard reader.bit() else { return .sliding }
        var removed: [Int] = []
        var hasOther = false
        for _ in 0..<66 {
            switch reader.unsigned() {
            case 0: return hasOther ? .other : .removing(removed)
            case 1: removed.append(Int(reader.unsigned()) + 1)
            case 3:
                reader.skipCodes(2)
                hasOther = true
            case 2, 4, 6:
                _ = reader.unsigned()
                hasOther = true
            case 5: hasOther = true
            default: return nil
            }
        }
        return nil
    }
}

extension AVCSliceHeader {
    /// The fields that differ when a slice moves into another stream.
    struct Place: Sendable, Hashable {
        var referenceIDC: UInt8
        var isIDR = false
        /// The id of the picture parameter set.
        var pictureSet: Int
        var frameNumber: Int
        var order: Int
        var marking: Marking
    }

    /// `idr_pic_id`, which differs between successive IDR pictures (7.4.3). x264 uses 0 and 1.
    private static let idrID = 7

    /// Returns a slice with another header for another sequence. The coded blocks are the same.
    ///
    /// - Parameters:
    ///   - unit: The slice, which belongs to the stream of `sequence` and `picture`.
    ///   - target: The other sequence. The picture parameter set of the place must equal `picture` but for its ids.
    /// - Returns: nil if the slice's header is not supported, or cannot have the place.
    static func moved(
        _ unit: [UInt8], from sequence: SequenceLimits, _ picture: AVCPictureParameters, to target: SequenceLimits,
        _ place: Place
    ) -> [UInt8]? {
        guard let first = unit.first else { return nil }
        var content = NALUnit.unescaped(unit.dropFirst())
        // Zeros after the last bit only fill the stream.
        content.removeLast(content.reversed().prefix { $0 == 0 }.count)
        guard let header = AVCSliceHeader(header: first, content: content, sequence, set: { _ in picture }),
            !picture.hasBottomOrder, !picture.hasRedundantPictures, header.isIntra || !place.isIDR
        else { return nil }
        var writer = BitWriter()
        writer.addUnsigned(header.firstBlock)
        writer.addUnsigned(header.type)
        writer.addUnsigned(place.pictureSet)
        writer.add(place.frameNumber, bits: target.frameNumberBits)
        if place.isIDR { writer.addUnsigned(idrID) }
        writer.add(place.order, bits: target.orderBits)
        writer.add(header.references, of: content)
        guard header.writeMarking(of: place, to: &writer) else { return nil }
        writer.add(header.rest, of: content)
        let data = header.rest.upperBound
        if picture.usesArithmeticCoding {
            writer.align(with: true)
            writer.add(content[min((data + 7) / 8, content.count)...])
        } else {
            let last = (content.last ?? 0x80).trailingZeroBitCount
            writer.add(data..<content.count * 8 - last, of: content)
            writer.align(with: false)
        }
        let type: UInt8 = place.isIDR ? 5 : 1
        return [place.referenceIDC << 5 | type] + NALUnit.escaped(writer.bytes)
    }

    /// - Returns: Whether the marking can be written.
    private func writeMarking(of place: Place, to writer: inout BitWriter) -> Bool {
        guard place.referenceIDC > 0 else { return true }
        if place.isIDR {
            writer.add(0, bits: 2)
            return place.marking == .sliding
        }
        switch place.marking {
        case .other: return false
        case .sliding: writer.add(false)
        case .removing(let differences):
            writer.add(true)
            for difference in differences {
                writer.addUnsigned(1)
                writer.addUnsigned(difference - 1)
            }
            writer.addUnsigned(0)
        }
        return true
    }
}
