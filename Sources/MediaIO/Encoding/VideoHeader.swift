internal import CFFmpeg
internal import Raster

/// What an encoder says of its stream before the first packet: what a container's header needs.
///
/// `AVCodecParameters`
@safe
package final class VideoHeader: @unchecked Sendable {
    // Nobody changes it.
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let codec: VideoCodec
    /// Of packets' times.
    let timeBase: TimeBase
    /// Frames a second on average; not positive where nobody knows.
    let frameRate: Rational
    /// How players must turn the coded picture, unless the source says so already.
    let orientation: Orientation
    /// What the first picture says of the screen that all of them were graded on.
    let grading: [StreamSideData]

    fileprivate init(
        _ encoder: VideoEncoder, _ context: UnsafeMutablePointer<AVCodecContext>
    ) throws(MediaError) {
        guard let parameters = unsafe avcodec_parameters_alloc() else { throw .outOfMemory(encoder.path) }
        unsafe self.parameters = unsafe parameters
        codec = encoder.settings.codec
        timeBase = unsafe Rational(context.pointee.time_base)
        frameRate = encoder.source.averageFrameRate
        orientation = encoder.codedOrientation
        grading = encoder.grading
        let status = unsafe avcodec_parameters_from_context(parameters, context)
        if status < 0 { throw .writing(encoder.path, status: status) }
    }

    deinit {
        var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&freed)
    }
}

extension VideoEncoder {
    /// What it says of its stream, once it was given its first frame.
    /// - throws: ``MediaError`` of the code `internal`.
    ///
    /// `avcodec_parameters_from_context`
    package func header() throws(MediaError) -> VideoHeader {
        guard let context = unsafe context else {
            preconditionFailure("an encoder knows its stream once it was given a frame")
        }
        return unsafe try VideoHeader(self, context)
    }
}
