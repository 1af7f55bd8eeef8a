/// A segment of a video that is encoded again, between two copied segments.
package struct SpliceSpan: Sendable, Hashable {
    package enum End: Sendable, Hashable {
        /// An entry follows: neither the entry nor a later picture refers to pictures before it.
        case entry
        /// A CRA picture follows; its skipped leading pictures are encoded with the segment.
        case openEntry
        /// A recovery point of H.264 follows; its leading pictures are encoded, too, but stay behind it.
        case recoveryPoint
        case endOfStream
    }

    /// The replaced packets, by their numbers in decoding order.
    package var packets: Range<Int>
    /// Later packets that are also replaced: the leading pictures of the picture at the end.
    package var leading: Range<Int>
    /// The copied packets after the leading pictures of a recovery point that are compared in the finished file, to
    /// ensure that they do not depend on what was replaced.
    package var trailing: Range<Int> = 0..<0
    /// The packet at which decoding begins, so that all frames of the segment are correct.
    package var primer: Int
    package var end: End

    /// Returns the number of replaced packets that are not cut away.
    ///
    /// - Parameter pictures: All pictures of the video, in decoding order.
    package func keptCount(of pictures: [CodedPicture]) -> Int { numbers.count { !pictures[$0].isCutAway } }

    /// The numbers of the replaced packets.
    package var numbers: [Int] { Array(packets) + Array(leading) }

    /// Returns whether a packet is replaced.
    package func replaces(_ packet: Int) -> Bool { packets.contains(packet) || leading.contains(packet) }

    /// The packets whose places in the file the encoded packets take.
    package var places: Range<Int> {
        packets.lowerBound..<(end == .recoveryPoint ? max(leading.upperBound, packets.upperBound) : packets.upperBound)
    }

    /// The decoded packets: replaced packets, their references, and the pictures after them.
    package var decoded: Range<Int> {
        primer..<max(packets.upperBound + (end == .endOfStream ? 0 : 1), leading.upperBound, trailing.upperBound)
    }
}

extension SpliceSpan {
    /// Returns the segments that cover intervals in which effects change frames.
    ///
    /// Each segment begins between two mini-GOPs, where all pictures that are decoded earlier are also shown earlier.
    /// It ends before the next entry, that is, where references to earlier pictures end. Intervals become one segment
    /// if they share frames, or if the gap between them is shorter than `gap`. Segments also contain pictures at the
    /// ends of the trim range whose references are cut away.
    ///
    /// - Parameters:
    ///   - intervals: Closed ranges of presentation times, in ticks, sorted and disjoint.
    ///   - pictures: All pictures of the video, in decoding order; the first is an entry.
    ///   - tailLengths: See ``PacketIndex/tailLengths``.
    ///   - gap: Segments with fewer packets than this between them become one; at least 1.
    package static func covering(
        _ intervals: [ClosedRange<Int64>], of pictures: [CodedPicture], tailLengths: [Int: Int]? = nil, gap: Int
    ) -> [SpliceSpan] {
        let cuts = SpliceCuts(pictures, tailLengths: tailLengths)
        let candidates = intervals.compactMap { cuts.span(covering: $0) } + cuts.spansBehindCuts
        var spans: [SpliceSpan] = []
        for var span in candidates.sorted(by: { $0.packets.lowerBound < $1.packets.lowerBound }) {
            while let last = spans.last,
                span.packets.lowerBound - last.packets.upperBound < max(gap, 1)
                    || span.packets.lowerBound < last.trailing.upperBound
            {
                spans.removeLast()
                let end = last.packets.upperBound > span.packets.upperBound ? last : span
                span.packets = min(last.packets.lowerBound, span.packets.lowerBound)..<end.packets.upperBound
                span.primer = min(last.primer, span.primer)
                (span.leading, span.trailing, span.end) = (end.leading, end.trailing, end.end)
            }
            spans.append(span)
        }
        return spans
    }
}

