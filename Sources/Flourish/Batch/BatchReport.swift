/// What became of one recording.
public struct BatchResult: Sendable, Hashable {
    /// How it stands.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Its output was made.
        case done
        /// There was nothing to do, or not yet: ``BatchResult/reason`` says why.
        case skipped
        /// It could not be done.
        case failed
        /// It would be done, or was not come to.
        case open
    }

    /// The recording, as it was found.
    public var input: BatchPath
    /// Its output, where that is known.
    public var output: BatchPath?
    /// How it stands.
    public var state: State
    /// Why, where it is not simply done.
    public var reason: String?
    /// What mends a failure.
    public var remedy: FlourishError.Remedy?
    /// Whether work on it was given up when the batch was stopped; the next one begins it anew.
    public var isBrokenOff = false
    /// Whether it was done, or failed, in an earlier run.
    public var isFromBefore = false
    /// How many reactions are shown.
    public var reactions = 0
    /// The output's size in bytes.
    public var bytes: Int?
    /// Seconds that the session took.
    public var workSeconds = 0.0

    init(_ input: BatchPath, _ output: BatchPath?, _ state: State, _ reason: String? = nil) {
        self.input = input
        self.output = output
        self.state = state
        self.reason = reason
    }
}

/// What a batch came to.
public struct BatchReport: Sendable, Hashable {
    /// One for each recording, in the order in which they were found.
    public var results: [BatchResult] = []
    /// How many other files lay in the folders.
    public var otherFiles = 0
    /// Whether ``BatchRun/stop()`` ended it.
    public var wasStopped = false
    /// What ended it early, such as a full disk; `nil` where nothing did.
    public var failure: FlourishError?
    /// Seconds by the clock.
    public var seconds = 0.0

    /// How many recordings stand so.
    public func count(_ state: BatchResult.State) -> Int { results.count { $0.state == state } }
}

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// A recording that is being worked on.
    public struct File: Sendable, Hashable {
        /// The recording.
        public var input: BatchPath
        /// Its output.
        public var output: BatchPath
        /// How far its session has come; `nil` at the beginning.
        public var session: SessionProgress?
    }

    /// How many recordings there are.
    public var total = 0
    /// How many are done.
    public var done = 0
    /// How many were skipped.
    public var skipped = 0
    /// How many failed.
    public var failed = 0
    /// Those that are being worked on, in the order in which they were begun.
    public var running: [File] = []
    /// The share of the work that is done, by the length and size of the pictures, 0…1.
    public var fraction = 0.0
    /// Seconds by the clock since the work began.
    public var elapsedSeconds = 0.0
    /// Estimated seconds to go; `nil` where that cannot be known yet.
    public var remainingSeconds: Double?
}

/// What a caller wants to hear while a batch runs. The closures are called on any thread, one call at a time.
public struct BatchObserver: Sendable {
    /// Each recording that is done with.
    public var result: (@Sendable (BatchResult) -> Void)?
    /// How far the batch has come, after each step of any session.
    public var progress: (@Sendable (BatchProgress) -> Void)?
    /// Each event of each recording.
    public var event: (@Sendable (BatchPath, ReactionEvent) -> Void)?

    /// An observer that hears what it has closures for.
    public init(
        result: (@Sendable (BatchResult) -> Void)? = nil, progress: (@Sendable (BatchProgress) -> Void)? = nil,
        event: (@Sendable (BatchPath, ReactionEvent) -> Void)? = nil
    ) {
        self.result = result
        self.progress = progress
        self.event = event
    }
}
