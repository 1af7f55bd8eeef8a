package import Frames
package import Gestures
package import HandPose
package import MediaIO
import Raster
package import Reactions
package import SessionSettings

/// Detects gestures in each tile of a gallery (a video call that shows several people) as if it were a separate video.
///
/// Each tile has its own scene changes, tracking, pairs of hands, holds and cooldowns. The models are shared.
///
/// Used by one thread at a time.
package struct TileAnalysers {
    /// A tile with its analyser and its latest result.
    private struct Watch {
        var tile: LayoutTile
        var scheduler: DetectionScheduler
        var status = GestureStatus.idle
        var isStatusNamed = false
        var coming: ComingGesture?
        var hands: [SeenHand] = []
    }

    private let whole: HandAnalyser
    private let purpose: AnalysisSchedule.Purpose
    private var watches: [Watch] = []
    private let pool = FramePool()

    /// - Parameter whole: the analyser of the whole picture, whose models are used.
    package init(sharingModelsOf whole: HandAnalyser, purpose: AnalysisSchedule.Purpose) {
        (self.whole, self.purpose) = (whole, purpose)
    }

    /// A Boolean value that indicates whether there are tiles.
    package var isEmpty: Bool { watches.isEmpty }

    /// Returns whether a tile at a time, in seconds, must be analysed or checked for changes.
    package func isDue(at time: Double) -> Bool { watches.contains { $0.scheduler.isDue(at: time) } }

    /// Adopts a layout. Holds continue in tiles that keep their place, and in tiles whose place was measured more exactly.
    /// Other tiles start afresh.
    package mutating func follow(_ tiles: [LayoutTile]) {
        watches = tiles.map { tile in
            if let same = watches.first(where: { $0.tile == tile }) { return same }
            if var corrected = watches.first(where: { tile.isCorrection(of: $0.tile) }) {
                corrected.tile = tile
                corrected.scheduler.resume()
                return corrected
            }
            guard var moved = watches.first(where: { $0.tile.id == tile.id })?.scheduler else {
                let analyser = HandAnalyser(sharingModelsOf: whole)
                return Watch(tile: tile, scheduler: DetectionScheduler(analyser, purpose: purpose))
            }
            // The tile keeps its analyser: a gesture that fired must be released before it fires in the new place.
            moved.restart()
            return Watch(tile: tile, scheduler: moved)
        }
    }

    /// Discards all holds.
    package mutating func reset() {
        for index in watches.indices {
            watches[index].scheduler.reset()
            (watches[index].status, watches[index].coming, watches[index].hands) = (.idle, nil, [])
        }
    }

    /// Continues after dropped frames.
    package mutating func resume() {
        for index in watches.indices { watches[index].scheduler.resume() }
    }

    /// Sets the regions of the whole picture in which a scan has seen hands around this time, in upright pixels.
    package mutating func expectHands(at places: [HandRegion], in frame: borrowing VideoFrame) {
        for watch in watches {
            let (dx, dy) = watch.tile.offset(in: frame)
            let (width, height) = watch.tile.size(in: frame)
            watch.scheduler.analyser.expectHands(
                at: places.compactMap { place in
                    let (x, y) = (place.centreX - dx, place.centreY - dy)
                    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
                    var local = place
                    (local.centreX, local.centreY) = (x, y)
                    return local
                })
        }
    }

    /// Analyses the tiles that are due.
    ///
    /// - Parameters:
    ///   - intervalScale: the factor by which the interval between analyses is longer than usual.
    ///   - settings: the settings of the session.
    /// - Returns: the gestures that the picture completed, and the holds that it ended, placed in the whole picture.
    /// - Throws: `InferenceError`.
    package mutating func findings(
        in frame: borrowing VideoFrame, at time: Double, intervalScale: Double, settings: LiveSettings
    ) throws -> GestureFindings {
        var findings = GestureFindings()
        for index in watches.indices {
            watches[index].scheduler.intervalScale = intervalScale
            watches[index].scheduler.analyser.follow(settings)
            guard watches[index].scheduler.isDue(at: time) else { continue }
            let tile = watches[index].tile
            let part = try picture(of: tile, in: frame)
            guard let analysis = try watches[index].scheduler.analyse(part, at: time) else { continue }
            (watches[index].status, watches[index].isStatusNamed) = (analysis.status, analysis.isStatusNamed)
            watches[index].coming = analysis.coming(at: time, in: tile)
            watches[index].hands = analysis.seenHands(at: time, in: tile)
            findings = findings + analysis.findings.placed(in: tile)
        }
        return findings
    }

    /// Returns a tile's picture. It is a copy if analyses keep their pictures, because otherwise each of them would
    /// keep the memory of a whole frame.
    private func picture(of tile: LayoutTile, in frame: borrowing VideoFrame) throws -> VideoFrame {
        let part = try frame.picture(of: tile)
        return whole.keepsPictures ? try part.copy(pool: pool) : part
    }

    /// The gesture that is being held and will complete first.
    package var coming: ComingGesture? { watches.compactMap(\.coming).min { $0.time < $1.time } }

    /// The hands that were seen in the last analysis of each tile.
    package var hands: [SeenHand] { watches.flatMap(\.hands) }

    /// The states of the tiles' gestures, and whether these gestures had a name when they were last detected.
    package var statuses: [(status: GestureStatus, isNamed: Bool)] { watches.map { ($0.status, $0.isStatusNamed) } }
}

extension GestureFindings {
    /// Returns the findings of a tile as findings of the whole picture.
    fileprivate func placed(in tile: LayoutTile) -> GestureFindings {
        var findings = self
        for index in findings.fired.indices {
            findings.fired[index].origin = tile.placeInPicture(fired[index].origin)
            findings.fired[index].tile = tile
        }
        for index in findings.unfired.indices {
            findings.unfired[index].origin = tile.placeInPicture(unfired[index].origin)
            findings.unfired[index].tile = tile
        }
        return findings
    }
}

extension LayoutTile {
    /// The place of the tile's upper left corner in upright pixels of the frame.
    package func offset(in frame: borrowing VideoFrame) -> (x: Double, y: Double) {
        (x * frame.geometry.uprightWidth, y * frame.geometry.uprightHeight)
    }

    /// The size of the tile in upright pixels of the frame.
    package func size(in frame: borrowing VideoFrame) -> (width: Double, height: Double) {
        (width * frame.geometry.uprightWidth, height * frame.geometry.uprightHeight)
    }
}
