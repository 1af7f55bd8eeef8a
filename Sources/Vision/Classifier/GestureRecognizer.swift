import Reactions

/// Classifies all hands of a frame: the gesture of each hand, and the gestures that two hands make together.
/// `HandAnalyser` of Pipeline calls it for each analysed frame. It has no state.
///
/// Inputs: the hands of one analysed frame. Outputs: a ``FrameObservation``.
///
/// - Two hands count as one gesture if they may belong to one person (see ``HandPair``), and make a heart or both the
///   same gesture. A hand belongs to only one pair. Hearts with the greatest confidence are paired first, then the
///   pairs most likely to belong to one person.
/// - Two people with one raised thumb each are not one person with two: each thumb is a separate gesture.
/// - If the two hands of one person make different gestures, only the gesture with the greater confidence counts.
/// - The sign of the horns is a gesture only with both hands.
package struct GestureRecognizer: Sendable {
    package let classifier: GestureClassifier
    let heartDetector = HeartDetector()

    /// - Parameter classifier: The classifier of single hands; by default rules alone.
    package init(classifier: GestureClassifier = GestureClassifier()) {
        self.classifier = classifier
    }

    /// Classifies one frame. The order of `hands` matters only between hands or pairs of equal confidence.
    package func observe(_ hands: [HandLandmarks]) -> FrameObservation {
        let readings = readings(of: hands)
        var candidates: [GestureCandidate] = []
        var isTaken = [Bool](repeating: false, count: hands.count)
        for pair in meaningfulPairs(hands, readings) where !isTaken[pair.a] && !isTaken[pair.b] {
            isTaken[pair.a] = true
            isTaken[pair.b] = true
            let both = HandPair(hands[pair.a], hands[pair.b]), middle = both.middle
            candidates.append(
                GestureCandidate(
                    gesture: pair.gesture, confidence: pair.confidence, origin: middle.centre,
                    palmLength: middle.palmLength,
                    tracks: [hands[pair.a].trackID, hands[pair.b].trackID].sorted(),
                    // Hands of a heart hide each other, so their sizes are unreliable.
                    spots: pair.gesture == .heart ? [] : both.spots))
        }
        candidates += singles(hands, readings, isTaken)
        let observation = FrameObservation(
            hands: readings, candidates: ordered(candidates))
        guard observation.candidates.isEmpty else { return observation }
        return FrameObservation(hands: readings, reason: reason(hands, readings))
    }

    /// Returns the classification of each hand. If the landmarks show a gesture but the picture does not, and the hand
    /// touches another hand, this is given as the reason.
    private func readings(of hands: [HandLandmarks]) -> [HandReading] {
        hands.indices.map { index in
            var reading = classifier.classify(hands[index])
            let isRefused = reading.sign == nil && reading.nearness >= GestureClassifier.threshold
            if isRefused, hands.indices.contains(where: { $0 != index && HandPair(hands[index], hands[$0]).touches }) {
                reading.reason = "has the shape of a gesture, but touches the other hand"
            }
            return reading
        }
    }

    // MARK: Two hands

    private struct MeaningfulPair {
        var a: Int
        var b: Int
        var gesture: FrameGesture
        var confidence: Double
        /// The order in which pairs are chosen: hearts by their confidence, other pairs by the likelihood that both
        /// hands belong to one person.
        var rank: (isHeart: Bool, value: Double)
    }

    /// Returns every pair with a meaning, in the order in which pairs are chosen.
    ///
    /// Confidence alone would not give a stable order: if four thumbs are up, the two with the highest confidence may
    /// differ in each frame, and each change would restart the hold.
    private func meaningfulPairs(
        _ hands: [HandLandmarks], _ readings: [HandReading]
    ) -> [MeaningfulPair] {
        var pairs: [MeaningfulPair] = []
        for a in hands.indices {
            for b in hands.indices.dropFirst(a + 1) {
                let pair = HandPair(hands[a], hands[b])
                let heart = heartConfidence(hands[a], hands[b])
                if heart >= GestureClassifier.threshold {
                    pairs.append(
                        MeaningfulPair(
                            a: a, b: b, gesture: .heart, confidence: heart, rank: (true, heart)))
                } else if let gesture = meaningOfBoth(readings[a], readings[b]), let likelihood = pair.likelihood {
                    pairs.append(
                        MeaningfulPair(
                            a: a, b: b, gesture: gesture,
                            confidence: min(readings[a].confidence, readings[b].confidence),
                            rank: (false, likelihood)))
                }
            }
        }
        return pairs.enumerated().sorted { first, second in
            let (x, y) = (first.element.rank, second.element.rank)
            if x.isHeart != y.isHeart { return x.isHeart }
            return x.value != y.value ? x.value > y.value : first.offset < second.offset
        }.map(\.element)
    }

    /// Returns the confidence that two hands make a heart, from their landmarks or the hole that they frame, and from
    /// their pictures.
    private func heartConfidence(_ a: HandLandmarks, _ b: HandLandmarks) -> Double {
        var confidence = heartDetector.classify(a, b).confidence
        if a.heartPartner == b.trackID, b.heartPartner == a.trackID {
            confidence = max(confidence, 0.5 + min(a.presence, b.presence) / 2)
        }
        return classifier.heartConfidence(byPoints: confidence, a, b)
    }

    /// Returns the meaning of two hands of one person that make the same sign; nil if they make different signs or
    /// none.
    private func meaningOfBoth(_ a: HandReading, _ b: HandReading) -> FrameGesture? {
        if let learned = a.learned { return learned == b.learned && learned.hands == 2 ? learned : nil }
        guard let gesture = a.gesture, gesture == b.gesture else { return nil }
        return FrameGesture(bothHands: gesture)
    }

    // MARK: One hand

    /// Returns the meaning of a single hand; nil without a sign, or for a sign that needs two hands.
    private func meaningOfOne(_ reading: HandReading) -> FrameGesture? {
        if let learned = reading.learned { return learned.hands == 1 ? learned : nil }
        return reading.gesture.flatMap(FrameGesture.init(oneHand:))
    }

    private func singles(
        _ hands: [HandLandmarks], _ readings: [HandReading], _ isTaken: [Bool]
    ) -> [GestureCandidate] {
        hands.indices.compactMap { index in
            guard !isTaken[index], let meaning = meaningOfOne(readings[index]),
                !isOutdone(index, hands, readings)
            else { return nil }
            let spot = HandSpot(hands[index])
            var confidence = readings[index].confidence
            if meaning == .thumbsUp, isRaisedWithOther(index, hands, readings) { confidence *= Self.shareBesideOther }
            guard confidence >= GestureClassifier.threshold else { return nil }
            return GestureCandidate(
                gesture: meaning, confidence: confidence, origin: spot.centre,
                palmLength: spot.palmLength, tracks: [hands[index].trackID], spots: [spot])
        }
    }

    /// The factor for the confidence of a thumb up beside the other hand, which must therefore reach 0.96 instead of
    /// the usual 0.7.
    private static let shareBesideOther = 0.73

    /// Returns whether the same person's other hand is raised to the same height without a gesture. People who explain
    /// something often hold both hands in this way, with the thumbs on top. A similar rule applied to 43 of 125 hands
    /// of talking people that were taken for a thumb up, and to 2 of 2,605 intended thumbs.
    private func isRaisedWithOther(_ index: Int, _ hands: [HandLandmarks], _ readings: [HandReading]) -> Bool {
        hands.indices.contains { other in
            guard other != index, readings[other].sign == nil else { return false }
            let pair = HandPair(hands[index], hands[other])
            return pair.isLevel && pair.mayBeOnePerson
        }
    }

    /// Returns whether the same person's other hand makes another gesture with a greater confidence.
    private func isOutdone(
        _ index: Int, _ hands: [HandLandmarks], _ readings: [HandReading]
    ) -> Bool {
        hands.indices.contains { other in
            guard other != index, let theirs = readings[other].sign,
                theirs != readings[index].sign,
                HandPair(hands[index], hands[other]).mayBeOnePerson
            else { return false }
            let difference = readings[other].confidence - readings[index].confidence
            return difference > 0 || (difference == 0 && other < index)
        }
    }

    /// Returns the candidates ordered: two hands before one, then by confidence. A hand that was detected twice counts
    /// once.
    private func ordered(_ candidates: [GestureCandidate]) -> [GestureCandidate] {
        let sorted = candidates.enumerated().sorted { first, second in
            let (x, y) = (first.element, second.element)
            if x.gesture.hands != y.gesture.hands { return x.gesture.hands > y.gesture.hands }
            return x.confidence != y.confidence
                ? x.confidence > y.confidence : first.offset < second.offset
        }.map(\.element)
        return sorted.enumerated().filter { item in
            !sorted.prefix(item.offset).contains {
                $0.gesture == item.element.gesture
                    && $0.distance(to: item.element.origin) < HandPair.minimumDistance
            }
        }.map(\.element)
    }

    // MARK: Nothing

    private func reason(_ hands: [HandLandmarks], _ readings: [HandReading]) -> String {
        guard !hands.isEmpty else { return "no hand in view" }
        if readings.contains(where: { $0.gesture == .horns }) {
            return readings.count(where: { $0.gesture == .horns }) == 1
                ? "sign of the horns with one hand: needs both" : "horns of two people"
        }
        if let learned = readings.compactMap(\.learned).first {
            return "\(learned.rawValue) with one hand: needs both"
        }
        if hands.count == 2 {
            let heart = heartDetector.classify(hands[0], hands[1])
            if heart.confidence >= GestureClassifier.threshold { return "heart: the hands do not look like one" }
            if heart.confidence > 0.2, let reason = heart.reason { return "heart: \(reason)" }
        }
        let nearest = readings.indices.max { readings[$0].confidence < readings[$1].confidence }!
        return readings[nearest].reason ?? "no gesture"
    }
}
