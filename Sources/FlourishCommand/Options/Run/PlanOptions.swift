import ArgumentParser
import Flourish
import Platform

/// What is shown, where that has been decided before.
struct PlanOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show what this plan says, made with flourish plan, and look for no gestures; - is the standard input. With --output-dir a folder with plans.",
            valueName: "plan.json"),
        completion: .file(extensions: ["json"]))
    var plan: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Encode only this share of the plan's spans, such as 2/4, beside OUTPUT as OUTPUT.spans-2-of-4; OUTPUT itself is not written. So several machines share a long rendering.",
            valueName: "k/n"))
    var spanShare: ShareArgument?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Put the spans that --span-share wrote for each share between the recording's packets, instead of encoding them; all else as then.",
            valueName: "file"),
        completion: .file())
    var spans: [String] = []

    /// Refuses spans where there is no plan, and options that mean nothing while they are encoded.
    ///
    /// - Parameter idle: such options, and whether each was given.
    func validateSpans(idle: [(String, Bool)]) throws {
        guard let option = spanShare != nil ? "--span-share" : spans.isEmpty ? nil : "--spans" else { return }
        if plan == nil { throw ValidationError("\(option) needs --plan: spans are a plan's") }
        if spanShare != nil, !spans.isEmpty { throw ValidationError("--span-share and --spans exclude each other") }
        guard spanShare != nil, let other = idle.first(where: \.1)?.0 else { return }
        throw ValidationError("--span-share and \(other) exclude each other: no video is written")
    }

    /// The plan with the look that options ask for, as far as nothing is locked; `nil` where none was named.
    ///
    /// - Parameter idle: options that mean nothing to a plan, and whether each was given.
    func load(_ style: StyleOptions, _ settings: Settings, idle: [(String, Bool)]) throws(FlourishError)
        -> ReactionPlan?
    {
        guard let path = plan else { return nil }
        try refuse(idle)
        var plan = try ReactionPlan(contentsOf: path)
        try style.apply(to: &plan.style)
        try settings.holdLocks(on: &plan.style)
        return plan
    }

    /// The same check for many recordings, for which a folder holds the plans.
    func checkFolder(idle: [(String, Bool)]) throws(FlourishError) {
        try refuse(idle)
        guard let plan, FileKind.of(plan) != S_IFDIR else { return }
        throw FlourishError(
            .usage, "\(plan): is no folder; name the one that flourish plan --output-dir wrote plans into")
    }

    private func refuse(_ idle: [(String, Bool)]) throws(FlourishError) {
        guard let option = idle.first(where: \.1)?.0 else { return }
        let isPlanned = !["--start", "--end", "--duration", "--live", "--candidates"].contains(option)
        let remedy = isPlanned ? "make it anew with \(option), or edit it" : "leave \(option) out"
        throw FlourishError(
            .usage, "\(option) and --plan exclude each other: a plan says what is shown of a whole recording; \(remedy)"
        )
    }
}
