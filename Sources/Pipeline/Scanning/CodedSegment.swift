import MediaIO
import Platform

/// An independently decodable part of a recording that is being read: the packets from an entry (a picture at which
/// decoding can begin) to the next segment's entry, in decoding order. One thread reads the packets into it, and a
/// ``SegmentScanner`` takes them out.
///
/// Frames that are decoded after the next segment's entry, but shown before it, belong to this segment and refer to
/// that entry. So that entry is also appended to this segment.
final class CodedSegment: Sendable {
    let packets: Channel<Packet>
    /// The time at which the next segment begins, as soon as it is known.
    let end = Slot<MediaTime?>(nil)

    init(capacity: Int) { packets = Channel(capacity: capacity) }
}

/// Cuts a recording that is being read into segments.
///
/// The cuts depend only on the recording, so the detections do not depend on the number of threads.
struct SegmentCutter: ~Copyable {
    /// Receives each segment when it begins. It returns `false` to stop.
    private let begin: (CodedSegment) throws -> Bool
    /// The number of remaining frames, according to the recording.
    private var remaining: Int
    /// The maximum useful length of a segment, in frames.
    private let longest: Int
    /// The number of bytes after which a segment is cut at the next entry.
    private static let maximumBytes = 16 << 20
    /// The limits of ``length``, in frames. Short segments cost inferences, because analysis restarts in each segment.
    /// Long ones cost memory, because the packets of a segment are buffered.
    private static let lengths = 120...900
    /// The minimum number of segments of a long recording.
    private static let minimumCount = 8
    /// The minimum number of segments into which the remaining frames are divided. Segments become shorter toward the
    /// end, so that all threads end at about the same time.
    private static let lastCount = 4

    private var current: CodedSegment?
    /// The number of frames after which the current segment may end, and the frames and bytes that it contains.
    private var length = 0, count = 0, bytes = 0
    /// The previous segment; `nil` once no further packet can belong to it. In decoding order, pictures that are shown
    /// before the current segment may follow its first picture.
    private var previous: CodedSegment?
    private var start: MediaTime?

    /// - Parameter frameCount: The number of frames that the recording's header states.
    init(frameCount: Int, begin: @escaping (CodedSegment) throws -> Bool) {
        remaining = frameCount
        longest = min(max(frameCount / Self.minimumCount, Self.lengths.lowerBound), Self.lengths.upperBound)
        self.begin = begin
    }

    /// Adds the next packet of the video to its segment. Blocks if too many packets are buffered.
    ///
    /// - Parameter isEntry: whether decoding can begin at the packet, except for pictures that are shown before it.
    /// - Returns: `false` to stop.
    mutating func add(_ packet: consuming Packet, isEntry: Bool) throws -> Bool {
        let isCut = isEntry && (count >= length || bytes >= Self.maximumBytes)
        if current == nil || isCut {
            finishPrevious()
            (previous, start) = (current, packet.presentationTime)
            previous?.end.value = start
            if let previous, try !previous.packets.send(packet.shared()) { return false }
            let segment = CodedSegment(capacity: Self.lengths.upperBound + Self.lengths.lowerBound)
            (current, count, bytes) = (segment, 0, 0)
            length = min(max(remaining / Self.lastCount, Self.lengths.lowerBound), longest)
            guard try begin(segment) else { return false }
        } else if let previous {
            if let time = packet.presentationTime, let start, time < start { return previous.packets.send(packet) }
            finishPrevious()
        }
        count += 1
        remaining -= 1
        bytes += packet.size
        return current?.packets.send(packet) == true
    }

    /// Signals that no packet follows.
    mutating func finish() {
        finishPrevious()
        current?.packets.finish()
        current = nil
    }

    private mutating func finishPrevious() {
        previous?.packets.finish()
        previous = nil
    }

    /// Cancels the open segments, so that no thread waits for their packets any more.
    mutating func cancel() {
        previous?.packets.cancel()
        current?.packets.cancel()
        (previous, current) = (nil, nil)
    }
}
