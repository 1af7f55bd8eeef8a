import MediaIO
import Reactions

/// The times of a recording's frames, and the packets from which they are decoded. A scan collects it without decoding.
package struct FrameIndex: Sendable {
    /// A frame as its packet describes it.
    package struct Entry: Sendable, Hashable {
        var time: MediaTime
        var duration: MediaTime?
        var isKeyFrame = false
        /// True if the frame is decoded, but not shown.
        var isHidden = false
    }

    /// The packets in the order in which they are decoded.
    private(set) var packets: [Entry] = []
    private var isUsable = true

    /// Adds the next packet of the video.
    mutating func add(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime, !packet.isCorrupt else {
            isUsable = false
            return
        }
        add(
            Entry(
                time: time, duration: packet.duration, isKeyFrame: packet.isKeyFrame, isHidden: packet.isHidden))
    }

    mutating func add(_ entry: Entry) { packets.append(entry) }

    /// Returns the frames in display order. Returns `nil` if the packets do not determine the order, so that all frames
    /// must be decoded. This is the case if a packet has no time, two packets have the same time, or the first shown
    /// frames cannot be decoded.
    func frames() -> [Entry]? {
        guard isUsable, let first = packets.first, first.isKeyFrame else { return nil }
        let frames = packets.filter { !$0.isHidden }.sorted { $0.time < $1.time }
        guard packets.allSatisfy({ $0.isHidden || $0.time >= first.time }),
            zip(frames, frames.dropFirst()).allSatisfy({ $0.time < $1.time })
        else { return nil }
        return frames
    }

    /// Returns the number of a packet in decoding order, by its time stamp and its flags. The search goes backward from
    /// `last`.
    ///
    /// - Parameter last: The largest possible number.
    /// - Returns: `nil` if no packet up to that number matches.
    func number(of packet: borrowing Packet, upTo last: Int) -> Int? {
        guard let time = packet.presentationTime else { return nil }
        let (isKeyFrame, isHidden) = (packet.isKeyFrame, packet.isHidden)
        return packets[...last].lastIndex {
            $0.time == time && $0.isKeyFrame == isKeyFrame && $0.isHidden == isHidden
        }
    }

    /// Returns the numbers of the packets that must be decoded for the frames of some intervals, in decoding order. The
    /// result consists of runs that each begin with a key frame.
    ///
    /// - Parameter intervals: The intervals, in seconds, in order.
    func runs(for intervals: [ClosedRange<Double>]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for interval in intervals {
            let wanted = packets.indices.filter { interval.contains(packets[$0].time.seconds) }
            guard let first = wanted.first, let last = wanted.last else { continue }
            // The key frame must not be shown after the interval's start: frames that are shown before a key frame may
            // refer to frames that are decoded before it.
            let key = packets[...first].lastIndex { $0.isKeyFrame && $0.time.seconds <= interval.lowerBound } ?? 0
            if let open = runs.last, key < open.upperBound {
                runs[runs.count - 1] = open.lowerBound..<max(open.upperBound, last + 1)
            } else {
                runs.append(key..<last + 1)
            }
        }
        return runs
    }
}
