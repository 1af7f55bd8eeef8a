import MediaIO
import Platform

/// A part of a recording that can be decoded by itself, while its packets are being read. These are the packets from an
/// entry to the next part's, in decoding order.
///
/// Frames decoded after the next part's entry but shown before it belong to this part, and refer to that entry. So
/// that entry comes at the end, too.
final class CodedSegment: Sendable {
    let packets: Channel<Packet>
    /// The time at which the next part begins, as soon as it is known.
    let end = Slot<MediaTime?>(nil)

    init(capacity: Int) { packets = Channel(capacity: capacity) }
}

/// Cuts a recording that is being read into segments.
///
/// The cuts depend on the recording alone, so that the detections in them do not depend on the number of threads.
struct SegmentCutter: ~Copyable {
    /// Takes each segment when it begins; its answer says whether to go on.
    private let begin: (CodedSegment) throws -> Bool
    /// The number of remaining frames, as indicated by the recording.
    private var remaining: Int
    /// No segment needs to be longer, in frames.
    private let longest: Int
    /// A segment is cut at the first entry after ``length`` frames, or so many bytes.
    private static let mostBytes = 16 << 20
    /// The limits of ``length``. Analysis restarts in each segment, which costs some additional inferences; and so many
    /// packets are held for each.
    private static let lengths = 120...900
    /// A recording that is long enough is cut into at least so many.
    private static let leastCount = 8
    /// The least number of segments that the remaining frames would make. Segments become shorter toward the end, so
    /// that all threads end at about the same time.
    private static let lastCount = 4

    private var current: CodedSegment?
    /// The number of frames after which the current segment may end, and the frames and bytes that it has.
    private var length = 0, count = 0, bytes = 0
    /// The segment before, while pictures may come that are shown before the current one begins.
    private var previous: CodedSegment?
    private var start: MediaTime?

    /// - Parameter frameCount: The number of the recording's frames, as indicated by the recording.
    init(frameCount: Int, begin: @escaping (CodedSegment) throws -> Bool) {
        remaining = frameCount
        longest = min(max(frameCount / Self.leastCount, Self.lengths.lowerBound), Self.lengths.upperBound)
        self.begin = begin
    }

    /// Puts the next packet of the video where it belongs, and waits where too many are there.
    ///
    /// - Parameter isEntry: whether decoding can begin there, but for pictures that are shown before it.
    /// - Returns: whether to go on.
    mutating func add(_ packet: consuming Packet, isEntry: Bool) throws -> Bool {
        let isCut = isEntry && (count >= length || bytes >= Self.mostBytes)
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

    /// Says that no packet follows.
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
