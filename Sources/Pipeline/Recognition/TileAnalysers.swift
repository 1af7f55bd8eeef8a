package import MediaIO
import Raster
package import Reactions
package import Vision

/// Detects gestures in each tile of a gallery (a video call that shows several people) as if it were a separate video.
///
/// Each tile has its own intervals, scene changes, tracking, pairs of hands, holds and cooldowns: what one person does
/// changes nothing for another. Only the models are shared.
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

        /// Discards the latest result.
        mutating func forget() { (status, coming, hands) = (.idle, nil, []) }
    }

    private let whole: HandAnalyser
    private let purpose: AnalysisSchedule.Purpose
    private let intervals: CandidateIntervals?
    private var watches: [Watch] = []
    private let pool = FramePool()

    /// - Parameters:
    ///   - whole: the analyser of the whole picture, whose models are used.
    ///   - intervals: the intervals and hands of the whole picture, each tile's own of which are analysed; `nil` for
    ///     everything.
    package init(
        sharingModelsOf whole: HandAnalyser, purpose: AnalysisSchedule.Purpose = .watching,
        intervals: CandidateIntervals? = nil
    ) {
        (self.whole, self.purpose, self.intervals) = (whole, purpose, intervals)
    }

    /// True if there are tiles.
    package var isEmpty: Bool { watches.isEmpty }

    /// Returns whether a tile at a time, in seconds, must be analysed or checked for changes.
    package func isDue(at time: Double) -> Bool { watches.contains { $0.scheduler.isDue(at: time) } }

    /// Adopts a layout. Holds continue in tiles that keep their place, and in tiles whose place was measured more exactly.
    /// Other tiles start afresh.
    ///
    /// - Parameter frame: a frame of the tiles' size; it need not have a picture.
    package mutating func follow(_ tiles: [LayoutTile], in frame: borrowing VideoFrame) {
        var followed: [Watch] = []
        for tile in tiles {
            if let same = watches.first(where: { $0.tile == tile }) {
                followed.append(same)
                continue
            }
            let own = intervals?.within(tile.rectangle, origin: tile.offset(in: frame))
            if var corrected = watches.first(where: { tile.isCorrection(of: $0.tile) }) {
                corrected.tile = tile
                corrected.scheduler.intervals = own
                corrected.scheduler.resume()
                followed.append(corrected)
            } else if var moved = watches.first(where: { $0.tile.id == tile.id })?.scheduler {
                // The tile keeps its analyser: a gesture that fired must be released before it fires in the new place.
                moved.intervals = own
                moved.restart()
                followed.append(Watch(tile: tile, scheduler: moved))
            } else {
                let analyser = HandAnalyser(sharingModelsOf: whole)
                followed.append(
                    Watch(tile: tile, scheduler: DetectionScheduler(analyser, purpose: purpose, intervals: own)))
            }
        }
        watches = followed
    }

    /// Discards all holds.
    package mutating func reset() {
        for index in watches.indices {
            watches[index].scheduler.reset()
            watches[index].forget()
        }
    }

    /// Analyses the tiles that are due.
    ///
    /// - Parameters:
    ///   - intervalScale: the factor by which the interval between analyses is longer than usual.
    ///   - settings: the settings of the session; `nil` if they cannot change.
    /// - Returns: the tiles that were analysed, with their results. The findings are placed in the whole picture.
    /// - Throws: `InferenceError`.
    package mutating func analyse(
        _ frame: borrowing VideoFrame, at time: Double, intervalScale: Double = 1, settings: LiveSettings? = nil
    ) throws -> [(tile: LayoutTile, analysis: HandAnalyser.Analysis)] {
        var results: [(tile: LayoutTile, analysis: HandAnalyser.Analysis)] = []
        for index in watches.indices {
            watches[index].scheduler.intervalScale = intervalScale
            if let settings { watches[index].scheduler.analyser.follow(settings) }
            guard watches[index].scheduler.isDue(at: time) else {
                if !watches[index].scheduler.isWatching(at: time) { watches[index].forget() }
                continue
            }
            let tile = watches[index].tile
            let part = try picture(of: tile, in: frame)
            guard var analysis = try watches[index].scheduler.analyse(part, at: time) else { continue }
            (watches[index].status, watches[index].isStatusNamed) = (analysis.status, analysis.isStatusNamed)
            watches[index].coming = analysis.coming(at: time, in: tile)
            watches[index].hands = analysis.seenHands(at: time, in: tile)
            analysis.findings = analysis.findings.placed(in: tile)
            results.append((tile, analysis))
        }
        return results
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
}
