import Effects
import MediaIO
import Raster
import Reactions

/// Follows people's heads while effects run that move aside from them.
///
/// Faces are detected in some frames, and the places of heads are smoothed in media time. Without the model no effect
/// moves aside, and a warning is emitted.
///
/// Used by one thread at a time.
final class HeadFollower {
    private let finder: FaceFinder
    /// The heads of each tile; those of the whole picture have the number of no tile.
    private var followed: [Int: FollowedHeads] = [:]
    private var warning = WarnOnce()

    private static let wholePicture = Int.min

    init(finder: FaceFinder) { self.finder = finder }

    /// Gives effects in progress that move aside the heads in their part of a frame. The still icons of the calm style
    /// do not move.
    ///
    /// - Parameter crop: The part of the frame that is shown at its size; `nil` for the whole frame.
    func follow(
        _ effects: inout [PlannedEffect], of catalog: EffectCatalog, on frame: borrowing VideoFrame,
        showing crop: PictureCrop?, at time: Double
    ) {
        let indices = effects.indices.filter { index in
            !catalog.style.isCalm
                && catalog.library.descriptions[effects[index].reactionType.rawValue]?.movesAside == true
        }
        let tiles = Set(indices.map { effects[$0].tile?.id ?? Self.wholePicture })
        for tile in followed.keys where !tiles.contains(tile) { followed[tile] = nil }
        for index in indices {
            let tile = effects[index].tile
            let key = tile?.id ?? Self.wholePicture
            var heads = followed[key] ?? FollowedHeads()
            if heads.time != time {
                heads.advance(
                    to: time, faces: heads.needsFaces(at: time) ? faces(in: tile ?? crop?.tile, of: frame) : nil)
                followed[key] = heads
            }
            effects[index].heads = heads.heads
        }
    }

    /// Returns the warning of a failure, but only on the first call.
    func takeWarning() -> PipelineWarning? { warning.take() }

    private func faces(in tile: LayoutTile?, of frame: borrowing VideoFrame) -> [Rectangle] {
        let faces =
            if let tile, frame.hasPicture, let part = try? frame.picture(of: tile) {
                finder.faces(in: part)
            } else {
                finder.faces(in: frame)
            }
        warning.note(finder.warning("effects may cover faces"))
        return faces
    }
}

/// The heads in a picture, whose places follow the detected faces gradually.
struct FollowedHeads {
    private var entries: [Entry] = []
    /// The time of the last detection, and of the last frame.
    private var detection = -Double.infinity
    private(set) var time = -Double.infinity

    /// The interval of face detection, in seconds.
    private static let interval = 0.2
    /// The time constant of the places, in seconds.
    private static let lag = 0.12
    /// The seconds in which a head's influence rises and falls.
    private static let onset = 0.25
    /// The maximum distance of a face from the head that it continues, in half sizes of the head.
    private static let jump = 1.2
    /// The gap in seconds after which heads are new.
    private static let gap = 1.0

    private struct Entry {
        var head: EffectHead
        /// The last detected face.
        var face: EffectHead
        /// The centre at which the head was first seen.
        let firstX, firstY: Double
        var isPresent = true

        init(_ face: EffectHead, weight: Double) {
            (head, self.face, firstX, firstY) = (face, face, face.x, face.y)
            head.weight = weight
        }
    }

    var heads: [EffectHead] { entries.map(\.head) }

    private func isNew(at time: Double) -> Bool { time < self.time || time - self.time > Self.gap }

    /// Returns whether faces must be detected in the frame of a time.
    func needsFaces(at time: Double) -> Bool {
        // Media times are rounded.
        isNew(at: time) || time - detection >= Self.interval - 0.004
    }

    /// Advances to a frame.
    ///
    /// - Parameter faces: The faces in it, in fractions of the upright picture; `nil` if they were not detected.
    mutating func advance(to time: Double, faces: [Rectangle]?) {
        let isNew = isNew(at: time)
        let step = isNew ? 0 : time - self.time
        if isNew { entries = [] }
        self.time = time
        if let faces {
            detection = time
            assign(faces.map(\.effectHead), weight: isNew ? 1 : 0.001)
        }
        let share = step / (step + Self.lag), change = step / Self.onset
        for index in entries.indices {
            let face = entries[index].face
            func follow(_ value: inout Double, _ target: Double) { value += (target - value) * share }
            follow(&entries[index].head.x, face.x)
            follow(&entries[index].head.y, face.y)
            follow(&entries[index].head.halfWidth, face.halfWidth)
            follow(&entries[index].head.halfHeight, face.halfHeight)
            entries[index].head.movedX = entries[index].head.x - entries[index].firstX
            entries[index].head.movedY = entries[index].head.y - entries[index].firstY
            let weight = entries[index].head.weight + (entries[index].isPresent ? change : -change)
            entries[index].head.weight = min(max(weight, 0), 1)
        }
        entries.removeAll { $0.head.weight <= 0 }
    }

    /// Assigns each face to the nearest head, or to a new one.
    private mutating func assign(_ faces: [EffectHead], weight: Double) {
        for index in entries.indices { entries[index].isPresent = false }
        for face in faces {
            func distance(_ index: Int) -> Double {
                let seen = entries[index].face
                return max((face.x - seen.x).magnitude / seen.halfWidth, (face.y - seen.y).magnitude / seen.halfHeight)
            }
            let free = entries.indices.filter { !entries[$0].isPresent }
            if let nearest = free.min(by: { distance($0) < distance($1) }), distance(nearest) <= Self.jump {
                (entries[nearest].face, entries[nearest].isPresent) = (face, true)
            } else {
                entries.append(Entry(face, weight: weight))
            }
        }
    }
}

extension Rectangle {
    /// The head of a face, in fractions of the upright picture.
    fileprivate var effectHead: EffectHead {
        let bounds = head
        return EffectHead(
            x: (bounds.left + bounds.right) / 2, y: (bounds.top + bounds.bottom) / 2,
            halfWidth: max((bounds.right - bounds.left) / 2, 1e-3),
            halfHeight: max((bounds.bottom - bounds.top) / 2, 1e-3))
    }
}
