package import MediaIO

/// A frame that several may look at.
package final class SharedPicture: Sendable {
    package let frame: VideoFrame

    package init(_ frame: consuming VideoFrame) { self.frame = frame }
}
