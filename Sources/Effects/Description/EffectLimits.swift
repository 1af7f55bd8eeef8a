import Reactions

/// What keeps a description within what can be drawn in time, whoever wrote it.
enum EffectLimits {
    /// Emitters of an effect, children included.
    static let emitters = 64
    /// How deep emitters may spring from emitters.
    static let generations = 4
    /// Particles that may have to be worked out for one frame, children included.
    static let particles = 12_000.0
    /// Full pictures that all particles of a frame together may cover.
    static let pictures = 80.0

    /// - Throws: where the description asks for more.
    static func check(_ description: EffectDescription, _ decoder: any Decoder) throws {
        func fail(_ message: String) -> DecodingError {
            .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: message))
        }
        guard description.emitters.allSatisfy({ $0.generations <= generations }) else {
            throw fail("children may lie \(generations) deep at the most")
        }
        guard description.emitters.reduce(0, { $0 + $1.family }) <= emitters else {
            throw fail("an effect may have \(emitters) emitters at the most, children included")
        }
        let load = description.emitters.reduce(DrawingEffort()) { $0 + $1.load(whileParents: 1) }
        guard load.particles <= particles else {
            throw fail(
                "up to \(load.particles.rounded().plainText) particles would be alive at once, and \(Int(particles)) is the most; "
                    + "lower a \"count\", a \"rate\" or a \"life\"")
        }
        guard load.pictures <= pictures else {
            throw fail(
                "its particles could cover the picture \(load.pictures.rounded().plainText) times over, and \(Int(pictures)) is "
                    + "the most; lower a \"size\", a \"count\" or a \"rate\"")
        }
    }
}

/// What drawing a frame of an effect takes at the most.
struct DrawingEffort {
    var particles = 0.0
    var pictures = 0.0

    static func + (a: DrawingEffort, b: DrawingEffort) -> DrawingEffort {
        DrawingEffort(particles: a.particles + b.particles, pictures: a.pictures + b.pictures)
    }
}

extension EffectEmitter {
    /// This emitter and all that spring from it.
    fileprivate var family: Int { children.reduce(1) { $0 + $1.family } }
    fileprivate var generations: Int { 1 + (children.map(\.generations).max() ?? 0) }

    /// - Parameter parents: how many particles this one's spring from, each alone.
    fileprivate func load(whileParents parents: Double) -> DrawingEffort {
        // A parent is looked at until what springs from it has gone.
        let born = birth.count ?? birth.rate * min(reach, 60) + 2
        let particles = parents * born
        let own = DrawingEffort(particles: particles, pictures: particles * look.greatestCover)
        return children.reduce(own) { $0 + $1.load(whileParents: particles) }
    }
}

extension EmitterLook {
    /// The share of a picture twice as wide as high that one particle covers at the most.
    fileprivate var greatestCover: Double {
        let height = size.greatest * max(1, sizeOverLife.max() ?? 1) * (1 + overshoot)
        var cover = min(height, 2) * min(height * aspect.greatest, 4)
        switch shape {
        case .beam: cover = min(height, 2) * min(length.greatest, 4)
        case .streak, .ribbon: cover = min(height, 2) * 4
        default: break
        }
        if let glow { cover += min(height * glow.size, 2) * min(height * glow.size, 4) }
        if shadow > 0 { cover *= 4 }
        return min(cover, 6) / 2
    }
}
