import MediaIO
import Raster
import Reactions

/// Cuts people out of frames, for a transparent background. ``FrameCompositor`` owns one.
///
/// Used by one thread at a time.
final class PeopleCutter {
    private let converter = CanvasConverter()
    private let canvases = FramePool(), copies = FramePool()

    /// The people of a frame.
    final class Cutout {
        /// People in one tile, or in the whole picture without a region.
        struct Part {
            var painter: VideoEffectPainter
            var region: PictureRegion?
            var matte: PictureMatte
        }

        private let picture: VideoFrame
        private let parts: [Part]
        private let pool: FramePool

        fileprivate init(_ picture: consuming VideoFrame, _ parts: [Part], _ pool: FramePool) {
            self.picture = picture
            self.parts = parts
            self.pool = pool
        }

        /// Draws the people on a ground: a canvas in the format of the frame's.
        func draw(on ground: inout VideoFrame) throws {
            if parts.isEmpty { return }
            var drawn = try picture.copy(pool: pool)
            try drawn.withMutablePicture(pool: pool) { picture in
                try ground.withMutablePicture(pool: pool) { ground in
                    for part in parts { part.draw(before: &ground, on: &picture) }
                }
            }
            ground = drawn
        }
    }

    /// Returns the people of a frame, whose parts are the tiles of a gallery, or the whole picture.
    ///
    /// - Parameters:
    ///   - tiles: The regions of the tiles; empty for the whole picture.
    ///   - prepare: Lights people, and returns them; `nil` if they cannot be segmented.
    func cutout(
        of frame: borrowing VideoFrame, tiles: [PictureRegion],
        _ prepare: (inout MutablePicture, PictureRegion?) -> (VideoEffectPainter, PictureMatte)?
    ) throws -> Cutout {
        var picture = try frame.onCanvas(converter, pool: canvases)
        var parts: [Cutout.Part] = []
        try picture.withMutablePicture(pool: canvases) { picture in
            for region in tiles.isEmpty ? [nil] : tiles.map(Optional.some) {
                let found =
                    if let region {
                        picture.withRegion(columns: region.columns, rows: region.rows) { prepare(&$0, region) }
                    } else {
                        prepare(&picture, nil)
                    }
                if let (painter, matte) = found { parts.append(.init(painter: painter, region: region, matte: matte)) }
            }
        }
        return Cutout(picture, parts, copies)
    }
}

extension PeopleCutter.Cutout.Part {
    fileprivate func draw(before ground: inout MutablePicture, on picture: inout MutablePicture) {
        guard let region else { return draw(on: &picture, before: ground) }
        picture.withRegion(columns: region.columns, rows: region.rows) { picture in
            ground.withRegion(columns: region.columns, rows: region.rows) { draw(on: &picture, before: $0) }
        }
    }

    private func draw(on picture: inout MutablePicture, before ground: borrowing MutablePicture) {
        ground.withPicture { painter.drawPeople(before: $0, on: &picture, matte: matte) }
    }
}
