import Foundation
import Testing
import TestSupport

/// `Scripts/install` with the program that the tests are built with, which avoids another build.
@Suite("Installing")
struct InstallTests {
    private func install(_ bench: Workbench, _ arguments: [String]) async throws -> ProgramResult {
        try await Program(executable: Repository.root.appending(path: "Scripts/install")).run(
            ["--prefix", bench.file("prefix").path] + arguments, in: bench.folder)
    }

    private func everything(below folder: URL) -> [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    @Test func uninstallingRemovesOnlyInstalledFiles() async throws {
        try await Workbench.with { bench in
            let manual = bench.file("prefix/share/man/man1")
            try FileManager.default.createDirectory(at: manual, withIntermediateDirectories: true)
            try bench.write("someone else's", as: "prefix/share/other")
            let before = everything(below: bench.file("prefix"))

            // Runs twice: an installation overwrites an earlier one.
            for _ in 0..<2 {
                let result = try await install(bench, ["--program", Program.flourish.executable.path])
                try #require(result.exitCode == 0, "\(result.standardError)")
            }
            let installed = everything(below: bench.file("prefix"))
            for name in [
                "bin/flourish", "share/man/man1/flourish.1", "share/flourish/Assets/Reactions/heart.json",
                "share/doc/flourish/licenses/swift-nio.txt", "share/doc/flourish/licenses/litert-parts.txt",
                "share/doc/flourish/gallery/heart.gif", "share/zsh/site-functions/_flourish",
            ] {
                #expect(installed.contains(name), "\(name)")
            }
            let version = try await Program(executable: bench.file("prefix/bin/flourish")).succeed(["--version"])
            #expect(version.standardOutput.hasPrefix("flourish "))

            let removed = try await install(bench, ["--uninstall"])
            #expect(removed.exitCode == 0, "\(removed.standardError)")
            #expect(everything(below: bench.file("prefix")) == before)
            let again = try await install(bench, ["--uninstall"])
            #expect(again.exitCode == 1 && again.standardError.contains("nothing of Flourish"))
        }
    }

    /// The index and the guides lead to each other where they are installed, too.
    @Test func linksInInstalledGuidesResolve() async throws {
        try await Workbench.with { bench in
            let result = try await install(bench, ["--program", Program.flourish.executable.path])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let guides = bench.file("prefix/share/doc/flourish")
            // Files that exist in the sources alone.
            let sources = [
                "Sources/", "Integrations/", "examples/", "../Integrations", "../Sources", "../Assets", "../Benchmarks",
                "../Scripts", "../SECURITY.md",
            ]
            for page in try FileManager.default.contentsOfDirectory(atPath: guides.path) where page.hasSuffix(".md") {
                let text = try String(contentsOf: guides.appending(path: page), encoding: .utf8)
                for match in text.matches(of: /\]\(([^)#\s]+)/) {
                    let target = String(match.1)
                    if target.contains("://") || sources.contains(where: target.hasPrefix) { continue }
                    let file = guides.appending(path: target)
                    #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(target)")
                }
            }
        }
    }
}