/// Marks the HEVC picture at which copying resumes after a segment that replaced its skipped leading pictures.
///
/// A CRA picture in the middle of a stream belongs to the previous sequence, including its parameter sets and picture
/// order. A BLA picture ("broken link access", H.265, 3.11) begins a new sequence. BLA pictures are intended for joined
/// streams. Changing only the type in the header of its units makes the CRA picture a BLA picture, which decodes to the
/// same picture.
package enum BrokenLink {
    private static let cra: UInt8 = 21
    /// The type of a BLA picture with or without decodable leading pictures.
    private static let bla: UInt8 = 17

    /// - Parameter source: The demuxer of the packet.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package static func marked(_ packet: consuming Packet, of source: Demuxer) throws(MediaError) -> Packet {
        var bytes = packet.bytes
        for unit in source.videoFraming.units(of: bytes) where bytes[unit.startIndex] >> 1 & 0x3F == cra {
            bytes[unit.startIndex] = bytes[unit.startIndex] & 0x81 | bla << 1
        }
        return try packet.replacing(bytes)
    }
}

/// Finds the places at which a video can be cut into copied and encoded segments, from the roles and times of its
/// packets.
struct SpliceCuts {
    private let pictures: [CodedPicture]
    /// For each packet, whether all packets before it in decoding order are shown before it and before all later
    /// packets.
    private let isClean: [Bool]
    /// The indices of CRA pictures that other pictures separate from their skipped leading pictures.
    private let isolatedEntries: Set<Int>
    /// The number of packets up to the last packet inside the trim range.
    private let count: Int
    /// See ``PacketIndex/tailLengths``.
    private let tailLengths: [Int: Int]?

    init(_ pictures: [CodedPicture], tailLengths: [Int: Int]? = nil) {
        self.pictures = pictures
        self.tailLengths = tailLengths
        count = 1 + (pictures.lastIndex { !$0.isCutAway } ?? -1)
        isolatedEntries = Self.isolatedEntries(in: pictures)
        // Pictures that are cut away are never shown, so their times are ignored: after trimming, these may equal the
        // times of other pictures.
        var earliest = [Int64](repeating: .max, count: pictures.count + 1)
        for index in pictures.indices.reversed() {
            let time = pictures[index].isCutAway ? .max : pictures[index].presentationTime
            earliest[index] = min(earliest[index + 1], time)
        }
        var latest = Int64.min
        isClean = pictures.indices.map { index in
            defer { if !pictures[index].isCutAway { latest = max(latest, pictures[index].presentationTime) } }
            return latest < earliest[index]
        }
    }

    /// Returns the shortest span with all frames of a closed range of presentation times; nil if the range has no
    /// frame.
    func span(covering times: ClosedRange<Int64>) -> SpliceSpan? {
        let touched = pictures.indices.filter {
            !pictures[$0].isCutAway && times.contains(pictures[$0].presentationTime)
        }
        guard let first = touched.first, let last = touched.last else { return nil }
        return span(from: first, through: last)
    }

    /// Returns the shortest span that replaces two packets and all packets between them.
    private func span(from first: Int, through last: Int) -> SpliceSpan {
        var start = (0...first).last { isClean[$0] } ?? 0
        var end = last + 1
        while end < count {
            if isEntry(end), let begin = beginning(at: start, before: end) {
                start = begin
                break
            }
            end += 1
        }
        let isOpen = end < count && pictures[end].role == .openEntry
        let leading = isOpen ? leading(of: end) : end..<end
        let needsTail = isOpen && tailLengths != nil
        return SpliceSpan(
            packets: start..<end, leading: leading,
            trailing: needsTail ? trailing(after: max(leading.upperBound, end + 1)) : end..<end,
            primer: primer(of: start),
            end: end == count ? .endOfStream : needsTail ? .recoveryPoint : isOpen ? .openEntry : .entry)
    }

