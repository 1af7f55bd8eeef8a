import Platform
import Synchronization

/// A second brush, on a thread of its own, that takes bands of a picture in turn with the canvas's.
final class TileAssistant: Sendable {
    private let helper: HelperThread
    private let brush: Mutex<TileBrush>

    init(_ helper: HelperThread, width: Int, height: Int) {
        self.helper = helper
        brush = Mutex(TileBrush(width: width, height: height))
    }

    /// Has both brushes follow a drawing; returns when all of it is on the picture.
    func paint(_ drawing: TileDrawing, on picture: inout MutablePicture, beside own: inout TileBrush) {
        // Both write to the same memory, but never to the same rows.
        let (format, planes) = unsafe (picture.format, picture.memory)
        helper.share { [self] in
            var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
            brush.withLock { $0.paint(drawing, on: &picture) }
        } beside: {
            own.paint(drawing, on: &picture)
        }
    }
}
