/// What is to be done with many recordings.
///
/// ```swift
/// var request = BatchRequest(["calls"], into: "reacted")
/// request.isRecursive = true
/// let report = try await BatchRun(request).run()
/// print(report.results.count { $0.state == .failed })
/// ```
public struct BatchRequest: Sendable {
    /// What is made of each recording.
    public enum Product: String, Sendable, Hashable, CaseIterable {
        /// The video again, with reactions over it.
        case video
        /// A ``ReactionPlan``.
        case plan
        /// Events, as JSON Lines.
        case events
    }

    /// Recordings, and folders with recordings.
    public var inputs: [BatchPath]
    /// The folder in which outputs lie as inputs do in theirs. It is made where it is missing.
    public var outputFolder: BatchPath
    /// What is made of each.
    public var product = Product.video
    /// Whether folders in folders are looked through, too.
    public var isRecursive = false
    /// How many recordings are worked on at once; as many as keep the cores busy if `nil`. Never more than there is memory
    /// for.
    public var jobs: Int?
    /// How outputs are called; by default as the inputs are, with `.plan.json` for plans and `.jsonl` for events.
    public var name: NameTemplate?
    /// Whether what failed before is tried again, although neither the recording nor what is asked for changed.
    public var retriesFailed = false
    /// A folder with the plans of the recordings, where a batch of plans put them; what gestures ask for is shown if `nil`.
    public var plans: BatchPath?
    /// How the plans' reactions look, where that is not what the plans say.
    package var restyle: (@Sendable (inout ReactionPlan.Style) throws(FlourishError) -> Void)?
    /// How each is recognised, shown and encoded.
    public var configuration: Configuration

    /// A request to filter recordings.
    public init(_ inputs: [String], into outputFolder: String, configuration: Configuration = Configuration()) {
        self.init(inputs.map { BatchPath($0) }, into: BatchPath(outputFolder), configuration: configuration)
    }

    /// The same with paths in any bytes.
    public init(_ inputs: [BatchPath], into outputFolder: BatchPath, configuration: Configuration = Configuration()) {
        self.inputs = inputs
        self.outputFolder = outputFolder
        self.configuration = configuration
    }

    /// How outputs are called.
    var template: NameTemplate {
        if let name { return name }
        return switch product {
        case .video: .same
        case .plan: .plan
        case .events: .events
        }
    }
}
