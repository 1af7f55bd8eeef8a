/// A warning that holds for the whole run, and is told once.
struct OnceTold {
    private var warning: PipelineWarning?
    private var isTold = false

    /// Notes what is to be told, if anything; what comes later says the same.
    mutating func note(_ warning: PipelineWarning?) {
        guard !isTold, let warning else { return }
        self.warning = warning
        isTold = true
    }

    /// What is to be told now.
    mutating func take() -> PipelineWarning? {
        defer { warning = nil }
        return warning
    }
}