    /// Returns where a segment begins that ends before an entry: earlier than given if the entry needs more frames.
    ///
    /// - Returns: nil if the segment cannot end there.
    private func beginning(at start: Int, before end: Int) -> Int? {
        guard pictures[end].role == .openEntry, let tailLengths else { return start }
        // Encoded frames stand for pictures one to one.
        func isPlain(_ index: Int) -> Bool { !pictures[index].isCutAway && !pictures[index].isDiscarded }
        guard let length = tailLengths[end], leading(of: end).allSatisfy(isPlain), isPlain(end) else { return nil }
        var begin = start
        while begin > 0, end - begin < length || !isClean[begin] { begin -= 1 }
        return end - begin >= length && (begin..<end).allSatisfy(isPlain) ? begin : nil
    }

    /// The number of packets after leading pictures that are compared.
    private static let trailingCount = 4

    private func trailing(after index: Int) -> Range<Int> {
        var end = index
        while end < min(index + Self.trailingCount, count), pictures[end].role == .dependent, !pictures[end].isCutAway,
            !pictures[end].isDiscarded
        { end += 1 }
        return index..<end
    }

    /// Returns whether copying may resume at a packet, given by its index.
    private func isEntry(_ index: Int) -> Bool {
        if pictures[index].isCutAway { return false }
        return switch pictures[index].role {
        case .entry: isClean[index]
        case .openEntry:
            isClean[index] && !isolatedEntries.contains(index) && tailLengths.map { $0[index] != nil } ?? true
        case .skippedLeading, .dependent: false
        }
    }

    /// Returns whether copying may begin at an entry although pictures before it are cut away.
    private func isBeginning(_ index: Int) -> Bool {
        pictures[index].role == .entry || tailLengths == nil && leading(of: index).isEmpty
    }

    /// The segments that cannot be copied although they have no effects, because pictures that they may refer to are
    /// cut away.
    ///
    /// A picture may refer to all earlier pictures from the last entry on.
    var spansBehindCuts: [SpliceSpan] {
        var spans: [SpliceSpan] = []
        var isBroken = false
        for index in pictures.indices where index >= spans.last?.packets.upperBound ?? 0 {
            if pictures[index].isCutAway {
                isBroken = true
            } else if isEntry(index), isBeginning(index) || !isBroken {
                isBroken = false
            } else if isBroken {
                spans.append(span(from: index, through: index))
                isBroken = false
            }
        }
        return spans
    }

    private static func isolatedEntries(in pictures: [CodedPicture]) -> Set<Int> {
        var isolatedEntries: Set<Int> = []
        var entry: Int?
        for index in pictures.indices {
            switch pictures[index].role {
            case .entry: entry = nil
            case .openEntry: entry = index
            case .skippedLeading where index > 0 && pictures[index - 1].role == .dependent:
                if let entry { isolatedEntries.insert(entry) }
            case .skippedLeading, .dependent: break
            }
        }
        return isolatedEntries
    }

    /// Returns the skipped leading pictures of an entry.
    private func leading(of entry: Int) -> Range<Int> {
        guard entry < pictures.count, pictures[entry].role == .openEntry else { return entry..<entry }
        var end = entry + 1
        while end < pictures.count, pictures[end].role == .skippedLeading { end += 1 }
        return entry + 1..<end
    }

    private func primer(of start: Int) -> Int {
        (0...start).last { index in
            switch pictures[index].role {
            case .entry: true
            case .openEntry: index < start || leading(of: index).isEmpty
            case .skippedLeading, .dependent: false
            }
        } ?? 0
    }
}

