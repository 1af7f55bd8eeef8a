import MediaIO

/// When the frames of a recording are shown, and from which packets they are decoded: what its packets tell before
/// any of them is decoded.
package struct FrameIndex: Sendable {
    /// A frame as its packet describes it.
    package struct Entry: Sendable, Hashable {
        var time: MediaTime
        var duration: MediaTime?
        var isKeyFrame = false
        /// Whether it is decoded, but not shown.
        var isHidden = false
    }

    /// In the order in which they are decoded.
    private(set) var packets: [Entry] = []
    private var isUsable = true

    /// Takes the next packet of the video.
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

    /// The frames in the order in which they are shown; `nil` where packets do not tell, so that only decoding all
    /// of them does: where one has no time, two have the same, or the first ones shown cannot be decoded.
    func frames() -> [Entry]? {
        guard isUsable, let first = packets.first, first.isKeyFrame else { return nil }
        let frames = packets.filter { !$0.isHidden }.sorted { $0.time < $1.time }
        guard packets.allSatisfy({ $0.isHidden || $0.time >= first.time }),
            zip(frames, frames.dropFirst()).allSatisfy({ $0.time < $1.time })
        else { return nil }
        return frames
    }

    /// The packets that must be decoded for the frames of some stretches, in their order, as runs that each begin with a
    /// key frame.
    ///
    /// - Parameter stretches: in seconds, in order.
    func runs(for stretches: [ClosedRange<Double>]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for stretch in stretches {
            let wanted = packets.indices.filter { stretch.contains(packets[$0].time.seconds) }
            guard let first = wanted.first, let last = wanted.last else { continue }
            // What is shown before a key frame may need what was decoded before it.
            let key = packets[...first].lastIndex { $0.isKeyFrame && $0.time.seconds <= stretch.lowerBound } ?? 0
            if let open = runs.last, key < open.upperBound {
                runs[runs.count - 1] = open.lowerBound..<max(open.upperBound, last + 1)
            } else {
                runs.append(key..<last + 1)
            }
        }
        return runs
    }
}
