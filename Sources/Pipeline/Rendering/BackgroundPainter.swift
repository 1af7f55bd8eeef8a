import MediaIO
import Raster
package import Reactions

/// Replaces the background of a video, or of a tile, by a colour, a picture or a video that repeats.
///
/// Used by one thread at a time.
final class BackgroundPainter {
    private let files: BackgroundFiles
    private let fit = CoverFit()
    private let pool = FramePool()
    private var replacement: PictureReplacement?
    /// The background in the format of the video, what it shows, and its mean colour.
    private var ground: VideoFrame?
    private var shown: Shown?
    private var mean: GridColour?

    private struct Shown: Hashable {
        var background: Background
        var format: PictureFormat
        var geometry: DisplayGeometry
        /// The number of the file's picture.
        var number = 0
    }

    init(files: BackgroundFiles) { self.files = files }

    /// Starts over for pictures of another format.
    func reset() { replacement = nil }

    /// Draws a background, and people before it.
    ///
    /// - Parameters:
    ///   - matte: The matte of this picture.
    /// - Throws: ``FlourishError`` if a file cannot be read, `MediaError` if there is no memory.
    func draw(
        _ background: Background, at time: Double, on picture: inout MutablePicture, geometry: DisplayGeometry,
        matte: PictureMatte
    ) throws {
        let frame = try takeGround(for: background, at: time, picture.format, geometry)
        follow(picture, toward: mean, at: time, matte: matte)
        frame.withPicture { replacement?.draw($0, on: &picture, matte: matte) }
        ground = consume frame
    }

    /// Measures the colours of people in a picture, before it is drawn on.
    ///
    /// - Parameter mean: The mean colour of the new background, whose light people adopt; `nil` if they keep their own.
    func follow(
        _ picture: borrowing MutablePicture, toward mean: GridColour?, at time: Double, matte: PictureMatte
    ) {
        let replacement = replacement ?? PictureReplacement(matte)
        self.replacement = replacement
        picture.withPicture { replacement.follow($0, toward: mean, at: time, matte: matte) }
    }

    /// Draws a background behind the people of the picture that was followed last.
    func draw(_ ground: borrowing Picture, on picture: inout MutablePicture, matte: PictureMatte) {
        replacement?.draw(ground, on: &picture, matte: matte)
    }

    /// Returns the background at a time. The caller gives it back.
    private func takeGround(
        for background: Background, at time: Double, _ format: PictureFormat, _ geometry: DisplayGeometry
    ) throws -> VideoFrame {
        var wanted = Shown(background: background, format: format, geometry: geometry)
        guard case .file(let path) = background else {
            if shown == wanted, let frame = ground.take() { return frame }
            (shown, mean) = (wanted, nil)
            var frame = try VideoFrame(format: format, time: .zero, pool: pool)
            let colour = background.colour
            try frame.fill(
                format.samples(red: colour.red, green: colour.green, blue: colour.blue), pool: pool)
            return frame
        }
        let file = try files.picture(of: path, at: time)
        wanted.number = file.number
        if shown == wanted, let frame = ground.take() { return frame }
        let frame = try fit.picture(of: file, for: geometry, format)
        shown = wanted
        mean = frame.withPicture { GridColour(meanOf: $0) }
        return frame
    }
}

/// The file of a background, which the tiles of a gallery share.
///
/// Used by one thread at a time.
final class BackgroundFiles {
    private var file: LoopingPicture?

    /// Returns the file, at the picture of a time.
    ///
    /// - Throws: ``FlourishError`` if it cannot be read.
    func picture(of path: String, at time: Double) throws(FlourishError) -> LoopingPicture {
        do throws(MediaError) {
            let file = if let file, file.path == path { file } else { try LoopingPicture(path) }
            self.file = file
            try file.advance(to: time)
            return file
        } catch {
            throw FlourishError(ofBackground: error)
        }
    }
}

extension Background {
    /// Refuses a file that is no picture or video, or is damaged.
    ///
    /// - Throws: ``FlourishError`` that names the file.
    package func check() throws(FlourishError) {
        guard case .file(let path) = self else { return }
        do throws(MediaError) { _ = try LoopingPicture(path) } catch { throw FlourishError(ofBackground: error) }
    }

    /// The colour as R′G′B′, 0…1; black for others.
    fileprivate var colour: EffectColour {
        guard case .colour(let text) = self, let colour = EffectColour(hex: text) else {
            return EffectColour(red: 0, green: 0, blue: 0)
        }
        return colour
    }
}

extension FlourishError {
    fileprivate init(ofBackground error: MediaError) {
        let described = FlourishError(describing: error)
        self.init(described.code, "the background cannot be shown: \(described.message)")
    }
}
