import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The cost of one run of a program, as counted by the system (`wait4`).
struct Cost {
    /// CPU seconds of all its threads, in the program and in the system.
    var cpu: Double
    /// Elapsed seconds.
    var wall: Double
    /// The largest resident set, in bytes.
    var peakMemory: Int
}

/// Runs programs and measures them.
enum Child {
    /// Makes `flourish filter` encode all frames of a file.
    static let whole = ["--smart-render", "never"]

    /// Runs a program to its end; its output is dropped, its errors are passed on.
    ///
    /// - Parameter output: a file for its standard output; none by default.
    /// - Throws: ``BenchError`` if it does not start or fails.
    static func run(_ arguments: [String], output: String = "/dev/null") throws -> Cost {
        let start = ContinuousClock.now
        let pid = try unsafe spawn(arguments) { actions in
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(pid, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw BenchError("lost sight of \(arguments[0])") }
        }
        // The low seven bits hold the signal, the byte above them the exit code.
        guard status == 0 else {
            let command = arguments.joined(separator: " ")
            throw BenchError(
                status & 0x7f == 0
                    ? "exit code \(status >> 8) from: \(command)"
                    : "signal \(status & 0x7f) ended: \(command)")
        }
        #if canImport(Darwin)
        let unit = 1
        #else
        let unit = 1024
        #endif
        return Cost(
            cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            wall: (ContinuousClock.now - start) / .seconds(1),
            peakMemory: usage.ru_maxrss * unit)
    }

    /// Runs a program and returns its standard output.
    static func output(of arguments: [String], in scratch: URL) throws -> Data {
        let file = scratch.appending(path: "output")
        _ = try run(arguments, output: file.path)
        return try Data(contentsOf: file)
    }

    /// Finds a program on the `PATH`, so that the search is not measured.
    static func locate(_ name: String) throws -> String {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw BenchError("no '\(name)' on the PATH")
    }

    #if canImport(Darwin)
    typealias FileActions = posix_spawn_file_actions_t?
    #else
    typealias FileActions = posix_spawn_file_actions_t
    #endif

    /// Starts a program.
    ///
    /// - Parameter redirect: sets its descriptors.
    /// - Throws: ``BenchError`` if it does not start.
    static func spawn(_ arguments: [String], _ redirect: (inout FileActions) -> Void) throws -> pid_t {
        #if canImport(Darwin)
        var actions: FileActions = nil
        #else
        var actions = unsafe FileActions()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe redirect(&actions)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let failure = unsafe posix_spawn(&pid, arguments[0], &actions, nil, words, environ)
        guard failure == 0 else { throw BenchError("\(arguments[0]) does not start") }
        return pid
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
