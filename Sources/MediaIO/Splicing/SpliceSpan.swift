/// A stretch of a video that is coded again, between two that are copied.
package struct SpliceSpan: Sendable, Hashable {
    package enum End: Sendable, Hashable {
        /// What follows needs nothing from before.
        case entry
        /// A CRA picture follows; its skipped leading pictures are coded with the span.
        case openEntry
        case endOfStream
    }

    /// The packets that are replaced, by their numbers in the order of decoding.
    package var packets: Range<Int>
    /// Packets after these that are replaced, too: the leading pictures of the CRA picture at the end.
    package var leading: Range<Int>
    /// The packet with which decoding begins, so that all frames of the span come out right.
    package var primer: Int
    package var end: End

    /// How many of the packets that are replaced are not cut away.
    ///
    /// - Parameter pictures: all of the video, in the order of decoding.
    package func keptCount(of pictures: [CodedPicture]) -> Int { numbers.count { !pictures[$0].isCutAway } }

    /// The numbers of the packets that are replaced.
    package var numbers: [Int] { Array(packets) + Array(leading) }

    /// Whether a packet is replaced.
    package func replaces(_ packet: Int) -> Bool { packets.contains(packet) || leading.contains(packet) }

    /// The packets that are decoded: what is replaced, what that refers to, and the picture after it.
    package var decoded: Range<Int> {
        primer..<max(packets.upperBound + (end == .endOfStream ? 0 : 1), leading.upperBound)
    }
}

extension SpliceSpan {
    /// Spans for stretches in which frames are touched.
    ///
    /// Each begins between two mini groups of pictures, where everything that is decoded before is also shown
    /// before, and ends before the next picture from which on nothing needs what is before it. Stretches that share
    /// frames, or lie nearer to each other than an encoder's start is worth, become one. Where pictures are cut away, those
    /// at the ends that cannot do without them are in spans, too.
    ///
    /// - Parameters:
    ///   - stretches: closed ranges of presentation times, in ticks, sorted, not overlapping.
    ///   - pictures: all of the video, in the order of decoding; the first is an entry.
    ///   - gap: stretches that leave fewer packets than this between them become one; at least 1.
    package static func covering(
        _ stretches: [ClosedRange<Int64>], of pictures: [CodedPicture], gap: Int
    ) -> [SpliceSpan] {
        let cuts = SpliceCuts(pictures)
        let candidates = stretches.compactMap { cuts.span(covering: $0) } + cuts.spansBehindCuts
        var spans: [SpliceSpan] = []
        for var span in candidates.sorted(by: { $0.packets.lowerBound < $1.packets.lowerBound }) {
            while let last = spans.last, span.packets.lowerBound - last.packets.upperBound < max(gap, 1) {
                spans.removeLast()
                let end = last.packets.upperBound > span.packets.upperBound ? last : span
                span.packets = min(last.packets.lowerBound, span.packets.lowerBound)..<end.packets.upperBound
                span.primer = min(last.primer, span.primer)
                (span.leading, span.end) = (end.leading, end.end)
            }
            spans.append(span)
        }
        return spans
    }
}

/// Where a video can be cut.
struct SpliceCuts {
    private let pictures: [CodedPicture]
    /// Whether all that is decoded before a packet is shown before all that is decoded from it on.
    private let isClean: [Bool]
    /// The CRA pictures whose skipped leading pictures do not follow it directly.
    private let strays: Set<Int>
    /// The number of packets up to the last one that is not cut away.
    private let count: Int

