import MediaIO
import Platform
import Raster
import Reactions
import Vision

/// Draws the effects on the whole video: its background, and Studio Light. ``FrameCompositor`` owns one for each picture
/// or tile in which they are on.
///
/// Used by one thread at a time.
final class VideoEffectPainter {
    private let people: PeopleFinder
    private let finder: FaceSearch
    private var matte: PictureMatte?
    private var lens: PortraitLens?
    private var light: StudioLight?
    private let background: BackgroundPainter
    /// The mask of the people in the last picture.
    private(set) var mask: BandMask?
    /// The share of the effects: 0 before people are in the scene for the first time, then 1.
    private var onset = 0.0
    /// The number of cuts before the current scene.
    private var cutCount = 0
    /// The time of the last cut, in seconds. Hands before it belong to another scene.
    private var cutTime = -Double.infinity
    private var lastTime: Double?
    private var geometry: DisplayGeometry?

    /// The seconds in which the effects appear with the first people of a video.
    private static let onsetTime = 0.4

    init(people: PeopleFinder, resources: Resources, backgrounds: BackgroundFiles) {
        self.people = people
        background = BackgroundPainter(files: backgrounds)
        finder = FaceSearch(resources: resources)
    }

    /// Returns the warnings since the last call, and removes them.
    func takeWarnings() -> [PipelineWarning] { finder.takeWarnings() }

    /// Draws the effects on a picture. If people cannot be segmented, nothing is blurred or lit.
    ///
    /// Nothing is out of focus or lit before the first people of a scene are seen, and the background stays out of focus
    /// when they have left. A background that replaces the video's own is always drawn, since it hides a room.
    ///
    /// - Parameter hands: The hands that were seen last. They count as parts of people.
    /// - Throws: The errors of ``BackgroundPainter/draw(_:at:on:geometry:matte:)``, and ``FlourishError/Code/unavailable``
    ///   if people cannot be segmented and the background is to be replaced.
    func draw(
        _ effects: VideoEffects, hands: [SeenHand], at time: Double, on picture: inout MutablePicture,
        geometry: DisplayGeometry
    ) throws {
        guard let matte = follow(effects, hands: hands, at: time, picture, geometry) else {
            // The room must not be seen instead of the background that hides it.
            guard effects.background.replaces else { return }
            throw FlourishError(
                .unavailable, "the background cannot be replaced, since people cannot be segmented; see flourish doctor"
            )
        }
        blur(effects.portrait * onset, on: &picture, matte: matte)
        light(effects.studioLight * onset, at: time, on: &picture, geometry, matte: matte)
        guard effects.background.replaces else { return }
        try background.draw(effects.background, at: time, on: &picture, geometry: geometry, matte: matte)
    }

    /// Lights the people of a picture, and prepares ``drawPeople(before:on:matte:)``.
    ///
    /// - Returns: The matte of the picture; `nil` if people cannot be segmented.
    func preparePeople(
        _ effects: VideoEffects, hands: [SeenHand], at time: Double, of picture: inout MutablePicture,
        geometry: DisplayGeometry
    ) -> PictureMatte? {
        guard let matte = follow(effects, hands: hands, at: time, picture, geometry) else { return nil }
        light(effects.studioLight * onset, at: time, on: &picture, geometry, matte: matte)
        background.follow(picture, toward: nil, at: time, matte: matte)
        return matte
    }

    /// Draws the people of the last picture before a ground, on a copy of that picture.
    func drawPeople(before ground: borrowing Picture, on copy: inout MutablePicture, matte: PictureMatte) {
        background.draw(ground, on: &copy, matte: matte)
    }

