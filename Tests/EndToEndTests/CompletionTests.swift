import Foundation
import Testing
import TestSupport

private func isInstalled(_ shell: String) -> Bool { (try? Program.onPath(shell)) != nil }

/// Words to complete, and one candidate that each shell must offer.
private let completions: [(line: String, offer: String)] = [
    ("flourish call", "call.mp4"), ("flourish dete", "detect"), ("flourish call.mp4 rea", "reacted.mkv"),
    ("flourish filter call", "call.mp4"), ("flourish call.mp4 out.mp4 --code", "--codec"),
    ("flourish call.mp4 out.mp4 --codec he", "hevc"), ("flourish preview conf", "confetti"),
    ("flourish preview confetti call", "call.mp4"), ("flourish call.mp4 out.mp4 --palette past", "pastel"),
    ("flourish call.mp4 out.mp4 --bind victory=conf", "victory=confetti"),
    ("flourish call.mp4 out.mp4 --reaction conf", "confetti"), ("flourish detect --disable victo", "victory"),
    ("flourish call.mp4 out.mp4 --preset ultra", "ultrafast"),
    ("flourish call.mp4 out.mp4 --output-format mpeg", "mpegts"), ("flourish inspect call", "call.mp4"),
    ("flourish plan conv", "convert"), ("flourish control perform snowf", "snowfall"),
    ("flourish control cancel al", "all"), ("flourish control set sensi", "sensitivity"),
    ("flourish control set sensitivity hi", "high"), ("flourish control set palette oc", "ocean"),
    ("flourish control set bindings.victory snow", "snowfall"),
    ("flourish call.mp4 out.mp4 --bind victory=snow", "victory=snowfall"),
]

@Suite("Completions")
struct CompletionTests {
    /// Generates the script, and files to complete.
    private func prepare(_ bench: Workbench, _ shell: String) async throws {
        for name in ["call.mp4", "reacted.mkv"] { try bench.write("", as: name) }
        // The script runs the program to list effects of the user's own.
        let program = bench.file("flourish")
        try FileManager.default.createSymbolicLink(at: program, withDestinationURL: Program.flourish.executable)
        let effects = bench.file("config/flourish/effects")
        try FileManager.default.createDirectory(at: effects, withIntermediateDirectories: true)
        let rain = Repository.root.appending(path: "Assets/Reactions/rain.json")
        try String(contentsOf: rain, encoding: .utf8).replacing("\"type\": \"rain\"", with: "\"type\": \"snowfall\"")
            .write(to: effects.appending(path: "snowfall.json"), atomically: true, encoding: .utf8)
        let script = try await Program.flourish.succeed(["--generate-completion-script", shell])
        try bench.write(script.standardOutput, as: "completions")
    }

    private func run(_ bench: Workbench, _ shell: String, _ program: String) async throws -> String {
        try bench.write(program, as: "try")
        return try await Program.onPath(shell).succeed(
            shell == "zsh" ? ["-f", "try"] : ["try"],
            environment: [
                "HOME": bench.folder.path, "XDG_CONFIG_HOME": bench.folder.path + "/config",
                "PATH": bench.folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
            ], in: bench.folder
        ).standardOutput
    }

    @Test(.enabled(if: isInstalled("bash"), "needs bash"))
    func bashOffersAllCandidates() async throws {
        try await Workbench.with { bench in
            try await prepare(bench, "bash")
            let calls = completions.map { line, _ in
                """
                COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                COMPREPLY=()
                $completer flourish "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                echo "${COMPREPLY[@]}"
                """
            }
            let words = "source ./completions\ncompleter=$(complete -p flourish | sed 's/.*-F \\([^ ]*\\) .*/\\1/')\n"
            let reported = try await run(bench, "bash", words + calls.joined(separator: "\n"))
                .split(separator: "\n", omittingEmptySubsequences: false)
            for (index, (line, offer)) in completions.enumerated() {
                #expect(reported[index].split(separator: " ").contains(Substring(offer)), "\(line): \(reported[index])")
            }
        }
    }

    @Test(.enabled(if: isInstalled("fish"), "needs fish"))
    func fishOffersAllCandidates() async throws {
        try await Workbench.with { bench in
            try await prepare(bench, "fish")
            let calls = completions.map { line, _ in "echo (complete -C '\(line)' | string split -f 1 \\t)" }
            let reported = try await run(bench, "fish", "source completions\n" + calls.joined(separator: "\n"))
                .split(separator: "\n", omittingEmptySubsequences: false)
            for (index, (line, offer)) in completions.enumerated() {
                #expect(reported[index].split(separator: " ").contains(Substring(offer)), "\(line): \(reported[index])")
            }
        }
    }

    /// Zsh completes on a terminal only, which its module zpty provides.
    @Test(
        .enabled(if: isInstalled("zsh"), "needs zsh"),
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/pts/ptmx"), "needs terminals (/dev/pts)"))
    func zshOffersAllCandidates() async throws {
        try await Workbench.with { bench in
            try await prepare(bench, "zsh")
            let calls = completions.map { line, _ in
                "zpty -w -n z $'\(line)\\t'\nzpty -r -m z line '*END*'\necho -E - ${(q+)line}\nzpty -w -n z $'\\025'"
            }
            let reported = try await run(
                bench, "zsh",
                """
                zmodload zsh/zpty
                zpty z zsh -f -i
                zpty -w z "PS1=; autoload -Uz compinit; compinit -u -D; source ./completions; zstyle ':completion:*' list-separator ''"
                zpty -w z 'show() { zle complete-word; print -n -- "[$BUFFER]E""ND" }; zle -N show; bindkey "^I" show; bindkey "^U" kill-whole-line; echo REA''DY'
                zpty -r -m z line '*READY*'

                """ + calls.joined(separator: "\n")
            ).split(separator: "\n", omittingEmptySubsequences: false)
            for (index, (line, offer)) in completions.enumerated() {
                #expect(reported[index].contains(offer), "\(line): \(reported[index])")
            }
        }
    }
}
