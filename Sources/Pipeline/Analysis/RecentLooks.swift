import Gestures
import HandPose
import MediaIO

/// The last looks at a video, in which a hand can be looked for that is found late.
///
/// The palm detector misses a small or dark hand in one picture and sees it in the next. Once it is known where the hand is, the
/// landmark model says whether it was there before: then its gesture has been held since, and the holds are counted
/// again as if it had been seen at once.
struct RecentLooks {
    private final class Look {
        let frame: VideoFrame
        let time: Double
        var hands: [HandLandmarks]
        /// The holds before this look.
        let before: GestureStateMachine

        init(_ frame: consuming VideoFrame, time: Double, hands: [HandLandmarks], before: GestureStateMachine) {
            self.frame = frame
            self.time = time
            self.hands = hands
            self.before = before
        }
    }

    /// Seconds that looks are kept, and how many at the most. A hold may begin so much earlier than with the first look that
    /// found the hand. While nothing is seen, looks that follow each other closely are 0.2 s apart.
    private static let reach = 1.2, limit = 6

    private var looks: [Look] = []

    /// Keeps a look, but not one that completed a gesture, nor any before it: what fired has fired.
    ///
    /// - Parameters:
    ///   - frame: its pixels are not copied.
    ///   - before: the holds before this look.
    mutating func note(
        _ frame: borrowing VideoFrame, at time: Double, hands: [HandLandmarks], before: GestureStateMachine,
        hasFired: Bool
    ) throws {
        if hasFired { return looks = [] }
        dropAllBut(before: time)
        if looks.count == Self.limit { looks.removeFirst() }
        looks.append(Look(try frame.shared(), time: time, hands: hands, before: before))
    }

    mutating func forget() { looks = [] }

    /// Drops what is too long before a look, and what is not before it.
    private mutating func dropAllBut(before time: Double) {
        looks.removeAll { $0.time >= time || time - $0.time > Self.reach }
    }

    /// Looks for hands that make a gesture and that the last look did not find, from the last look back until none shows them.
    ///
    /// - Parameters:
    ///   - hands: what the look at `time` found.
    ///   - configuration: of holds now.
    ///   - search: looks for hands of some track numbers in a frame of before.
    ///   - observe: says what hands mean.
    /// - Returns: the holds as they would be if all looks had seen the hands; `nil` where there is nothing new.
    mutating func recall(
        _ hands: [HandLandmarks], at time: Double, configuration: GestureStateMachine.Configuration,
        search: (borrowing VideoFrame, Set<Int>) throws -> [HandLandmarks],
        observe: ([HandLandmarks]) -> FrameObservation
    ) rethrows -> GestureStateMachine? {
        dropAllBut(before: time)
        guard let last = looks.last else { return nil }
        let known = Set(last.hands.map(\.trackID))
        // Mostly there is no other hand than before.
        if hands.allSatisfy({ known.contains($0.trackID) }) { return nil }
        var missing = Set(zip(hands, observe(hands).hands).filter { $1.sign != nil }.map(\.0.trackID))
            .subtracting(known)
        var first: Int?
        for index in looks.indices.reversed() where !missing.isEmpty {
            let look = looks[index]
            missing.subtract(look.hands.map(\.trackID))
            var found = missing.isEmpty ? [] : try search(look.frame, missing)
            // A hand that was read there in another way is the same one, and was not missed.
            found.removeAll { hand in look.hands.contains { $0.liesOver(hand) } }
            // Where a hand was not seen, it was not held.
            missing.formIntersection(found.map(\.trackID))
            guard !found.isEmpty else { break }
            look.hands += found
            first = index
        }
        guard let first else { return nil }
        var machine = looks[first].before
        // Only a look at the present may complete a hold: it is one with care.
        machine.configuration.disabled = Set(FrameGesture.allCases + configuration.learned)
        for look in looks[first...] { _ = machine.advance(observe(look.hands), at: look.time) }
        machine.configuration = configuration
        return machine
    }
}
