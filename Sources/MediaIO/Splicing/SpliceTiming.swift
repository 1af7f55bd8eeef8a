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
