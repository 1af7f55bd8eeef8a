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

    /// Options that mean nothing beside a plan, and whether each was given.
    struct Idle {
        /// What `flourish plan` takes, too: there it can be asked for.
        var planned: [(String, Bool)]
        var others: [(String, Bool)]
    }

    /// The plan with the look that options ask for; `nil` where none was named.
    func load(_ style: StyleOptions, idle: Idle) throws(FlourishError) -> ReactionPlan? {
        guard let path = plan else { return nil }
        try refuse(idle)
        var plan = try ReactionPlan(contentsOf: path)
        try style.apply(to: &plan.style)
        return plan
    }

    /// The same check for many recordings, for which a folder holds the plans.
    func checkFolder(idle: Idle) throws(FlourishError) {
        try refuse(idle)
        guard let plan, FileKind.of(plan) != S_IFDIR else { return }
        throw FlourishError(
            .usage, "\(plan): is no folder; name the one that flourish plan --output-dir wrote plans into")
    }

    private func refuse(_ idle: Idle) throws(FlourishError) {
        let planned = idle.planned.first(where: \.1)?.0
        guard let option = planned ?? idle.others.first(where: \.1)?.0 else { return }
        let remedy = planned != nil ? "make it anew with \(option), or edit it" : "leave \(option) out"
        throw FlourishError(
            .usage, "\(option) and --plan exclude each other: a plan says what is shown of a whole recording; \(remedy)"
        )
    }
}
