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

    /// Returns `count` times for a segment, from the times of the replaced packets. Leading pictures of the following
    /// entry need additional times. For these, only the segment's last packets are moved closer together, so that
    /// players do not detect a different frame rate.
    private func slots(_ count: Int, in span: SpliceSpan) -> [Int64] {
        let own = span.packets.filter { isKept[$0] }.map { times[$0] }
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
