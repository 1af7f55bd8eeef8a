import MediaIO
import Pipeline
import Reactions

/// Analyses the pictures that a session would analyse: each tile of a gallery by itself, other pictures as a whole.
/// ``InspectionFilm`` makes one for each video or image.
///
/// Used by one thread at a time.
struct InspectionAnalysis {
    /// The result for a tile, or for the whole picture.
    typealias Result = (tile: LayoutTile?, analysis: HandAnalyser.Analysis)

    private var layout: LayoutFollower
    private var whole: DetectionScheduler
    private var tiles: TileAnalysers

    init(_ analyser: HandAnalyser, layout: LayoutChoice) {
        self.layout = LayoutFollower(layout)
        whole = DetectionScheduler(analyser)
        tiles = TileAnalysers(sharingModelsOf: analyser)
    }

    /// The numbers of the current tiles; `nil` is the whole picture.
    var parts: [Int?] { layout.tiles.isEmpty ? [nil] : layout.tiles.map(\.id) }

    /// Analyses what is due in the next frame of a video.
    ///
    /// - Throws: `InferenceError`, `MediaError`.
    mutating func results(for frame: borrowing VideoFrame, at time: Double) throws -> [Result] {
        if layout.follow(frame, at: time) {
            tiles.follow(layout.tiles, in: frame)
            whole.reset()
        }
        guard tiles.isEmpty else { return try tiles.analyse(frame, at: time).map { ($0.tile, $0.analysis) } }
        return try whole.analyse(frame, at: time).map { [(nil, $0)] } ?? []
    }

    /// Analyses an image. Its tiles are not detected, since people move in tiles.
    ///
    /// - Throws: `InferenceError`, `MediaError`.
    mutating func results(forStill frame: borrowing VideoFrame) throws -> [Result] {
        _ = layout.follow(frame, at: 0)
        guard !layout.tiles.isEmpty else { return [(nil, try whole.analyser.analyseStill(frame))] }
        var results: [Result] = []
        for tile in layout.tiles {
            whole.analyser.reset()
            results.append((tile, try whole.analyser.analyseStill(try frame.picture(of: tile))))
        }
        return results
    }
}
