import MediaIO
import Raster
import Reactions
import Vision

/// Keeps the last analyses of a video and their pictures, and searches them for the start of a gesture whose hand was
/// detected late. ``HandAnalyser`` uses it for recordings.
///
/// The palm detector may miss a small or dark hand in one picture and detect it in the next. When the place of the hand
/// is known, the landmark model checks whether the hand was there before. If so, the gesture has been held since then,
/// and the holds are recounted as if the hand had been detected immediately.
struct DetectionHistory {
    private final class Entry {
        let frame: VideoFrame
        let time: Double
        var hands: [HandLandmarks]
        /// The state of all holds before this analysis.
        let before: GestureStateMachine

        init(_ frame: consuming VideoFrame, time: Double, hands: [HandLandmarks], before: GestureStateMachine) {
            self.frame = frame
            self.time = time
            self.hands = hands
            self.before = before
        }
    }

    /// The time for which analyses are kept, in seconds, and the maximum number of them. A hold may begin up to `reach`
    /// before the first analysis that detected its hand. While nothing is seen, analyses are at least 0.2 s apart, so
    /// six of them cover this time.
    private static let reach = 1.2, limit = 6

    private var entries: [Entry] = []

    /// Records an analysis. Clears all analyses if it completed a gesture, because a gesture that fired is final.
    ///
    /// - Parameters:
    ///   - frame: the picture, whose pixels are not copied.
    ///   - before: the holds before this analysis.
    mutating func note(
        _ frame: borrowing VideoFrame, at time: Double, hands: [HandLandmarks], before: GestureStateMachine,
        hasFired: Bool
    ) throws {
        if hasFired { return entries = [] }
        dropAllBut(before: time)
        if entries.count == Self.limit { entries.removeFirst() }
        entries.append(Entry(try frame.shared(), time: time, hands: hands, before: before))
    }

    mutating func forget() { entries = [] }

    /// Removes the analyses at a time and after it, and the analyses more than `reach` before it.
    private mutating func dropAllBut(before time: Double) {
        entries.removeAll { $0.time >= time || time - $0.time > Self.reach }
    }

    /// Searches earlier pictures for hands that make a gesture at `time` and that the last analysis missed. The search
    /// goes backwards, and ends at the first picture that shows none of these hands.
    ///
    /// - Parameters:
    ///   - hands: the hands at `time`.
    ///   - configuration: the current configuration of holds.
    ///   - search: detects the hands with these track numbers in an earlier frame.
    ///   - observe: recognises the gestures of hands at a time.
    /// - Returns: the holds as if all analyses had detected the hands; `nil` if no missed hand was found.
    mutating func recall(
        _ hands: [HandLandmarks], at time: Double, configuration: GestureStateMachine.Configuration,
        search: (borrowing VideoFrame, Set<Int>) throws -> [HandLandmarks],
        observe: ([HandLandmarks], Double) -> FrameObservation
    ) rethrows -> GestureStateMachine? {
        dropAllBut(before: time)
        guard let last = entries.last else { return nil }
        let known = Set(last.hands.map(\.trackID))
        // Usually no hand is new, and the search is skipped.
        if hands.allSatisfy({ known.contains($0.trackID) }) { return nil }
        var missing = Set(zip(hands, observe(hands, time).hands).filter { $1.sign != nil }.map(\.0.trackID))
            .subtracting(known)
        var first: Int?
        for index in entries.indices.reversed() where !missing.isEmpty {
            let entry = entries[index]
            missing.subtract(entry.hands.map(\.trackID))
            var found = missing.isEmpty ? [] : try search(entry.frame, missing)
            // A hand that overlaps a detected hand is the same hand, and was not missed.
            found.removeAll { hand in entry.hands.contains { $0.overlaps(hand) } }
            // A hand that is not in this picture began its hold later, so the search for it ends.
            missing.formIntersection(found.map(\.trackID))
            guard !found.isEmpty else { break }
            entry.hands += found
            first = index
        }
        guard let first else { return nil }
        var machine = entries[first].before
        machine.configuration = configuration
        // Only the current analysis may complete a hold, because it confirms the hand with higher accuracy.
        for entry in entries[first...] {
            _ = machine.advance(observe(entry.hands, entry.time), at: entry.time, mayFire: false)
        }
        return machine
    }
}
