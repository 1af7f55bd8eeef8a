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

    init(_ pictures: [CodedPicture]) {
        self.pictures = pictures
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
        let start = (0...first).last { isClean[$0] } ?? 0
        var end = last + 1
        while end < count, !isEntry(end) { end += 1 }
        let isOpen = end < count && pictures[end].role == .openEntry
        return SpliceSpan(
            packets: start..<end, leading: isOpen ? leading(of: end) : end..<end, primer: primer(of: start),
            end: end == count ? .endOfStream : isOpen ? .openEntry : .entry)
    }

    /// Returns whether copying may resume at a packet, given by its index.
    private func isEntry(_ index: Int) -> Bool {
        if pictures[index].isCutAway { return false }
        return switch pictures[index].role {
        case .entry: isClean[index]
        case .openEntry: isClean[index] && !isolatedEntries.contains(index)
        case .skippedLeading, .dependent: false
        }
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
            } else if isEntry(index), leading(of: index).isEmpty || !isBroken {
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