    /// Follows the people to a picture.
    ///
    /// - Returns: The matte of the picture; `nil` if nothing is drawn.
    private func follow(
        _ effects: VideoEffects, hands: [SeenHand], at time: Double, _ picture: borrowing MutablePicture,
        _ geometry: DisplayGeometry
    ) -> PictureMatte? {
        people.isPrecise = true
        mask = picture.withPicture { people.mask(of: $0, geometry: geometry, at: time) }
        guard let person = people.people else { return nil }
        if person.cutCount != cutCount {
            (cutCount, cutTime) = (person.cutCount, time)
            // A scene without people, such as a title, is shown as it is.
            if person.presence == 0 { onset = 0 }
        }
        followOnset(isPresent: person.presence > 0, at: time)
        guard onset > 0 || effects.background.replaces else { return nil }
        let matte = matte(for: picture.format, geometry)
        matte.adopt(
            confidence(of: person, hands, at: time, geometry), width: person.width, height: person.height,
            strength: person.presence, geometry: geometry)
        picture.withPicture { matte.follow($0, at: time) }
        return matte
    }

    private func blur(_ strength: Double, on picture: inout MutablePicture, matte: PictureMatte) {
        guard strength > 0 else { return lens = nil }
        let lens = lens ?? PortraitLens(matte)
        self.lens = lens
        lens.draw(strength, on: &picture, matte: matte)
    }

    private func light(
        _ strength: Double, at time: Double, on picture: inout MutablePicture, _ geometry: DisplayGeometry,
        matte: PictureMatte
    ) {
        guard strength > 0 else { return light = nil }
        let light = light ?? StudioLight(matte)
        self.light = light
        light.follow(finder.faces(in: picture, geometry, at: time), at: time, geometry: geometry, matte: matte)
        light.draw(strength, on: &picture, matte: matte)
    }

    /// The seconds for which a hand counts fully after it was seen, and after which it does not count any more.
    private static let handAge = (full: 0.15, none: 0.4)

    /// Returns the confidence of people and of their hands.
    private func confidence(
        of person: PersonMask, _ hands: [SeenHand], at time: Double, _ geometry: DisplayGeometry
    ) -> [Float] {
        var confidence = person.confidenceOfPeople
        for hand in hands where hand.time >= cutTime || time < cutTime {
            let age = abs(time - hand.time), (full, none) = Self.handAge
            let share = max(0, min(1, (none - age) / (none - full)))
            hand.outline.draw(
                on: &confidence, width: person.width, height: person.height, aspectRatio: geometry.aspectRatio,
                strength: Float(share))
        }
        return confidence
    }

    /// Returns the matte for pictures of a format, and starts over if the format changed.
    private func matte(for format: PictureFormat, _ geometry: DisplayGeometry) -> PictureMatte {
        if let matte, matte.fits(format), geometry == self.geometry { return matte }
        let matte = PictureMatte(format)
        (self.matte, lens, light, self.geometry) = (matte, nil, nil, geometry)
        background.reset()
        return matte
    }

    private func followOnset(isPresent: Bool, at time: Double) {
        defer { lastTime = time }
        guard onset > 0 || isPresent else { return }
        let step = lastTime.map { max(time - $0, 0) / Self.onsetTime } ?? 1
        onset = min(1, onset + step)
    }
}

/// Finds the faces in some pictures of a video.
private final class FaceSearch {
    private let finder: FaceFinder
    private var lastTime: Double?
    private var warning = WarnOnce()

    /// The seconds between two detections.
    private static let interval = 0.2

    init(resources: Resources) { finder = FaceFinder(resources: resources) }

    func takeWarnings() -> [PipelineWarning] { warning.take().map { [$0] } ?? [] }

    /// Returns the faces in a picture; `nil` if no detection is due.
    func faces(
        in picture: borrowing MutablePicture, _ geometry: DisplayGeometry, at time: Double
    ) -> [Rectangle]? {
        if let lastTime, time >= lastTime, time - lastTime < Self.interval - 0.004 { return nil }
        lastTime = time
        let faces = picture.withPicture { finder.faces(in: $0, geometry: geometry) }
        warning.note(finder.warning("faces are not lit"))
        return faces.map { Rectangle(left: $0.left, top: $0.top, right: $0.right, bottom: $0.bottom) }
    }
}
