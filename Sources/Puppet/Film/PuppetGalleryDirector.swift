package import Raster

/// Draws the frames of a gallery, in any order and on several threads, and computes the gallery's ground truth.
///
/// Every tile shows the picture of one ``PuppetDirector`` at the tile's size.
package struct PuppetGalleryDirector: Sendable {
    package let gallery: PuppetGallery
    private let stages: [GalleryStage]
    private let frames: [SpeakerMark]

    /// Lays out all views and draws their static parts.
    /// - Throws: ``PuppetError`` if the gallery requests something impossible.
    package init(gallery: PuppetGallery) throws(PuppetError) {
        try gallery.validate()
        self.gallery = gallery
        var stages: [GalleryStage] = []
        for view in gallery.views { stages.append(try GalleryStage(view: view, of: gallery)) }
        self.stages = stages
        frames = (gallery.turns ?? []).sorted { $0.time < $1.time }.map(SpeakerMark.init)
    }

    /// The format of the pictures: 8-bit 4:2:0, BT.709, limited range.
    package var format: PictureFormat { PictureFormat(width: gallery.width, height: gallery.height) }

    /// Draws a frame over the whole of a picture.
    /// - Precondition: `picture.format == format`.
    package func draw(frame: Int, into picture: inout MutablePicture) {
        precondition(picture.format == format)
        let time = Double(frame) / gallery.rate
        let stage = stages[gallery.viewIndex(at: time)]
        stage.draw(frame: frame, into: &picture)
        let speaker = frames.last { $0.turn.time <= time + 1e-9 }?.turn.caller
        for seat in stage.seats where seat.caller.name == speaker {
            SpeakerMark.layer(around: seat.tile, of: gallery)
                .composite(onto: &picture, grain: nil, strength: 0, frame: 0)
        }
    }

    /// The ground truth of this gallery.
    package var truth: PuppetGalleryTruth {
        let layouts = stages.enumerated().map { index, stage in
            PuppetGalleryTruth.Layout(
                from: gallery.views[index].time,
                until: index + 1 < gallery.views.count
                    ? min(gallery.duration, gallery.views[index + 1].time) : gallery.duration,
                tiles: stage.seats.map { seat in
                    PuppetGalleryTruth.Tile(
                        id: seat.id, name: seat.caller.name, x: seat.tile.x, y: seat.tile.y, width: seat.tile.width,
                        height: seat.tile.height, kind: seat.caller.isFilmed ? .person : .avatar,
                        label: gallery.labelBox(of: seat.caller, in: seat.tile))
                })
        }
        let callers = gallery.callers.enumerated().map { index, caller in
            PuppetGalleryTruth.Caller(
                id: index + 1, name: caller.name,
                cues: caller.isFilmed
                    ? (caller.cues ?? []).sorted { $0.time < $1.time }.compactMap { cue in truth(of: cue, index) } : [])
        }
        return PuppetGalleryTruth(
            width: gallery.width, height: gallery.height, rate: gallery.rate, duration: gallery.duration,
            frameCount: gallery.frameCount, layouts: layouts, callers: callers)
    }

    /// Returns the truth about a cue, with joints in the whole picture; nil if the caller is not shown.
    private func truth(of cue: PuppetCue, _ caller: Int) -> PuppetTruth.Cue? {
        let stage = stages[gallery.viewIndex(at: cue.time + min(cue.hold, cue.rightHold ?? cue.hold) / 2)]
        guard let seat = stage.seats.first(where: { $0.id == caller + 1 }), let director = seat.director,
            var found = director.truth.cues.first(where: { $0.reached == cue.time && $0.pose == cue.pose })
        else { return nil }
        found.handsSeen = found.handsSeen.map { hand in
            var hand = hand
            hand.joints = hand.joints.map { seat.joint($0, in: gallery) }
            return hand
        }
        return found
    }
}

/// One caller's place in a view.
struct GallerySeat: Sendable {
    /// The caller's number, from 1.
    let id: Int
    let caller: PuppetCaller
    let tile: PuppetTile
    /// Draws the caller's picture; nil if the camera is off.
    let director: PuppetDirector?
    /// The part of the caller's picture that the tile shows.
    let crop: PuppetTile

    init(id: Int, caller: PuppetCaller, tile: PuppetTile, of gallery: PuppetGallery) throws(PuppetError) {
        self.id = id
        self.caller = caller
        self.tile = tile
        let zoom = caller.zoom ?? 1
        let width = Int(Double(tile.width) * zoom) & ~1
        let height = Int(Double(tile.height) * zoom) & ~1
        // Four tenths of the additional height are cut off above, and six tenths below.
        crop = PuppetTile(
            x: (width - tile.width) / 4 * 2, y: (height - tile.height) / 10 * 4, width: tile.width, height: tile.height)
        director =
            caller.isFilmed
            ? try PuppetDirector(
                script: PuppetScript(
                    width: width, height: height, rate: gallery.rate, duration: gallery.duration, scene: caller.scene,
                    cues: caller.cues ?? [])) : nil
    }

    /// Returns a joint of the caller's picture as a joint of the whole picture. The depth remains relative to the
    /// width.
    func joint(_ joint: [Double], in gallery: PuppetGallery) -> [Double] {
        guard let director else { return joint }
        let x = joint[0] * Double(director.script.width) - Double(crop.x) + Double(tile.x)
        let y = joint[1] * Double(director.script.height) - Double(crop.y) + Double(tile.y)
        let z = joint[2] * Double(director.script.width)
        return [x / Double(gallery.width), y / Double(gallery.height), z / Double(gallery.width)].map {
            ($0 * 100_000).rounded() / 100_000
        }
    }
}

/// The mark of the active speaker from a time on: a frame around the speaker's tile.
struct SpeakerMark: Sendable {
    let turn: PuppetTurn

    static let colour = Colour(0.36, 0.78, 0.47)

    /// Returns the frame around a tile. The frame is outside the tile, so the tile's pixels do not change.
    static func layer(around tile: PuppetTile, of gallery: PuppetGallery) -> Layer {
        let thickness = max(2, gallery.height / 200)
        let box = PictureRegion(
            left: tile.x - thickness, top: tile.y - thickness, right: tile.x + tile.width + thickness,
            bottom: tile.y + tile.height + thickness)
        let layer = Layer(box: box)
        let painter = Painter(layer: layer, unit: 1)
        let corner = Float(gallery.corner ?? 12)
        painter.fill(painter.everything) { x, y in
            let inner = GalleryStage.distance(x, y, from: tile.box, corner: corner)
            return (colour, min(painter.cover(-inner), painter.cover(inner - Float(thickness))))
        }
        return layer
    }
}
