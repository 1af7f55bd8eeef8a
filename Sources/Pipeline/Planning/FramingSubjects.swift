import Raster

/// The people that a virtual camera shows, by their faces.
///
/// A face is shown once it was detected twice, so that the camera does not follow a picture on the wall that is taken for
/// a face in one frame. Someone who turns away, or covers the face, is shown for a while.
struct FramingSubjects: Sendable {
    private struct Subject: Sendable {
        /// The smoothed box of the face, in fractions of the upright picture.
        var face: Rectangle
        let firstTime: Double
        var lastTime: Double
        var isConfirmed: Bool
    }

    private var subjects: [Subject] = []
    /// The time of the last detection, in seconds.
    private var lastTime = -Double.infinity

    /// The seconds for which a face that is not detected any more is shown.
    private static let memory = 1.5
    /// The seconds for which a face that was detected only once is remembered.
    private static let doubt = 0.5
    /// The share of a new box in the smoothed one.
    private static let smoothing = 0.6
    /// The least height of a face as a share of the greatest one. Smaller faces are in the background.
    private static let least = 0.3

    /// The faces to show, in the order of their appearance.
    var faces: [Rectangle] {
        let confirmed = subjects.filter(\.isConfirmed).map(\.face)
        let greatest = confirmed.map(\.height).max() ?? 0
        return confirmed.filter { $0.height >= Self.least * greatest }
    }

    /// The faces that were detected only once, or were not detected the last time.
    var missing: [Rectangle] { subjects.filter { !$0.isConfirmed || $0.lastTime < lastTime }.map(\.face) }

    /// Forgets everyone, at a cut.
    mutating func removeAll() { subjects = [] }

    /// Adopts the faces that were detected at a time, in seconds.
    ///
    /// - Parameter isCertain: Whether one detection is enough, as at the beginning of a scene.
    mutating func follow(_ faces: [Rectangle], at time: Double, isCertain: Bool = false) {
        lastTime = time
        var free = Set(subjects.indices)
        for face in faces {
            let nearest = free.sorted().filter { Self.isNear(subjects[$0].face, face) }
                .min { Self.distance(subjects[$0].face, face) < Self.distance(subjects[$1].face, face) }
            if let nearest {
                free.remove(nearest)
                subjects[nearest].face = subjects[nearest].face.approaching(face, by: Self.smoothing)
                subjects[nearest].lastTime = time
                confirm(nearest)
            } else {
                subjects.append(Subject(face: face, firstTime: time, lastTime: time, isConfirmed: isCertain))
            }
        }
        subjects.removeAll { time - $0.lastTime > ($0.isConfirmed ? Self.memory : Self.doubt) }
    }

    /// Shows a face that was detected twice. Someone who has not been seen since it appeared has moved there.
    private mutating func confirm(_ index: Int) {
        guard !subjects[index].isConfirmed else { return }
        subjects[index].isConfirmed = true
        let face = subjects[index].face, appeared = subjects[index].firstTime
        let moved = subjects.indices.filter {
            subjects[$0].isConfirmed && subjects[$0].lastTime < appeared
                && Self.isSimilar(subjects[$0].face, face)
        }.min { Self.distance(subjects[$0].face, face) < Self.distance(subjects[$1].face, face) }
        // Removed below, with those who have not been seen for long.
        if let moved { subjects[moved].lastTime = -.infinity }
    }

    /// Returns whether two boxes of successive detections are of one face: their middles are at most three widths apart,
    /// which someone who walks fast covers, and their sizes are similar.
    private static func isNear(_ a: Rectangle, _ b: Rectangle) -> Bool { distance(a, b) <= 9 && isSimilar(a, b) }

    private static func isSimilar(_ a: Rectangle, _ b: Rectangle) -> Bool {
        max(a.height, b.height) < 2 * min(a.height, b.height)
    }

    /// Returns the square of the distance of the middles, in sizes of the greater box.
    private static func distance(_ a: Rectangle, _ b: Rectangle) -> Double {
        let x = (a.left + a.right - b.left - b.right) / 2 / max(a.width, b.width)
        let y = (a.top + a.bottom - b.top - b.bottom) / 2 / max(a.height, b.height)
        return x * x + y * y
    }
}

extension CameraView {
    /// The size of a face, from the brows to the chin, as a share of the view's height.
    private static let face = 0.24
    /// The place of the eyes in the view, from the top: near a third, as photographers place them.
    private static let eyeLine = 0.37
    /// The place of the eyes in the box of a face, from the top.
    private static let eyes = 0.35
    /// The room that a person needs beyond the box of the face, in widths and heights of the box: for shoulders, for
    /// hair and some space above it, and for neck and chest.
    private static let room = (side: 0.8, above: 0.65, below: 1.0)
    /// The share by which the view is smaller than the picture at full strength, at least, if there is room.
    private static let leastZoom = 0.25

    /// Creates the view that shows people well: the eyes near the upper third, everyone within it.
    ///
    /// The picture is enlarged by at most 1 + `strength`, so by 2 at most: more would be visibly soft.
    ///
    /// - Parameters:
    ///   - faces: The faces in fractions of the upright picture.
    ///   - strength: 0…1.
    /// - Returns: `nil` without faces.
    init?(of faces: [Rectangle], strength: Double) {
        guard let first = faces.first else { return nil }
        var all = Rectangle(left: first.left, top: first.top, right: first.right, bottom: first.bottom)
        var eyes = 0.0, greatest = 0.0
        (all.left, all.right, all.top, all.bottom) = (1, 0, 1, 0)
        for face in faces {
            all.left = min(all.left, face.left - Self.room.side * face.width)
            all.right = max(all.right, face.right + Self.room.side * face.width)
            all.top = min(all.top, face.top - Self.room.above * face.height)
            all.bottom = max(all.bottom, face.bottom + Self.room.below * face.height)
            eyes += (face.top + Self.eyes * face.height) / Double(faces.count)
            greatest = max(greatest, face.height)
        }
        // Bodies reach to the lower edge in any case.
        all.bottom = min(all.bottom, 1)
        let wanted = min(max(greatest / Self.face, 1 / (1 + strength)), 1 - Self.leastZoom * strength)
        let size = min(max(wanted, all.width, all.height), 1)
        var top = eyes - Self.eyeLine * size
        top = min(max(top, all.bottom - size), max(all.top, 0))
        self.init(x: (all.left + all.right) / 2, y: top + size / 2, size: size)
        self = inside
    }
}

extension Rectangle {
    /// Returns the rectangle moved toward another one by a share of the way.
    fileprivate func approaching(_ other: Rectangle, by share: Double) -> Rectangle {
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * share }
        return Rectangle(
            left: between(left, other.left), top: between(top, other.top), right: between(right, other.right),
            bottom: between(bottom, other.bottom))
    }
}
