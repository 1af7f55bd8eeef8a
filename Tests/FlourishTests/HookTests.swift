import Foundation
import Platform
import Reactions
import Synchronization
import Testing
import TestSupport

@testable import Flourish
@testable import Pipeline

/// Commands that run at events: their words, what they are given, their limits and their failures.
@Suite struct HookTests {
    private final class Warnings: Sendable {
        let all = Mutex<[String]>([])
        var messages: [String] { all.withLock { $0 } }
    }

    private static func effect(_ id: Int, at time: Double = 1.5) -> ReactionEvent {
        let detail = ReactionEvent.EffectDetail(
            id: id, reactionType: .heart, trigger: .gesture, gesture: .heart, origin: PicturePoint(x: 0.25, y: 0.5),
            startTime: time)
        return ReactionEvent(time: time, frame: 30, kind: .effectStarted(detail))
    }

    /// Runs commands for events, and returns the counts and the warnings.
    private func run(
        _ commands: [String], for events: [ReactionEvent], environment: [String: String] = [:],
        _ change: (inout HookRunner.Limits) -> Void = { _ in }
    ) throws -> (counts: HookRunner.Counts, warnings: [String]) {
        var limits = HookRunner.Limits(HookSettings())
        change(&limits)
        let warnings = Warnings()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let hooks = try commands.map { try Hook(onEvent: $0) }
        let runner = HookRunner(
            hooks, limits: limits, environment: environment.merging(["PATH": path]) { $1 }
        ) { message in warnings.all.withLock { $0.append(message) } }
        for event in events { runner.enqueue(event, of: "call.mp4") }
        return (runner.finish(), warnings.messages)
    }

    /// Returns the hook of reactions that runs a script, which is written into a folder.
    private func script(_ text: String, in folder: URL) throws -> String {
        let file = folder.appending(path: "hook.sh")
        try Data(text.utf8).write(to: file)
        return "effectStarted=sh '\(file.path)' '\(folder.path)'"
    }

    // MARK: Words

