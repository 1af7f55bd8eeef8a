/// A segment of a video that is encoded again, between two copied segments.
package struct SpliceSpan: Sendable, Hashable {
    package enum End: Sendable, Hashable {
        /// An entry follows: neither the entry nor a later picture refers to pictures before it.
        case entry
        /// A CRA picture follows; its skipped leading pictures are encoded with the segment.
        case openEntry
        case endOfStream
    }

    /// The replaced packets, by their numbers in decoding order.
    package var packets: Range<Int>
    /// Later packets that are also replaced: the leading pictures of the CRA picture at the end.
    package var leading: Range<Int>
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

    /// The decoded packets: replaced packets, their references, and the picture after them.
    package var decoded: Range<Int> {
        primer..<max(packets.upperBound + (end == .endOfStream ? 0 : 1), leading.upperBound)
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
    ///   - gap: Segments with fewer packets than this between them become one; at least 1.
    package static func covering(
        _ intervals: [ClosedRange<Int64>], of pictures: [CodedPicture], gap: Int
    ) -> [SpliceSpan] {
        let cuts = SpliceCuts(pictures)
        let candidates = intervals.compactMap { cuts.span(covering: $0) } + cuts.spansBehindCuts
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
