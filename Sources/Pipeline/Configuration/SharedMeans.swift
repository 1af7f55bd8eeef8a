import Gestures
package import Inference
import MediaIO
import Platform
import Raster
import Reactions
import Segmentation
import Synchronization

/// What runs of one process share that follow each other or go on side by side: models, weights, drawings and the cores.
package final class SharedMeans: Sendable {
    package let models = ModelPool()
    let drawings = SpriteDrawings()
    private let weights = Mutex<Weights?>(nil)
    private let bodies = Mutex<PoseExaminer?>(nil)
    /// Who looks through a part of a recording holds a place here.
    private let places: Channel<Bool>

    struct Weights: Sendable {
        var assets: String
        var network: GestureNetwork
        var judge: PictureJudge
    }

    /// - Parameter cores: how many may look through parts of recordings at once.
    package init(cores: Int = Machine.cores) { places = Channel(capacity: max(1, cores)) }

    /// Does a piece of work once a core is free for it.
    func onFreeCore<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        _ = places.send(true)
        defer { _ = places.receive() }
        return try body()
    }

    /// Who examines bodies for all: its model takes too much memory for each to have one.
    func poseExaminer(_ make: () throws(InferenceError) -> PoseExaminer) throws(InferenceError) -> PoseExaminer {
        try bodies.withLock { (examiner) throws(InferenceError) -> PoseExaminer in
            let ready = if let examiner { examiner } else { try make() }
            examiner = ready
            return ready
        }
    }

    /// The weights of a folder, read once.
    func weights(assets: String) throws(GestureNetworkError) -> Weights {
        if let known = weights.withLock({ $0 }), known.assets == assets { return known }
        let read = Weights(
            assets: assets, network: try GestureNetwork(assets: assets), judge: try PictureJudge(assets: assets))
        weights.withLock { $0 = read }
        return read
    }
}

extension SharedMeans: Hashable {
    package static func == (one: SharedMeans, other: SharedMeans) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Pictures that were drawn from SVG, for runs that follow each other or go on side by side: a modelled sprite takes a
/// tenth of a second.
///
/// Whoever wants one that another run is drawing waits for it.
final class SpriteDrawings: Sendable {
    private struct Key: Hashable {
        var svg: [UInt8]
        var width: Int
        var height: Int
    }

    private final class Drawing: Sendable {
        let image = Mutex<RGBAImage?>(nil)
    }

    /// Those of all effects that are built in, at two sizes, are fewer.
    private static let most = 48

    private let drawings = Mutex<[Key: Drawing]>([:])

    /// A picture of a size.
    /// - Throws: `MediaError` where it cannot be drawn.
    func drawing(of svg: [UInt8], width: Int, height: Int) throws(MediaError) -> RGBAImage {
        let key = Key(svg: svg, width: width, height: height)
        let drawing = drawings.withLock { drawings in
            if let known = drawings[key] { return known }
            // Effects of one's own are changed and tried again and again.
            if drawings.count >= Self.most { drawings = [:] }
            let fresh = Drawing()
            drawings[key] = fresh
            return fresh
        }
        return try drawing.image.withLock { image throws(MediaError) in
            if let image { return image }
            let drawn = try RGBAImage.rasterizeSVG(svg, width: width, height: height)
            image = drawn
            return drawn
        }
    }
}