    @Test(arguments: [
        ("lamp on", ["lamp", "on"]), ("  lamp\ton \n", ["lamp", "on"]), ("lamp ''", ["lamp", ""]),
        (#"lamp 'a b' "c 'd" e\ f"#, ["lamp", "a b", "c 'd", "e f"]), (#"lamp a'b'"c"\d"#, ["lamp", "abcd"]),
        (#"lamp "a\"b\\c\d""#, ["lamp", #"a"b\c\d"#]), (#"lamp 'a\b$c`d'"#, ["lamp", #"a\b$c`d"#]),
        (#"lamp \$x \| a~ *.txt #y"#, ["lamp", "$x", "|", "a~", "*.txt", "#y"]), ("'é\u{301}x' y", ["é\u{301}x", "y"]),
    ])
    func commandsAreSplitAsShellsDo(_ command: String, words: [String]) throws {
        #expect(try Hook(onReaction: command).words == words)
        #expect(try Hook(onEvent: "warning=\(command)").words == words)
    }

    @Test(arguments: [
        ("lamp 'on", "the quote ' is not closed"), ("lamp \"on\\\"", "the quote \" is not closed"),
        ("lamp on\\", "nothing follows the last backslash"), ("", "needs a command"), (" \t", "needs a command"),
        ("'' on", "needs a command"), ("lamp a\0b", "NUL"), ("lamp | tee", "| has no meaning"),
        ("lamp $X", "$ has no meaning"), ("lamp `x`", "` has no meaning"), ("lamp > x", "> has no meaning"),
        ("a && b", "& has no meaning"), ("~/lamp", "~ has no meaning"),
    ])
    func commandsForAShellAreRefused(_ command: String, reason: String) {
        let error = #expect(throws: FlourishError.self) { try Hook(onReaction: command) }
        #expect(error?.code == .usage && error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func eventsOfHooksAreKnown() throws {
        #expect(try Hook(onReaction: "lamp").event == "effectStarted")
        for name in ReactionEvent.names { #expect(try Hook(onEvent: "\(name)=lamp a=b").words == ["lamp", "a=b"]) }
        for text in ["lamp", "effectStart=lamp", "=lamp", "warning="] {
            #expect(throws: FlourishError.self, "\(text)") { try Hook(onEvent: text) }
        }
        let error = #expect(throws: FlourishError.self) { try Hook(onEvent: "effectStart=lamp") }
        #expect(error?.message.contains("did you mean effectStarted?") == true)
    }

    /// Neither the control socket and the panel, nor programs with frames of their own, have hooks.
    @Test func onlyTheCommandLineHasHooks() {
        let keys = SettingKey.all.filter { $0.table == "hooks" }
        #expect(keys.count == 4)
        for key in keys { #expect(key.liveName == nil && !key.isForHosts, "\(key.name)") }
    }

    // MARK: What commands are given

    @Test func commandsGetTheEventAndNothingElse() throws {
        try withTemporaryFolder { folder in
            // Descriptors that this process leaves open on purpose.
            let left = dup(STDERR_FILENO)
            defer { close(left) }
            let hook = try script(
                """
                cat > "$1/input"
                printf '%s|' "$FLOURISH_EVENT" "$FLOURISH_TIME" "$FLOURISH_FRAME" "$FLOURISH_REACTION_TYPE" \
                    "$FLOURISH_GESTURE" "$FLOURISH_TRIGGER" "$FLOURISH_ORIGIN_X" "$FLOURISH_INPUT" "$OTHER" > "$1/variables"
                ls "/proc/$$/fd" > "$1/descriptors"
                output=$(readlink "/proc/$$/fd/1") error=$(readlink "/proc/$$/fd/2")
                echo "$output $error" > "$1/outputs"
                cut -d ' ' -f 1,5 "/proc/$$/stat" > "$1/group"
                grep -E 'Sig(Blk|Ign)' /proc/self/status > "$1/signals"
                """, in: folder)
            let (counts, warnings) = try run(
                [hook], for: [Self.effect(7)], environment: ["OTHER": "kept", "FLOURISH_EVENT": "of another run"])
            #expect(counts.succeeded == 1 && counts.all == 1 && warnings.isEmpty, "\(warnings)")
            func text(_ name: String) throws -> String {
                try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            }
            #expect(try text("input") == Self.effect(7).jsonLine + "\n")
            #expect(try text("variables") == "effectStarted|1.5|30|heart|heart|gesture|0.25|call.mp4|kept|")
            // The shell keeps its script open.
            let descriptors = Set(try text("descriptors").split(separator: "\n").map(String.init))
            #expect(descriptors.isSuperset(of: ["0", "1", "2"]) && !descriptors.contains("\(left)"))
            #expect(try text("outputs") == "/dev/null /dev/null\n")
            let group = try text("group").split(whereSeparator: \.isWhitespace)
            #expect(group.count == 2 && group[0] == group[1])
            let masks = try text("signals").split(whereSeparator: \.isWhitespace).compactMap { UInt64($0, radix: 16) }
            // glibc keeps two signals for itself, which it may ignore.
            #expect(masks.count == 2 && masks[0] == 0 && masks[1] & ~(3 << 31) == 0, "\(masks)")
        }
    }

    /// Texts of an event stay values: they add no variables, no arguments and no commands.
    @Test(arguments: [
        "a\nFLOURISH_INPUT=evil\nPATH=", "$(touch evil) `touch evil` ; touch evil", "nul\0byte", "\u{1B}[2J\"'\\",
        "é😀\u{202E}", String(repeating: "long ", count: 60_000),
    ])
    func hostileTextsAreOnlyValues(_ text: String) throws {
        try withTemporaryFolder { folder in
            let event = ReactionEvent(time: 0, frame: 0, kind: .warning(code: .damagedInput, message: text))
            let file = folder.appending(path: "hook.sh")
            try Data(
                """
                cd "$1" && cat > input && printf %s "$FLOURISH_MESSAGE" > message && env -0 > variables
                printf %s "$FLOURISH_INPUT" > name
                """.utf8
            ).write(to: file)
            let (counts, warnings) = try run(["warning=sh '\(file.path)' '\(folder.path)'"], for: [event])
            #expect(counts.succeeded == 1, "\(warnings)")
            let input = try String(contentsOf: folder.appending(path: "input"), encoding: .utf8)
            #expect(input == event.jsonLine + "\n")
            let message = try String(contentsOf: folder.appending(path: "message"), encoding: .utf8)
            #expect(message == String(text.filter { $0 != "\0" }.prefix(4096)))
            #expect(try String(contentsOf: folder.appending(path: "name"), encoding: .utf8) == "call.mp4")
            let variables = try Data(contentsOf: folder.appending(path: "variables")).split(separator: 0)
            let names = Set(variables.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) })
            // The shell adds the last three.
            #expect(
                names.isSubset(of: [
                    "FLOURISH_SCHEMA", "FLOURISH_EVENT", "FLOURISH_TIME", "FLOURISH_FRAME", "FLOURISH_CODE",
                    "FLOURISH_MESSAGE", "FLOURISH_INPUT", "PATH", "PWD", "OLDPWD", "_",
                ]), "\(names)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "evil").path))
        }
    }

    /// The names of effects are keys of the last event. They name no variables.
    @Test func namesOfEffectsNameNoVariables() {
        let summary = ReactionEvent.StreamSummary(
            framesIn: 1, framesOut: 1, framesDropped: 0, effects: [ReactionType(rawValue: "LD_PRELOAD"): 3], seconds: 1)
        let event = ReactionEvent(time: 1, frame: 1, kind: .streamEnded(summary))
        let variables = HookVariables(of: event, input: nil, beside: [:]).list
        #expect(variables.contains("FLOURISH_FRAMES_OUT=1"))
        #expect(!variables.contains { $0.uppercased().contains("PRELOAD") })
    }

    // MARK: Limits

    /// A command that hangs neither delays the sender nor lets anything grow, and every event is counted.
    @Test func hangingCommandsDelayNothing() throws {
        let clock = ContinuousClock()
        var slow = 0
        let events = 10_000
        var limits = HookRunner.Limits(HookSettings())
        (limits.parallel, limits.waiting, limits.seconds, limits.warnings) = (3, 16, 0.2, 4)
        let warnings = Warnings()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let runner = HookRunner(
            [try Hook(onReaction: "sleep 600")], limits: limits, environment: ["PATH": path]
        ) { message in warnings.all.withLock { $0.append(message) } }
        for number in 0..<events {
            let event = Self.effect(number)
            if clock.measure({ runner.enqueue(event, of: nil) }) > .milliseconds(33) { slow += 1 }
        }
        // A frame of 30 a second has 33 ms. A loaded machine may delay a few calls.
        #expect(slow < events / 100)
        let start = clock.now
        let counts = runner.finish()
        #expect(clock.now - start < .seconds(5))
        #expect(counts.all == events && counts.succeeded == 0 && counts.failed == 0, "\(counts)")
        #expect(counts.timedOut >= 3 && counts.dropped >= events - 100, "\(counts)")
        // Those about commands, and one about dropped events.
        #expect(warnings.messages.count <= limits.warnings + 1)
        #expect(warnings.messages.contains { $0.contains("are dropped") })
        #expect(warnings.messages.contains { $0.contains("was ended after 0.2 s") })
    }

    /// A command that is ended takes the programs that it started with it.
    @Test func programsOfCommandsEndWithThem() throws {
        try withTemporaryFolder { folder in
            let hook = try script("sleep 600 &\necho $! > \"$1/process\"\nwait\n", in: folder)
            let (counts, _) = try run([hook], for: [Self.effect(1)]) { $0.seconds = 1 }
            #expect(counts.timedOut == 1 && counts.all == 1, "\(counts)")
            let number = try String(contentsOf: folder.appending(path: "process"), encoding: .utf8)
            let status = "/proc/\(number.filter(\.isNumber))/stat"
            // It ends soon after the signal, and without a parent may stay as a zombie for a while.
            var left: String?
            for _ in Hang.rounds(milliseconds: 10) {
                left = try? String(contentsOfFile: status, encoding: .utf8)
                if left == nil || left?.contains(") Z") == true { break }
                Thread.sleep(forTimeInterval: 0.01)
            }
            #expect(left == nil || left?.contains(") Z") == true, "\(left ?? "")")
        }
    }

    @Test func hastenedRunsEndSoon() throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let runner = HookRunner(
            [try Hook(onReaction: "sleep 600")], limits: HookRunner.Limits(HookSettings()), environment: ["PATH": path]
        ) { _ in }
        runner.enqueue(Self.effect(1), of: nil)
        let clock = ContinuousClock()
        let start = clock.now
        runner.hasten(within: 0.1)
        #expect(runner.finish().all == 1)
        #expect(clock.now - start < .seconds(3))
    }

    @Test func oneCommandAtATimeKeepsTheOrder() throws {
        try withTemporaryFolder { folder in
            let hook = try script("echo \"$FLOURISH_ID\" >> \"$1/order\"\n", in: folder)
            let (counts, _) = try run([hook], for: (1...20).map { Self.effect($0) }) { $0.parallel = 1 }
            #expect(counts.succeeded == 20 && counts.all == 20)
            let order = try String(contentsOf: folder.appending(path: "order"), encoding: .utf8)
            #expect(order == (1...20).map { "\($0)\n" }.joined())
        }
    }

    // MARK: Failures

    @Test(arguments: [
        (
            "no-such-program-here x",
            "the hook no-such-program-here for effectStarted at 1.5 s: cannot be started (No such file"
        ),
        ("/etc/passwd x", "the hook /etc/passwd for effectStarted at 1.5 s: cannot be started (Permission denied)"),
        ("sh -c 'exit 3'", "the hook sh for effectStarted at 1.5 s: exit code 3"),
        ("sh -c 'kill -9 $$'", "the hook sh for effectStarted at 1.5 s: ended by signal 9"),
    ])
    func failuresAreWarnings(_ command: String, message: String) throws {
        let (counts, warnings) = try run(
            ["effectStarted=\(command)"], for: (1...5).map { Self.effect($0) }
        ) { $0.warnings = 3 }
        #expect(counts.failed == 5 && counts.all == 5)
        #expect(warnings.count == 3, "\(warnings)")
        #expect(warnings.allSatisfy { $0.hasPrefix(message) }, "\(warnings)")
        #expect(warnings.last?.hasSuffix("further failures are only counted") == true)
        #expect(counts.summary == "hooks: 5 failed")
    }

    @Test func otherEventsRunNothing() throws {
        let (counts, _) = try run(["warning=false", "gesture=false"], for: [Self.effect(1)])
        #expect(counts.all == 0)
    }
}
