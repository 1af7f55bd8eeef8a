/// Finds the recovery points of an H.264 stream while its packets are indexed, in decoding order.
struct RecoveryPointFinder: Sendable, Hashable {
    /// The recovery points by the numbers of their packets.
    private(set) var points: [Int: RecoveryPoint] = [:]
    /// The sequence parameters that were learnt last.
    private(set) var sequence: SequenceLimits?
    private var pictureSets: [Int: AVCPictureParameters] = [:]
    private var marking = ReferenceMarking()
    /// The last recovery point: the number of its packet, and its presentation time.
    private var lastNumber: Int?
    private var lastTime: Int64 = 0

    /// The number of bytes at the beginning of a slice that contain its header.
    private static let headerBytes = 512

    mutating func learn(_ set: ParameterSet) {
        switch set.kind {
        case .sequence: sequence = SequenceLimits(set.unit)
        case .picture: pictureSets[set.id] = AVCPictureParameters(set.unit)
        case .video: break
        }
    }

    /// Reads the header of a slice, or of its beginning.
    func header(_ slice: ArraySlice<UInt8>) -> AVCSliceHeader? {
        sequence.flatMap { AVCSliceHeader(slice, $0) { pictureSets[$0] } }
    }

    /// The units of a packet, as far as they are needed here.
    struct Units {
        /// The beginning of the first slice.
        var slice: [UInt8] = []
        /// True if no slice refers to other pictures.
        var isIntra = true
        /// True if a message marks a recovery point.
        var isMarked = false

        mutating func add(_ unit: ArraySlice<UInt8>, _ kind: NALUnit.Kind) {
            if kind == .sei {
                isMarked = isMarked || SEIMessage.messages(in: unit, codec: .h264).contains(where: \.marksRecovery)
            } else if kind.isSlice {
                if slice.isEmpty { slice = Array(unit.prefix(RecoveryPointFinder.headerBytes)) }
                var reader = BitReader(NALUnit.unescaped(unit.dropFirst().prefix(16)))
                _ = reader.unsigned()
                isIntra = isIntra && reader.unsigned() % 5 == 2
            }
        }
    }

    /// Updates the state for the next packet.
    ///
    /// - Parameters:
    ///   - number: The number of the packet.
    ///   - time: Its presentation time, in ticks.
    /// - Returns: The role of its picture.
    mutating func role(of units: Units, number: Int, time: Int64) -> CodedPicture.Role {
        let header = header(units.slice[...])
        let before = marking.references
        if let sequence { marking.decode(header, in: sequence) }
        if header?.isIDR ?? (units.slice.first.map { $0 & 0x1F == 5 } ?? false) {
            lastNumber = nil
            return .entry
        }
        if units.isMarked, units.isIntra, let header, header.isReference {
            (lastNumber, lastTime) = (number, time)
            if let before, marking.references != nil {
                points[number] = RecoveryPoint(
                    frameNumber: header.frameNumber, order: header.order, references: before)
            }
            return .openEntry
        }
        guard let last = lastNumber, time < lastTime else { return .dependent }
        addLeading(header, to: last)
        return .skippedLeading
    }

    /// Includes the order of a leading picture in its recovery point. A segment cannot end before a recovery point
    /// whose leading pictures have unsupported headers.
    private mutating func addLeading(_ header: AVCSliceHeader?, to number: Int) {
        guard let point = points[number] else { return }
        guard let header, let sequence, header.marking != .other, header.bottomOrder == 0 else {
            points[number] = nil
            return
        }
        let range = 1 << sequence.orderBits
        let ahead = ((header.order - point.order) % range + range) % range
        points[number]?.firstOrder = min(point.firstOrder, ahead < range / 2 ? ahead : ahead - range)
    }

    /// Returns the number of frames that a segment needs before each recovery point, by the numbers of the points'
    /// packets. Points before which no segment can end are left out.
    var tailLengths: [Int: Int] {
        guard let sequence, !sequence.hasScalingMatrix else { return [:] }
        return points.compactMapValues { SegmentTail(before: $0, in: sequence)?.pictures.count }
    }
}

extension SEIMessage {
    /// True if the message marks a picture from which on all pictures can be decoded exactly (H.264, D.1.8:
    /// `recovery_frame_cnt` = 0, `exact_match_flag`).
    fileprivate var marksRecovery: Bool {
        guard type == 6 else { return false }
        var reader = BitReader(payload)
        return reader.unsigned() == 0 && reader.bit()
    }
}
