import ArgumentParser
import Flourish
import FoundationEssentials

/// `flourish doctor`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show what is installed, what is missing and how to fix that.",
        discussion: """
            The exit code is 69 if something is missing or wrong without which a run ends so, as it does without what gestures \
            are recognised by.
            """)

    @Flag(help: "Print JSON: an array with one object for each thing that was checked.")
    var json = false

    func run() throws {
        // The last, since nothing else can be looked at afterwards.
        let findings = Doctor.examine() + [SandboxTrial.finding()]
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            StandardOutput.print(String(decoding: try encoder.encode(findings), as: UTF8.self))
        } else {
            for finding in findings { StandardOutput.print(Self.lines(for: finding)) }
        }
        if findings.contains(where: { !$0.isGood && !$0.isOptional }) {
            throw ExitStatus.code(for: .unavailable)
        }
    }

    private static func lines(for finding: Doctor.Finding) -> String {
        let mark = finding.isGood ? "ok     " : "MISSING"
        let line = "\(mark)  \(finding.name): \(finding.detail)"
        return finding.remedy.map { "\(line)\n         → \($0)" } ?? line
    }
}