/// Assigns decoding times to the packets of a spliced video: the source's times where possible, also in encoded
/// segments.
package struct SpliceTiming: Sendable {
    /// The time of each packet of the source, in ticks; strictly increasing for kept packets.
    private let times: [Int64]
    /// For each packet, whether it is part of the result, copied or replaced.
    private let isKept: [Bool]
    /// The maximum number of pictures that precede a picture in decoding order and follow it in presentation order
    /// (`max_num_reorder_frames`).
    package let reorderDepth: Int

    package init(_ pictures: [CodedPicture]) {
        isKept = pictures.map { !$0.isCutAway }
        let kept = pictures.filter { !$0.isCutAway }
        let keptTimes = Self.times(of: kept)
        // A packet that is cut away is never written. Its entry repeats the time of the previous kept packet.
        var count = 0
        times = isKept.map { isKept in
            if isKept { count += 1 }
            return count > 0 ? keptTimes[count - 1] : .min
        }
        reorderDepth = kept.indices.reduce(0) { depth, index in
            let earlier = kept[max(0, index - 32)..<index]
            return max(depth, earlier.count { $0.presentationTime > kept[index].presentationTime })
        }
    }

    /// Returns the decoding time of a copied packet.
    package func decodingTime(of packet: Int) -> Int64 { times[packet] }

    /// Returns the decoding times of the file, if it states all of them, and no picture is decoded after it is shown.
    /// Otherwise returns times for a decoder with the smallest possible delay.
    private static func times(of pictures: [CodedPicture]) -> [Int64] {
        let stated = pictures.compactMap(\.decodingTime)
        let isUsable =
            stated.count == pictures.count && zip(stated, stated.dropFirst()).allSatisfy { $0 < $1 }
            && zip(stated, pictures).allSatisfy { $0 <= $1.presentationTime }
        if isUsable { return stated }
        let sorted = pictures.map(\.presentationTime).sorted()
        let delay = zip(sorted, pictures).map { $0 - $1.presentationTime }.max() ?? 0
        return sorted.map { $0 - delay }
    }

    /// Returns the decoding times of the packets that replace a segment.
    ///
    /// The times are between those of the surrounding packets and strictly increasing, and no picture is shown before
    /// it is decoded.
    ///
    /// - Parameter coded: The presentation times of the packets in coding order, at most one for each replaced packet.
    /// - Returns: nil if there are no such times.
    package func decodingTimes(of coded: [Int64], replacing span: SpliceSpan) -> [Int64]? {
        let start = span.packets.lowerBound
        let floor = isKept[..<start].lastIndex(of: true).map { times[$0] } ?? .min
        var result = slots(coded.count, in: span)
        var earliest = Int64.max
        for index in coded.indices.reversed() {
            let next = index + 1 < result.count ? result[index + 1] : Int64.max
            earliest = min(earliest, coded[index])
            result[index] = min(result[index], earliest, next - 1)
        }
        guard let first = result.first, first > floor else { return nil }
        return result
    }

    /// The minimum number of packets at a segment's end that are moved closer together if leading pictures need times.
    private static let minimumSqueezed = 8

    /// Returns `count` times for a segment, from the times of the replaced packets. Leading pictures that are encoded
    /// before the following entry need additional times. For these, only the segment's last packets are moved closer
    /// together, so that players do not detect a different frame rate.
    private func slots(_ count: Int, in span: SpliceSpan) -> [Int64] {
        let places = Array(span.packets) + (span.end == .recoveryPoint ? Array(span.leading) : [])
        let own = places.filter { isKept[$0] }.map { times[$0] }
        let more = count - own.count
        if more <= 0 {
            // If frames were dropped, the remaining frames approximately keep their times.
            return (0..<count).map { own[count == own.count ? $0 : $0 * own.count / max(count, 1)] }
        }
        let end = times[span.packets.upperBound]
        let kept = max(own.count - max(more, Self.minimumSqueezed), 0)
        let begin = kept < own.count ? own[kept] : end - 1
        let squeezed = Int64(count - kept)
        return own[..<kept] + (0..<squeezed).map { begin + (end - begin) * $0 / squeezed }
    }
}
