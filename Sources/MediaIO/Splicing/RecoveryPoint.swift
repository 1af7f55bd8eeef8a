/// An I picture of H.264 that is not an IDR picture, from which on all later pictures in presentation order can be
/// decoded exactly. A message marks it (ITU-T H.264, D.2.8). Streams with open groups of pictures have them instead of
/// IDR pictures.
package struct RecoveryPoint: Sendable, Hashable {
    /// Its `frame_num`.
    var frameNumber: Int
    /// Its `pic_order_cnt_lsb`.
    var order: Int
    /// The order of the first shown of its leading pictures, relative to its own; 0 if it has none.
    var firstOrder = 0
    /// The numbers of the short-term references before it, the oldest first. Later pictures remove them by number, so
    /// they must exist although nothing refers to them.
    var references: [Int]
}

/// The short-term reference pictures of an H.264 stream while its pictures are decoded (ITU-T H.264, 8.2.5).
struct ReferenceMarking: Sendable, Hashable {
    /// The numbers of the references, the oldest first; nil if they are unknown until the next IDR picture.
    private(set) var references: [Int]?
    /// The number of the last reference picture.
    private var last = 0

    /// Updates the references for the next picture in decoding order.
    ///
    /// - Parameter header: The header of one of its slices; nil if it could not be read.
    mutating func decode(_ header: AVCSliceHeader?, in sequence: SequenceLimits) {
        guard let header, header.marking != .other else {
            references = nil
            return
        }
        if header.isIDR {
            (references, last) = ([header.frameNumber], header.frameNumber)
            return
        }
        let modulus = 1 << sequence.frameNumberBits
        guard var known = references, header.frameNumber == (last + 1) % modulus else {
            references = nil
            return
        }
        guard header.isReference else { return }
        if case .removing(let differences) = header.marking {
            for difference in differences {
                let number = (header.frameNumber - difference + modulus) % modulus
                known.removeAll { $0 == number }
            }
        } else if known.count >= max(sequence.referenceFrames, 1) {
            known.removeFirst()
        }
        known.append(header.frameNumber)
        last = header.frameNumber
        references = known.count <= max(sequence.referenceFrames, 1) ? known : nil
    }
}

/// The last pictures of a segment that ends before a ``RecoveryPoint``.
///
/// The pictures leave a decoder in the state that the copied pictures expect: the same reference numbers, and the order
/// that continues in them. Numbers and order begin at 0 with an IDR picture of the source's own sequence, and count up
/// by 1 a reference picture. So the pictures before the point, as many as its number states, are an IDR picture and P
/// pictures that each refer to the one before.
struct SegmentTail: Sendable, Hashable {
    struct Picture: Sendable, Hashable {
        var frameNumber: Int
        var order: Int
        var marking: AVCSliceHeader.Marking
    }

    let pictures: [Picture]

    /// The maximum number of pictures. These are encoded without B pictures.
    private static let longest = 64

    /// - Returns: nil if there is no such tail, or only a long one.
    init?(before point: RecoveryPoint, in sequence: SequenceLimits) {
        let modulus = 1 << sequence.frameNumberBits
        var count = point.frameNumber
        while count <= Self.longest {
            if count > 0, let pictures = Self.pictures(count, before: point, in: sequence) {
                self.pictures = pictures
                return
            }
            count += modulus
        }
        return nil
    }

    private static func pictures(
        _ count: Int, before point: RecoveryPoint, in sequence: SequenceLimits
    ) -> [Picture]? {
        let modulus = 1 << sequence.frameNumberBits
        let wanted = Set(point.references.map { count - 1 - (point.frameNumber - 1 - $0 + modulus) % modulus })
        guard wanted.allSatisfy({ $0 >= 0 }), wanted.contains(count - 1), wanted.count == point.references.count,
            let orders = orders(count, before: point, in: sequence)
        else { return nil }
        var present: [Int] = []
        return (0..<count).map { index in
            let removed = present.filter { !wanted.contains($0) }
            present.removeAll { !wanted.contains($0) }
            present.append(index)
            return Picture(
                frameNumber: index % modulus, order: orders[index],
                marking: removed.isEmpty ? .sliding : .removing(removed.map { index - $0 }))
        }
    }

    /// Returns the `pic_order_cnt_lsb` of the pictures: from 0 to a value directly before the first of the point's
    /// leading pictures, in equal steps. Decoders derive the higher bits from steps of less than half the range (8.2.1.1).
    private static func orders(_ count: Int, before point: RecoveryPoint, in sequence: SequenceLimits) -> [Int]? {
        guard sequence.orderType == 0 else { return [Int](repeating: 0, count: count) }
        let range = 1 << sequence.orderBits
        let gap = 2 - point.firstOrder
        var last = (point.order - gap) % range
        if last < 0 { last += range }
        while last < count - 1 { last += range }
        guard gap < range / 2, count > 1 || last == 0 else { return nil }
        let orders = (0..<count).map { count > 1 ? last * $0 / (count - 1) : 0 }
        guard zip(orders, orders.dropFirst()).allSatisfy({ $1 - $0 < range / 2 }) else { return nil }
        return orders.map { $0 % range }
    }
}
