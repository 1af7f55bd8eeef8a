import MediaIO
import Raster
import Reactions
import Vision

/// Follows the people in a video with a virtual camera: auto framing. ``FramePlanner`` owns one.
///
/// Faces are detected five to eight times a second; a ``FramingCamera`` moves in between. The pictures are those of the
/// input, so that people who are not shown are seen, too.
///
/// Used by one thread at a time.
final class AutoFraming {
    private let finder: FaceFinder
    private var subjects = FramingSubjects()
    private var camera = FramingCamera()
    private var probe = MotionProbe()
    private var lastTime: Double?
    private var lastDetection: Double?
    /// The time at which the first of the last pictures without people was shown.
    private var emptySince: Double?
    /// The number of detections, by which windows take turns.
    private var turn = 0
    private var warning = WarnOnce()
    private var galleryWarning = WarnOnce()

    /// The seconds between two detections while the camera moves, and while it rests.
    private static let interval = (moving: 0.125, resting: 0.2)
    /// The tolerance of time stamps, in seconds.
    private static let rounding = 0.004
    /// The longest time between two pictures of one scene, in seconds.
    private static let gap = 1.0
    /// The seconds without people after which the camera opens.
    private static let patience = 1.0
    /// The height of the greatest face below which faces are looked for around the known ones, where they are larger in
    /// the detector's picture.
    private static let small = 0.2
    /// The side of the window around small faces, in heights of the greatest face.
    private static let surroundings = 5.0

    init(finder: FaceFinder) { self.finder = finder }

    /// Returns the part of a frame to show; `nil` for the whole picture.
    ///
    /// - Parameters:
    ///   - strength: 0…1; at 0 the camera opens.
    ///   - isGallery: Whether the picture consists of tiles, which are not framed.
    ///   - isFirst: Whether the video begins, and so the camera does not move to its first view.
    func crop(
        of frame: borrowing VideoFrame, strength: Double, isGallery: Bool, isFirst: Bool, at time: Double
    ) -> PictureCrop? {
        if isGallery {
            if strength > 0 { galleryWarning.note(.galleryNotFramed) }
            reset()
            return nil
        }
        guard strength > 0 else { return opened(at: time) }
        guard frame.hasPicture else { return nil }
        let isContinuous = lastTime.map { time >= $0 && time - $0 <= Self.gap } ?? false
        let beginsScene = frame.withPicture { probe.beginsScene($0) } || !isContinuous
        // After auto framing was switched on, the camera moves.
        let isCut = beginsScene && (lastTime != nil || isFirst)
        lastTime = time
        if beginsScene || isDue(at: time) {
            detect(in: frame, strength, beginsScene: beginsScene, isCut: isCut, isFirst: isFirst, at: time)
        }
        camera.advance(to: time)
        return shown
    }

    /// Returns the warnings since the last call, and removes them.
    func takeWarnings() -> [PipelineWarning] { [warning.take(), galleryWarning.take()].compactMap { $0 } }

    private func reset() {
        camera = FramingCamera()
        subjects.removeAll()
        probe = MotionProbe()
        (lastTime, lastDetection, emptySince) = (nil, nil, nil)
    }

    /// Opens the camera after auto framing was switched off.
    private func opened(at time: Double) -> PictureCrop? {
        guard lastTime != nil else { return nil }
        camera.open(.following)
        camera.advance(to: time)
        if camera.isMoving { return shown }
        reset()
        return nil
    }

    private var shown: PictureCrop? { camera.view == .whole ? nil : camera.view.crop }

    private func isDue(at time: Double) -> Bool {
        let interval = camera.isMoving ? Self.interval.moving : Self.interval.resting
        return lastDetection.map { time < $0 || time - $0 >= interval - Self.rounding } ?? true
    }

    private func detect(
        in frame: borrowing VideoFrame, _ strength: Double, beginsScene: Bool, isCut: Bool, isFirst: Bool,
        at time: Double
    ) {
        lastDetection = time
        if beginsScene { subjects.removeAll() }
        subjects.follow(faces(in: frame, everywhere: beginsScene), at: time, isCertain: beginsScene)
        warning.note(finder.warning("people are not followed"))
        let wanted = CameraView(of: subjects.faces, strength: strength)
        if wanted != nil { emptySince = nil } else { emptySince = emptySince ?? time }
        if isCut {
            let view = wanted ?? .whole
            // Not if the picture only became brighter, for example.
            if isFirst || !camera.isAimed(at: view) { camera.cut(to: view) }
        } else if let wanted {
            camera.point(at: wanted, at: time, for: Self.interval.moving)
        } else if let emptySince, time - emptySince >= Self.patience {
            camera.open(.opening)
        }
    }

    /// Returns the faces in a frame.
    ///
    /// One window is searched in each detection. To find people who come, a further one is searched in every other
    /// detection: the whole picture and three squares take turns. Faces that are missing are looked for one by one.
    ///
    /// - Parameter everywhere: Whether all windows are searched at once.
    private func faces(in frame: borrowing VideoFrame, everywhere: Bool) -> [Rectangle] {
        let geometry = frame.geometry
        let all = [FaceWindow.whole(of: geometry)] + FaceWindow.along(geometry)
        var windows = all
        if !everywhere {
            turn += 1
            windows = [window(around: subjects.faces, geometry) ?? all[0]]
            let missing = subjects.missing
            if !missing.isEmpty {
                windows.append(window(around: [missing[turn % missing.count]], geometry) ?? all[turn % all.count])
            } else if turn % 2 == 0 {
                windows.append(all[turn / 2 % all.count])
            }
            if windows.last == windows[0] { windows.removeLast(windows.count - 1) }
        }
        return frame.withPicture { picture in
            var found: [Rectangle] = []
            for window in windows {
                for face in finder.faces(in: picture, geometry: geometry, window)
                where !found.contains(where: { $0.intersectionOverUnion(face) > 0.3 }) {
                    found.append(face)
                }
            }
            return found
        }
    }

    /// Returns the window around small faces; `nil` if the window of the whole picture shows them well enough.
    private func window(around faces: [Rectangle], _ geometry: DisplayGeometry) -> FaceWindow? {
        guard let first = faces.first else { return nil }
        let greatest = faces.map(\.height).max() ?? 0
        guard greatest < Self.small else { return nil }
        let all = faces.dropFirst().reduce(first) { all, face in
            Rectangle(
                left: min(all.left, face.left), top: min(all.top, face.top), right: max(all.right, face.right),
                bottom: max(all.bottom, face.bottom))
        }
        let room = Self.surroundings * greatest * geometry.uprightHeight
        let side = max(
            all.width * geometry.uprightWidth + room / 2, all.height * geometry.uprightHeight + room / 2, room)
        return side < max(geometry.uprightWidth, geometry.uprightHeight)
            ? .around(all, side: side, geometry) : nil
    }
}

extension PipelineWarning {
    fileprivate static var galleryNotFramed: PipelineWarning {
        PipelineWarning(
            code: .notFramed,
            message: "auto framing is off while the picture is a gallery, since it follows the people of one picture")
    }
}