    init(_ pictures: [CodedPicture]) {
        self.pictures = pictures
        count = 1 + (pictures.lastIndex { !$0.isCutAway } ?? -1)
        strays = Self.strays(in: pictures)
        // Pictures that are cut away are shown nowhere; behind a cut their times may be those of others.
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

    /// Returns the shortest span with all frames of a closed range of presentation times; nil where it has none.
    func span(covering times: ClosedRange<Int64>) -> SpliceSpan? {
        let touched = pictures.indices.filter {
            !pictures[$0].isCutAway && times.contains(pictures[$0].presentationTime)
        }
        guard let first = touched.first, let last = touched.last else { return nil }
        return span(from: first, through: last)
    }

    /// Returns the shortest span that replaces two packets and all between them.
    private func span(from first: Int, through last: Int) -> SpliceSpan {
        let start = (0...first).last { isClean[$0] } ?? 0
        var end = last + 1
        while end < count, !isEntry(end) { end += 1 }
        let isOpen = end < count && pictures[end].role == .openEntry
        return SpliceSpan(
            packets: start..<end, leading: isOpen ? leading(of: end) : end..<end, primer: primer(of: start),
            end: end == count ? .endOfStream : isOpen ? .openEntry : .entry)
    }

    /// Whether copying may go on with a packet.
    private func isEntry(_ index: Int) -> Bool {
        if pictures[index].isCutAway { return false }
        return switch pictures[index].role {
        case .entry: isClean[index]
        case .openEntry: isClean[index] && !strays.contains(index)
        case .skippedLeading, .dependent: false
        }
    }

    /// The spans with pictures that cannot be copied though nothing is drawn on them, since what they may refer to is cut
    /// away.
    ///
    /// A picture may refer to all that is decoded before it from the last entry on.
    var spansBehindCuts: [SpliceSpan] {
        var spans: [SpliceSpan] = []
        var isBroken = false
        for index in pictures.indices where index >= spans.last?.packets.upperBound ?? 0 {
            if pictures[index].isCutAway {
                isBroken = true
            } else if isEntry(index), leading(of: index).isEmpty || !isBroken {
                isBroken = false
            } else if isBroken {
                spans.append(span(from: index, through: index))
                isBroken = false
            }
        }
        return spans
    }

    private static func strays(in pictures: [CodedPicture]) -> Set<Int> {
        var strays: Set<Int> = []
        var entry: Int?
        for index in pictures.indices {
            switch pictures[index].role {
            case .entry: entry = nil
            case .openEntry: entry = index
            case .skippedLeading where index > 0 && pictures[index - 1].role == .dependent:
                if let entry { strays.insert(entry) }
            case .skippedLeading, .dependent: break
            }
        }
        return strays
    }

    /// The skipped leading pictures of an entry.
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

/// The decoding times of a spliced video: the source's, also for what is coded again.
package struct SpliceTiming: Sendable {
    /// For each packet of the source, in ticks; strictly rising for those that are kept.
    private let times: [Int64]
    /// The packets that are part of the result, copied or replaced.
    private let isKept: [Bool]
    /// How many pictures at most are decoded before one that is shown before them (`max_num_reorder_frames`).
    package let reorderDepth: Int

    package init(_ pictures: [CodedPicture]) {
        isKept = pictures.map { !$0.isCutAway }
        let kept = pictures.filter { !$0.isCutAway }
        let keptTimes = Self.times(of: kept)
        // What is cut away is never written: it takes the time of the packet before it.
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

    /// The decoding time of a packet that is copied.
    package func decodingTime(of packet: Int) -> Int64 { times[packet] }

    /// What the file says, where it says it of all, and no picture is decoded after it is shown; else times that are
    /// right behind a decoder that holds back as many pictures as it must.
    private static func times(of pictures: [CodedPicture]) -> [Int64] {
        let told = pictures.compactMap(\.decodingTime)
        let isUsable =
            told.count == pictures.count && zip(told, told.dropFirst()).allSatisfy { $0 < $1 }
            && zip(told, pictures).allSatisfy { $0 <= $1.presentationTime }
        if isUsable { return told }
        let sorted = pictures.map(\.presentationTime).sorted()
        let delay = zip(sorted, pictures).map { $0 - $1.presentationTime }.max() ?? 0
        return sorted.map { $0 - delay }
    }

    /// The decoding times of what replaces a span.
    ///
    /// They stay between the times of the packets around it, rise strictly, and no picture is shown before it is decoded.
    ///
    /// - Parameter coded: the presentation times of its packets in the order of coding, at most as many as it replaces.
    /// - Returns: nil where no such times are.
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

    /// How many of a span's last packets come sooner after each other where leading pictures need room.
    private static let leastSqueezed = 8

    /// As many times as are needed: the replaced packets' own. Where leading pictures of what follows must find room,
    /// too, the last ones share theirs with them: were all to make room, players would take the video for one of
    /// another rate.
    private func slots(_ count: Int, in span: SpliceSpan) -> [Int64] {
        let own = span.packets.filter { isKept[$0] }.map { times[$0] }
        let more = count - own.count
        if more <= 0 {
            // Of frames that stay where others are left out, each keeps about its time.
            return (0..<count).map { own[count == own.count ? $0 : $0 * own.count / max(count, 1)] }
        }
        let end = times[span.packets.upperBound]
        let kept = max(own.count - max(more, Self.leastSqueezed), 0)
        let begin = kept < own.count ? own[kept] : end - 1
        let squeezed = Int64(count - kept)
        return own[..<kept] + (0..<squeezed).map { begin + (end - begin) * $0 / squeezed }
    }
}

/// Marks the HEVC picture with which copying goes on after a span that took its skipped leading pictures.
///
/// A CRA picture in the middle of a stream belongs to the sequence before it, whose parameter sets and picture order
/// hold for it. As a BLA picture ("broken link access", H.265, 3.11) it begins a sequence of its own, which is what these
/// are for: streams that were cut and joined. Nothing but the type in the header of its units differs, and it decodes to
/// the same picture.
package enum BrokenLink {
    private static let cra: UInt8 = 21
    /// With decodable leading pictures, or without.
    private static let bla: UInt8 = 17

    /// - Parameter source: whose packet it is.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package static func marked(_ packet: consuming Packet, of source: Demuxer) throws(MediaError) -> Packet {
        var bytes = packet.bytes
        for unit in source.videoFraming.units(of: bytes) where bytes[unit.startIndex] >> 1 & 0x3F == cra {
            bytes[unit.startIndex] = bytes[unit.startIndex] & 0x81 | bla << 1
        }
        return try packet.replacing(bytes)
    }
}
