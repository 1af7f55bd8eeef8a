import Reactions

extension GestureStateMachine {
    /// The rule for hands that move during their hold, and then need more evidence.
    ///
    /// The shape must be clear and continuous, but the hand need not rest: people pump a thumb intentionally. Up to
    /// ``rest``, movement does not matter. From there, the time, the agreement and the share of frames that the hold
    /// needs grow with the movement, up to ``full``. A hand that moves beyond ``limit`` begins another hold.
    package struct Movement: Sendable, Hashable {
        /// Distances in palm lengths (about 9 cm).
        package struct Extent: Sendable, Hashable {
            /// The longest distance from the place where the hold began.
            package var reach = 0.0
            /// The longest step of a hand between two detections at most ``instant`` apart.
            package var step = 0.0
        }

        /// The movement that needs no more evidence. Most intended gestures moved by a third of this distance at most.
        package var rest = Extent(reach: 1, step: 0.8)
        /// The movement from which the evidence that a hold needs does not grow any more.
        package var full = Extent(reach: 2, step: 1.6)
        /// The movement from which a hand begins another hold. Hands that sign move farther, and faster.
        package var limit = Extent(reach: 3.5, step: 1.6)
        /// The time in seconds up to which the way between two detections is one step.
        package var instant = 0.26

        /// The evidence that a hold needs at ``full``: the factor of its time, its agreement, and the additional share of
        /// frames in which the gesture must be detected.
        package var time = 1.25
        var agreement = 0.8
        var additionalShare = 0.15
        /// ``Configuration/missTolerance`` at ``full``.
        var missTolerance = 0.4

        init() {}

        /// Creates a rule from the reach and step of ``limit``, ``time`` and ``agreement``, such as `3.5,1.6,1.25,0.8`.
        package init?(_ numbers: String) {
            let values = numbers.split(separator: ",").compactMap { Double($0) }
            guard values.count == 4 else { return nil }
            limit = Extent(reach: values[0], step: values[1])
            (time, agreement) = (values[2], values[3])
        }

        /// Returns the amount of a movement: from 0 at ``rest`` to 1 at ``full``.
        func amount(of motion: Extent) -> Double {
            func part(_ length: KeyPath<Extent, Double>) -> Double {
                (motion[keyPath: length] - rest[keyPath: length]) / (full[keyPath: length] - rest[keyPath: length])
            }
            return max(0, min(1, max(part(\.reach), part(\.step))))
        }
    }
}

extension GestureStateMachine.Movement.Extent {
    /// Returns the longer distances of two movements.
    func joined(_ other: Self) -> Self { Self(reach: max(reach, other.reach), step: max(step, other.step)) }

    func exceeds(_ limit: Self) -> Bool { reach > limit.reach || step > limit.step }
}
