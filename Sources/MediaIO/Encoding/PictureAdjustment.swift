/// What an encoder had to do to pictures before it could take them, beyond a change of pixel format.
package enum PictureAdjustment: Sendable, Hashable {
    /// The codec takes even sizes only: the last column or row was repeated.
    case padded(fromWidth: Int, fromHeight: Int, toWidth: Int, toHeight: Int)
    /// The picture's size changed midway, and containers hold one size: later pictures were scaled to
    /// fit into the first one's, with black bars where the shape differs.
    case scaled(fromWidth: Int, fromHeight: Int, toWidth: Int, toHeight: Int)
    /// The container cannot say how to turn the picture: its pixels were turned.
    case turnedUpright
    /// The codec does not take the picture's pixel format, and nobody asked for another one. FFmpeg's names.
    case converted(from: String, to: String)
    /// Effects cannot be drawn on pictures of that format; the loss is in words. FFmpeg's names.
    case redrawn(from: String, to: String, loss: String)
    /// The pictures are made of two fields, which are shown together from here on.
    case interlaced
}
