/// What a run is to do.
struct PipelineRequest: Sendable {
    var input: String
    /// `nil` to tell events only: nothing is drawn, encoded or written.
    var output: String?
    var configuration: Configuration
    var resources: Resources
    var observer: SessionObserver
}
