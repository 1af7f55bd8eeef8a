import RateControl
package import Reactions

/// Decides which effects are in progress at each frame: a state machine without
/// clock, lock or I/O.
///
/// Requests of all kinds are merged at the frame boundary. If a requested type is running, the running effect is
/// extended with another burst, and no second effect starts.
package struct EffectTimeline: Sendable {
    /// The default duration and start of an effect.
    package struct Preset: Sendable {
        package var duration: Double
        package var origin: PicturePoint
        /// The ratio of the bits of frames with the effect to the bits of the same frames without it.
        var complexity = 1.0
        /// The bits that the effect adds; `nil` if they are unknown.
        var cost: EffectCost?
    }

    /// The result of a request.
    package enum Answer: Sendable, Hashable {
        /// The request started this effect.
        case started(PlannedEffect)
        /// The request extended the running effect with this number.
        case extended(id: Int)
        /// The effect with this number is running, and the request does not extend it.
        case ignored(id: Int)
        /// No effect started, because the picture stands longer than the effect would.
        case refused(PictureStay)
    }

    /// The presets of each type. Effects in progress keep the preset with which they started.
    var presets: [ReactionType: Preset]
    /// The share of its pieces, 0…1, with which an effect starts; if `nil`, the share that the budget allows.
    var detail: Double?
    /// The part of the picture that is shown at the next frame; `nil` for the whole picture.
    var crop: PictureCrop?
    /// The bit budget; `nil` if bits are not limited or unknown.
    var budget: EffectBudget?
    private var pending: [EffectRequest] = []
    /// The results of the requests that were processed with the last frame.
    private(set) var answered: [(request: EffectRequest, answer: Answer)] = []
    private var nextID: Int
    /// The effects that the last frame ended long before their time.
    private(set) var shortened: [ShortenedEffect] = []
    /// The effects in progress, sorted by their start.
    private(set) var running: [PlannedEffect] = []
    /// The number of effects of each type that have started.
    private(set) var counts: [ReactionType: Int] = [:]

    /// - Parameter firstID: The identifier of the first effect.
    init(presets: [ReactionType: Preset], firstID: Int = 1) {
        self.presets = presets
        nextID = firstID
    }

    /// Returns the default start of an effect. It is `nil` for a running effect, which a request only extends, and for
    /// a type without a preset.
    ///
    /// - Parameters:
    ///   - tile: The tile in which the effect would be drawn; `nil` for the whole picture.
    ///   - time: The time of the frame with which the effect would start, in seconds.
    package func origin(of type: ReactionType, in tile: LayoutTile? = nil, at time: Double) -> PicturePoint? {
        let isRunning = running.contains {
            $0.reactionType == type && $0.tile?.id == tile?.id && time < $0.endTime
        }
        return isRunning ? nil : presets[type].map { place(of: $0, in: tile) }
    }

    /// Returns the default start of an effect in the picture of the input.
    private func place(of preset: Preset, in tile: LayoutTile?) -> PicturePoint {
        tile?.placeInPicture(preset.origin) ?? crop?.placeInPicture(preset.origin) ?? preset.origin
    }

    /// Moves the effects in progress with their tiles. Fades out effects whose tile has disappeared.
    mutating func follow(_ tiles: [LayoutTile], at time: Double) {
        for index in running.indices { running[index].follow(tiles, at: time) }
    }

    /// Requests an effect from the next frame on.
    ///
    /// - Returns: `false` for a type without a preset, which is ignored.
    @discardableResult
    mutating func request(_ request: EffectRequest) -> Bool {
        guard presets[request.reactionType] != nil else { return false }
        pending.append(request)
        return true
    }

    /// Ends effects in progress with the next frame.
    mutating func cancel(_ wish: EngineRequests.Cancellation) {
        for index in running.indices
        where wish.types.contains(running[index].reactionType) || wish.ids.contains(running[index].id) {
            running[index].endTime = -.infinity
        }
    }

    /// Advances to the next frame.
    ///
    /// - Parameters:
    ///   - time: the frame's time stamp in seconds.
    ///   - end: the time until which the frame is shown; `nil` if it is unknown.
    ///   - frame: the frame's identifier.
    /// - Returns: The events at this frame. Ends are first, then extensions and starts in the order of their requests,
    ///   then the effects in progress if they changed.
    mutating func advance(to time: Double, until end: Double? = nil, frame: Int) -> [ReactionEvent] {
        let stay = end.map { PictureStay(start: time, end: $0) }
        shorten(for: stay)
        var happened = endEffects(before: time)
        let before = happened.count
        var started = false
        answered.removeAll(keepingCapacity: true)
        for request in pending {
            guard let preset = presets[request.reactionType] else { continue }
            if let index = running.firstIndex(where: {
                $0.reactionType == request.reactionType && $0.tile?.id == request.tile?.id
            }) {
                guard running[index].goOn(from: time, until: request.endTime, duration: preset.duration) else {
                    answered.append((request, .ignored(id: running[index].id)))
                    continue
                }
                happened.append(
                    .effectExtended(
                        .init(
                            id: running[index].id, reactionType: request.reactionType, trigger: request.trigger,
                            tile: running[index].tile)))
                answered.append((request, .extended(id: running[index].id)))
            } else if let stay, stay.outlasts(request.endTime ?? time + preset.duration) {
                answered.append((request, .refused(stay)))
            } else {
                let effect = start(request, preset: preset, at: time)
                happened.append(.effectStarted(ReactionEvent.EffectDetail(effect)))
                answered.append((request, .started(effect)))
                started = true
            }
        }
        pending.removeAll(keepingCapacity: true)
        if before > 0 || started { happened.append(.effectsInProgress(running.map(\.state))) }
        return happened.map { ReactionEvent(time: time, frame: frame, kind: $0) }
    }

    /// The demands of the effects in progress on the encoder.
    var demands: [EffectDemand] {
        running.map {
            EffectDemand(
                startTime: $0.startTime, endTime: $0.endTime,
                complexity: presets[$0.reactionType]?.complexity(detail: $0.detail) ?? 1, addedBitRate: $0.addedBitRate)
        }
    }

    /// Returns the demand on the encoder of an effect that starts at a time.
    func demand(of type: ReactionType, at time: Double) -> EffectDemand? {
        presets[type].map {
            let detail = detail(of: $0)
            return EffectDemand(
                startTime: time, endTime: time + $0.duration, complexity: $0.complexity(detail: detail),
                addedBitRate: addedBitRate(of: $0, detail: detail))
        }
    }

    /// Returns the share of its pieces with which an effect would start now.
    private func detail(of preset: Preset) -> Double {
        if let detail { return detail }
        guard let budget, let cost = preset.cost else { return 1 }
        return budget.detail(for: cost, besides: running.reduce(0) { $0 + ($1.addedBitRate ?? 0) })
    }

    private func addedBitRate(of preset: Preset, detail: Double) -> Double? {
        guard let budget, let cost = preset.cost else { return nil }
        return budget.addedBitRate(of: cost, detail: detail)
    }

    /// Ends all effects that still run when the video ends.
    ///
    /// - Parameters:
    ///   - time: The end of the last frame in seconds.
    ///   - frame: The identifier that a further frame would have.
    mutating func finish(at time: Double, frame: Int) -> [ReactionEvent] {
        guard !running.isEmpty else { return [] }
        var happened = running.map { Self.ended($0, at: time) }
        running.removeAll()
        happened.append(.effectsInProgress([]))
        return happened.map { ReactionEvent(time: time, frame: frame, kind: $0) }
    }

    /// Starts an effect at a frame, gives it the next number, and adds it to ``running``.
    private mutating func start(_ request: EffectRequest, preset: Preset, at time: Double) -> PlannedEffect {
        let detail = detail(of: preset)
        var effect = PlannedEffect(
            id: nextID, reactionType: request.reactionType, startTime: time,
            endTime: time + preset.duration,
            origin: request.origin ?? place(of: preset, in: request.tile),
            trigger: request.trigger, gesture: request.gesture, seed: request.seed, tile: request.tile)
        if request.tile == nil { effect.placeInCrop = crop?.nearestPlaceInCrop(effect.origin) }
        effect.detail = detail
        effect.addedBitRate = addedBitRate(of: preset, detail: detail)
        if let end = request.endTime { effect.end(at: end, duration: preset.duration) }
        nextID += 1
        counts[request.reactionType, default: 0] += 1
        running.append(effect)
        return effect
    }

    /// Ends the effects that a picture would show for too long after their end.
    private mutating func shorten(for stay: PictureStay?) {
        shortened.removeAll(keepingCapacity: true)
        guard let stay else { return }
        for index in running.indices
        where running[index].endTime > stay.start && stay.outlasts(running[index].endTime) {
            if running[index].endTime > stay.start + PictureStay.tolerance {
                shortened.append(ShortenedEffect(effect: running[index], stay: stay))
            }
            running[index].endTime = stay.start
        }
    }

    private mutating func endEffects(before time: Double) -> [ReactionEvent.Kind] {
        let over = running.filter { $0.endTime <= time }
        guard !over.isEmpty else { return [] }
        running.removeAll { $0.endTime <= time }
        return over.map { Self.ended($0, at: time) }
    }

    private static func ended(_ effect: PlannedEffect, at time: Double) -> ReactionEvent.Kind {
        .effectEnded(
            ReactionEvent.EffectEnd(
                id: effect.id, reactionType: effect.reactionType, startTime: effect.startTime,
                endTime: time, encoder: nil, tile: effect.tile))
    }
}

extension ReactionEvent.EffectDetail {
    fileprivate init(_ effect: PlannedEffect) {
        self.init(
            id: effect.id, reactionType: effect.reactionType, trigger: effect.trigger,
            gesture: effect.gesture, origin: effect.origin, startTime: effect.startTime, detail: effect.detail,
            tile: effect.tile)
    }
}

extension EffectTimeline.Preset {
    /// Returns the ratio of the bits with the effect to the bits without it, for an effect drawn with fewer particles.
    fileprivate func complexity(detail: Double) -> Double {
        1 + (complexity - 1) * (cost?.share(ofDetail: detail) ?? 1)
    }
}

extension FramePlan {
    /// Answers the clients that made a request.
    mutating func answer(_ request: EffectRequest, _ answer: EffectTimeline.Answer) {
        switch answer {
        case .started(let effect): self.answer(request, .started, id: effect.id)
        case .extended(let id): self.answer(request, .extended, id: id)
        case .ignored(let id): self.answer(request, .unchanged, id: id)
        case .refused: self.answer(request, .notShown)
        }
    }
}
