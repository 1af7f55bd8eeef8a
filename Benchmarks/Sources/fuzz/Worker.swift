import Foundation
import Fuzzing
import Platform

/// Runs inputs in sequence, and reports on the standard output: `b NUMBER` before each, `e WORD` after it, `f WORDS`
/// for a fault, `m PEAK` at the end, with the peak of memory in bytes.
struct Worker {
    private let options: Options
    /// The limit on address space, in bytes: larger allocations fail.
    private static let room: rlim_t = 6 << 30
    /// The limit on resident memory, in bytes: no input is large.
    private static let greatestPeak = 1 << 30

    /// The number of descriptors that libraries open once and keep.
    private static let spare = 4
    private let usual: Int

    init(_ options: Options) {
        self.options = options
        usual = Self.descriptors.count
    }

    func run(_ job: Options.Job) async throws {
        // The reader may have exited.
        signal(SIGPIPE, SIG_IGN)
        // Sanitizers reserve terabytes of addresses, of which they use few.
        if unsafe dlsym(nil, "__asan_init") == nil, unsafe dlsym(nil, "__tsan_init") == nil {
            var limit = rlimit(rlim_cur: Self.room, rlim_max: Self.room)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }
        switch job {
        case .inputs(let name, let first, let count):
            let target = try await open(name)
            let seeds = try target.seeds()
            try await check(seeds, target)
            for number in first..<first + count {
                say("b \(number)")
                await execute(target.input(number, seeds: seeds), number, target)
            }
        case .file(let name, let path):
            let target = try await open(name)
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            let input = FuzzInput(kind: String(path.split(separator: ".").last ?? ""), bytes: bytes)
            for number in 0..<8 as Range<UInt64> {
                say("b \(number)")
                await execute(input, number, target)
            }
        case .write(let name, let number, let path):
            let target = try await open(name)
            let input = target.input(number, seeds: try target.seeds())
            try Data(input.bytes).write(to: URL(filePath: path + "." + input.kind))
        }
        say("m \(Self.peak)")
        exit(0)
    }

    /// A seed that is refused unchanged reaches no code behind the check.
    private func check(_ seeds: [FuzzInput], _ target: any FuzzTarget) async throws {
        var accepted: [String: Bool] = [:]
        var last = ""
        for seed in seeds {
            let word = try await target.execute(seed, seed: 1)
            last = word
            accepted[seed.kind, default: false] = accepted[seed.kind] == true || !word.hasPrefix("refused")
        }
        if let kind = accepted.filter({ !$0.value }).keys.min() {
            throw UsageError(description: "every seed of \(target.name) that is a .\(kind) is refused (\(last))")
        }
    }

    private func open(_ name: String) async throws -> any FuzzTarget {
        let target = try await FuzzTargets.open(
            name, scratch: options.scratch + "/\(name)-\(getpid())", assets: options.assets, seeds: options.seeds)
        guard let target else { throw UsageError(description: "there is no target '\(name)'") }
        return target
    }

    private func execute(_ input: FuzzInput, _ number: UInt64, _ target: any FuzzTarget) async {
        do throws(FuzzFault) {
            let word = try await target.execute(input, seed: number)
            var attempts = 20
            // The last thread of a run may close its descriptors a moment later.
            while target.name != "request", Self.descriptors.count > usual + Self.spare, attempts > 0 {
                usleep(50_000)
                attempts -= 1
            }
            if attempts == 0 {
                throw FuzzFault("descriptors stay open: \(Self.descriptors.joined(separator: ", "))")
            }
            if Self.peak > Self.greatestPeak { throw FuzzFault("it took \(Self.peak >> 20) MB") }
            say("e \(word)")
        } catch { say("f \(error.description)") }
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line.replacing("\n", with: " ") + "\n").utf8))
    }

    private static var peak: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// The open descriptors, each by its target.
    private static var descriptors: [String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0) }
    }
}
