import MediaIO
import Platform
package import Reactions

extension PipelineRun {
    /// Encodes the recording's first picture as the run would, and keeps nothing of it: an output that cannot be written is
    /// reported before minutes of analysis.
    ///
    /// - Throws: ``FlourishError``, as the run would.
    package static func preflight(
        _ request: PipelineRequest, control: SessionControl
    ) async throws(FlourishError) {
        guard let output = request.output else { return }
        let result = await StageThread.run { () throws(FlourishError) in
            try OutputCheck.check(output, input: request.input, overwrite: request.configuration.overwrite)
            do {
                let settings = InputSettings(request.configuration, address: request.input)
                let pool = FramePool()
                let source = try FrameSource(
                    request.input, settings, threads: 1, interrupt: control.interrupt, pool: pool)
                let writer = try makeWriter(output, source.demuxer, request.configuration, pool, control)
                if let frame = try source.next() { try writer.write(frame) }
            } catch {
                throw FlourishError(describing: error)
            }
        }
        try result.get()
    }
}
