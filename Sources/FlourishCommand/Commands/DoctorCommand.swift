import ArgumentParser
import Camera
import Flourish
import Platform

/// The command `flourish doctor`. Prints the results of all checks, and enters the sandbox for the last one.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation, and print a remedy for each problem.",
        discussion: """
            The exit code is 69 if a required part is missing or damaged. Optional parts do not change the exit code.
            """)

    @Flag(help: "Print JSON: an array with one object for each check.")
    var json = false

    func run() throws {
        // The sandbox is tested last, since it blocks all other checks.
        let findings = Doctor.examine() + [LoopbackModule.examine(), Self.sandboxFinding()]
        if json {
            try StandardOutput.print(json: findings)
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

    // MARK: The sandbox

    /// Enters the sandbox, and attempts forbidden operations. Afterwards the process can only read files and use open
    /// descriptors.
    private static func sandboxFinding() -> Doctor.Finding {
        let strength = Sandbox.enter(SandboxNeeds())
        var held: [String] = []
        var escapes: [String] = []
        func record(_ isRefused: Bool, _ what: String) {
            if isRefused { held.append(what) } else { escapes.append(what) }
        }
        record(!startsProgram(), "starting programs")
        record(!opensSocket(), "sockets")
        record(!writesFile(), "writing files other than outputs")
        let isGood = strength.files && strength.calls && escapes.isEmpty
        let detail =
            held.isEmpty
            ? "the kernel supports neither Landlock nor seccomp"
            : "refuses " + held.joined(separator: ", ")
                + (escapes.isEmpty ? "" : "; does not refuse " + escapes.joined(separator: ", "))
        return Doctor.Finding(
            name: "sandbox", isGood: isGood, isOptional: true, detail: detail,
            remedy: isGood
                ? nil : "use Linux 5.19 or later with Landlock enabled (lsm=)"
        )
    }

    private static func startsProgram() -> Bool {
        guard let shell = try? ChildProcess("/bin/sh", ["sh", "-c", ":"]) else { return false }
        return shell.wait() != nil
    }

    private static func opensSocket() -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Creates and removes a file in the temporary folder.
    private static func writesFile() -> Bool {
        let path = RawName.bytes("\(SandboxNeeds.temporaryFolder)/flourish-doctor-\(getpid())")
        guard let descriptor = try? RawFile.open(path, O_WRONLY | O_CREAT | O_EXCL) else { return false }
        close(descriptor)
        RawFile.remove(path)
        return true
    }
}
