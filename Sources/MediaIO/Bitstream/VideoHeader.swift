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

    /// Copies the stream parameters of an encoder that is open.
    ///
    /// - Parameter path: The output that an error names.
    /// - throws: ``MediaError`` of the code `internal`.
    ///
    /// `avcodec_parameters_from_context`
    init(
        _ context: UnsafeMutablePointer<AVCodecContext>, codec: VideoCodec, frameRate: Rational,
        orientation: Orientation, grading: [StreamSideData], path: String
    ) throws(MediaError) {
        guard let parameters = unsafe avcodec_parameters_alloc() else { throw .outOfMemory(path) }
        unsafe self.parameters = unsafe parameters
        self.codec = codec
        timeBase = unsafe Rational(context.pointee.time_base)
        self.frameRate = frameRate
        self.orientation = orientation
        self.grading = grading
        let status = unsafe avcodec_parameters_from_context(parameters, context)
        if status < 0 { throw .writing(path, status: status) }
    }

    deinit {
        var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&freed)
    }
}
