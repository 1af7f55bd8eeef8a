/// One showing of an effect: when, where and how it differs from others of its kind.
///
/// The look at a time follows from these values alone. While the effect runs, `endTime` may be moved
/// later and `renewals` added: what was shown before stays the same.
package struct EffectInstance: Sendable {
    package let description: EffectDescription
    package let seed: UInt64
    /// Media time of the first frame drawn, in seconds.
    package let startTime: Double
    /// Media time of the first frame without the effect.
    package var endTime: Double
    /// What prolonged it, in order. Bursts come again; streams, and what stays until the end, go on.
    package var renewals: [EffectRenewal]
    /// Whether all that is left fades before the end, since that is not the effect's own.
    package var isCut = false
    /// Where the gesture is in the upright picture, 0…1, y down.
    package let originX, originY: Double

    /// - Parameter endTime: by default the start and the description's duration.
    package init(
        description: EffectDescription, seed: UInt64, startTime: Double, endTime: Double? = nil,
        renewals: [EffectRenewal] = [], originX: Double = 0.5, originY: Double = 0.5
    ) {
        self.description = description
        self.seed = seed
        self.startTime = startTime
        self.endTime = endTime ?? startTime + description.duration
        self.renewals = renewals
        self.originX = originX
        self.originY = originY
    }

    package func isVisible(at time: Double) -> Bool { time >= startTime && time < endTime }

    /// How long an effect that is cut off takes to fade, in seconds.
    private static let cutFade = 0.4

    /// How far the exit has come: 1 before it, falling to 0 at the end.
    func exitFade(at time: Double) -> Double {
        let own = description.exit > 0 ? EffectMath.smooth((visibleEnd(at: time) - time) / description.exit) : 1
        return isCut ? min(own, EffectMath.smooth((endTime - time) / Self.cutFade)) : own
    }

    /// The end towards which what stays until the end goes at a time.
    ///
    /// An effect that is renewed while it fades comes back as gradually as it went, twice as fast: one that was back
    /// at once would flash.
    func visibleEnd(at time: Double) -> Double {
        let end = renewals.first { time < $0.requestTime }?.formerEnd ?? endTime
        guard let last = renewals.last(where: { $0.requestTime <= time }) else { return end }
        let left = last.formerEnd - last.requestTime
        return min(end, time + left + 2 * (time - last.requestTime))
    }
}

/// An effect's going on because it was asked for again while it ran. Times are media times in seconds.
package struct EffectRenewal: Sendable, Hashable {
    /// When it was asked for again: streams that had ceased begin anew.
    package var requestTime: Double
    /// When what bursts in the effect bursts again.
    package var burstTime: Double
    /// When the effect would have ended without it.
    package var formerEnd: Double

    package init(requestTime: Double, burstTime: Double, formerEnd: Double) {
        self.requestTime = requestTime
        self.burstTime = burstTime
        self.formerEnd = formerEnd
    }
}

/// The ground that the main figure of an effect covers around the place where the effect starts:
/// what somebody who chooses that place must keep off faces.
///
/// Lengths are in heights of the frame.
package struct EffectFootprint: Sendable {
    private let fullRadius: Double
    /// How far it rises during its life.
    package let rise: Double
    private let birth: EffectBirth

    /// The figure's half size.
    package func radius(aspectRatio: Double) -> Double { fullRadius * ParticleSystem.sizeScale(aspectRatio) }

    /// Where the middle of the figure is at its birth.
    /// - Parameters:
    ///   - originX, originY: where the effect starts, 0…1 of the upright picture.
    ///   - aspectRatio: the picture's width over its height.
    package func centre(originX: Double, originY: Double, aspectRatio: Double) -> (x: Double, y: Double) {
        birth.place(
            birth.x.middle, birth.y.middle, originX: originX, originY: originY, aspectRatio: aspectRatio)
    }

    fileprivate init(_ emitter: EffectEmitter) {
        birth = emitter.birth
        fullRadius = emitter.look.size.greatest / 2
        let motion = emitter.motion
        let life = motion.untilEnd ? 0 : motion.life.middle
        let (velocity, force) = Particle.carried(life, drag: motion.drag.middle)
        let speed = motion.speed.middle * EffectMath.sine(turns: motion.angle.middle / 360)
        rise = max(0, speed * velocity - motion.gravity.middle * force)
    }
}

extension EffectDescription {
    /// The largest single sprite that stands where the effect starts; `nil` for effects that
    /// have none, such as those that fill the whole frame.
    package var footprint: EffectFootprint? {
        emitters.filter {
            $0.birth.anchor == .gesture && $0.look.shape == .sprite && ($0.birth.count ?? 2) == 1
        }.max { $0.look.size.greatest < $1.look.size.greatest }.map(EffectFootprint.init)
    }
}

extension EffectBirth {
    /// Where a particle with these offsets is born, in heights of the frame.
    func place(
        _ x: Double, _ y: Double, originX: Double, originY: Double, aspectRatio: Double
    ) -> (x: Double, y: Double) {
        let sizeScale = ParticleSystem.sizeScale(aspectRatio)
        var place: (x: Double, y: Double)
        switch anchor {
        // Only somebody who knows the outline can say how high it is.
        case .frame, .people:
            place = (x * aspectRatio, y)
        case .gesture:
            let side: Double = outward && originX < 0.5 ? -1 : 1
            place = (originX * aspectRatio + x * side * sizeScale, originY + y * sizeScale)
        }
        if let margin = inside.map({ $0 * sizeScale }) {
            place.x = min(max(place.x, margin), max(aspectRatio - margin, margin))
            place.y = min(max(place.y, margin), max(1 - margin, margin))
        }
        return place
    }
}

extension EffectValue {
    var middle: Double { (least + greatest) / 2 }
}
