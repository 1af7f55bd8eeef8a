import MediaIO
import Platform
package import Reactions

extension PipelineRun {
    /// Encodes the recording's first picture as the run would, and keeps nothing of it: who looks through a recording for
    /// minutes before the first picture is written should be told before what cannot be written.
    ///
    /// - Throws: ``FlourishError``, as the run would.
    package static func rehearse(
        _ request: PipelineRequest, control: SessionControl
    ) async throws(FlourishError) {
        guard let output = request.output else { return }
        let result = await StageThread.run { () throws(FlourishError) in
            try OutputCheck.check(output, input: request.input, overwrite: request.configuration.overwrite)
            do {
                let settings = InputSettings(request.configuration, address: request.input)
                let demuxer = try Demuxer(path: request.input, settings: settings, interrupt: control.interrupt)
                let pool = FramePool()
                let writer = try makeWriter(output, demuxer, request.configuration, pool, control)
                if let frame = try FirstPicture.decode(of: demuxer, pool: pool) { try writer.write(frame) }
            } catch {
                throw FlourishError(describing: error)
            }
        }
        try result.get()
    }
}
