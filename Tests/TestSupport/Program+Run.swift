package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Program {
    /// Runs the program to its end. Waits before it starts while many others run.
    ///
    /// - Parameters:
    ///   - arguments: what follows the program's name; each is one argument, nothing is
    ///     split or expanded.
    ///   - input: what standard input holds; it is empty by default.
    ///   - environment: variables to set, or to remove where the value is nil; the others
    ///     are inherited.
    ///   - folder: the working directory; by default that of the tests.
    ///   - timeout: after that long by its ``ProgramClock`` the program is killed. Only that one process is:
    ///     it should have no children.
    /// - Throws: ``ProgramError`` if it does not start or takes too long. An exit code
    ///   other than 0 is a result, not an error.
    package func run(
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String?] = [:],
        in folder: URL? = nil,
        timeout: Duration = Hang.programLimit
    ) async throws -> ProgramResult {
        await ProgramSlots.shared.acquire()
        do {
            let result = try await start(arguments, input: input, environment: environment, in: folder)
                .result(timeout: timeout)
            await ProgramSlots.shared.release()
            return result
        } catch {
            await ProgramSlots.shared.release()
            throw error
        }
    }

    /// Runs the program to its end and demands exit code 0.
    ///
    /// - Throws: ``ProgramError``, also for any other exit code.
    @discardableResult
    package func succeed(
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String?] = [:],
        in folder: URL? = nil,
        timeout: Duration = Hang.programLimit
    ) async throws -> ProgramResult {
        let result = try await run(
            arguments, input: input, environment: environment, in: folder, timeout: timeout)
        guard result.exitCode == 0 else { throw ProgramError.failed(result) }
        return result
    }

    /// Starts the program and returns at once; for tests that send it signals.
    ///
    /// Call ``RunningProgram/result(timeout:)`` in the end, or it goes on running.
    package func start(
        _ arguments: [String],
        input: Data = Data(),
        environment: [String: String?] = [:],
        in folder: URL? = nil
    ) throws -> RunningProgram {
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        return try RunningProgram(
            executable: executable, arguments: arguments, input: input,
            environment: variables, folder: folder)
    }
}

/// A program that was started by ``Program/start(_:input:environment:in:)``.
package final class RunningProgram: Sendable {
    private let process: Process
    private let command: String
    private let end: AsyncStream<Never>
    private let scratch: URL

    /// Output goes to files, not pipes: no amount of it can block the program.
    fileprivate init(
        executable: URL, arguments: [String], input: Data,
        environment: [String: String], folder: URL?
    ) throws {
        command = ([executable.lastPathComponent] + arguments).joined(separator: " ")
        scratch = try TemporaryFolder.create()
        let output = scratch.appending(path: "output"), errors = scratch.appending(path: "errors")
        let inputFile = scratch.appending(path: "input")
        try input.write(to: inputFile)
        for file in [output, errors] { try Data().write(to: file) }

        let (end, continuation) = AsyncStream<Never>.makeStream()
        self.end = end
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment
        if let folder { process.currentDirectoryURL = folder }
        let streams = [
            try FileHandle(forReadingFrom: inputFile), try FileHandle(forWritingTo: output),
            try FileHandle(forWritingTo: errors),
        ]
        // The program has its own; thousands are run, and a process may have some thousand files open.
        defer { for stream in streams { try? stream.close() } }
        process.standardInput = streams[0]
        process.standardOutput = streams[1]
        process.standardError = streams[2]
        process.terminationHandler = { _ in continuation.finish() }
        do {
            try Self.withDefaultSignals { try process.run() }
        } catch {
            throw ProgramError.notStarted(executable.path, underlyingError: error)
        }
    }

    /// Runs `body` while this thread blocks no signal and SIGINT is not ignored.
    ///
    /// A child inherits both, and both are wrong here: threads of the cooperative pool
    /// block nearly every signal, and `swift test` may ignore SIGINT.
    private static func withDefaultSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t(), previous = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        _ = signal(SIGINT, SIG_DFL)
        try body()
    }

    deinit { try? FileManager.default.removeItem(at: scratch) }

    /// True if it is still running.
    package var isRunning: Bool { process.isRunning }

    /// Sends a signal, `SIGINT` for example; does nothing once the program has ended.
    package func send(signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Its standard error so far.
    package var standardErrorSoFar: String { text("errors") }

    /// Its standard output so far.
    package var standardOutputSoFar: String { text("output") }

    /// Waits for the program's end; kills it after `timeout` by its ``ProgramClock``, or later with a ``Sanitizer``.
    ///
    /// - Throws: ``ProgramError/timedOut(_:_:)``.
    package func result(timeout: Duration = Hang.programLimit) async throws -> ProgramResult {
        let timeout = timeout * Sanitizer.timeoutFactor
        let killed = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                var clock = ProgramClock(process: self.process.processIdentifier)
                while clock.elapsed < timeout {
                    guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return false }
                    clock.advance()
                }
                self.send(signal: SIGKILL)
                return true
            }
            for await _ in end {}
            group.cancelAll()
            return await group.next() ?? false
        }
        // A cancelled test leaves the loop early.
        send(signal: SIGKILL)
        if killed { throw ProgramError.timedOut(command, timeout) }
        try Task.checkCancellation()

        let signal = process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
        return ProgramResult(
            command: command, exitCode: signal.map { 128 + $0 } ?? process.terminationStatus,
            signal: signal, standardOutputData: data("output"), standardError: text("errors"))
    }

    /// Sends a signal and waits for the program's end.
    ///
    /// - Returns: The result, and the time that the program took by its ``ProgramClock`` to end.
    package func result(after signal: Int32) async throws -> (ProgramResult, Duration) {
        send(signal: signal)
        let clock = Task { [process] in
            var clock = ProgramClock(process: process.processIdentifier)
            while process.isRunning {
                // The clock includes the time of the last step before the end.
                try? await Task.sleep(for: .milliseconds(250))
                clock.advance()
            }
            return clock.elapsed
        }
        let result = try await result()
        return (result, await clock.value)
    }

    private func data(_ name: String) -> Data {
        (try? Data(contentsOf: scratch.appending(path: name))) ?? Data()
    }

    private func text(_ name: String) -> String { String(decoding: data(name), as: UTF8.self) }
}
