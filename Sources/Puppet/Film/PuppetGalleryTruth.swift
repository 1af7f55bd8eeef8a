/// The ground truth of a gallery: its layouts, and the poses of each caller.
///
/// The JSON form is written beside the film. Times are seconds of the film; tiles are in pixels, joints in fractions of
/// the whole picture.
package struct PuppetGalleryTruth: Sendable, Hashable, Codable {
    package enum TileKind: String, Sendable, Hashable, Codable { case person, avatar }

    package struct Tile: Sendable, Hashable, Codable {
        /// The caller's number, from 1 in the order of the script; the same in all layouts.
        package var id: Int
        package var name: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        package var kind: TileKind
        /// The box of the name; absent if none is shown.
        package var label: PuppetTile?
    }

    package struct Layout: Sendable, Hashable, Codable {
        package var from: Double
        package var until: Double
        package var tiles: [Tile]
    }

    package struct Caller: Sendable, Hashable, Codable {
        package var id: Int
        package var name: String
        /// The poses that are shown, by time.
        package var cues: [PuppetTruth.Cue]
    }

    package var schema = 1
    package var width: Int
    package var height: Int
    package var rate: Double
    package var duration: Double
    package var frameCount: Int
    package var layouts: [Layout]
    package var callers: [Caller]
}
