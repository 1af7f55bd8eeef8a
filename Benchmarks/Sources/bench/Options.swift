import Foundation

/// The command line.
struct Options {
    /// The parts of the report.
    enum Section: String, CaseIterable {
        case cpu, recognition, memory, effects, encoder, complexity
        case live, recovery, containers, observers, smart, folder, soak, photo, library, camera
    }

    /// The built `flourish`.
    var program = ""
    /// The repository: footage may be beside it.
    var repository = "."
    /// All but those that run only if they are named.
    var sections = Section.allCases.filter {
        ![.complexity, .recovery, .containers, .observers, .smart, .folder, .soak, .photo, .library, .camera]
            .contains($0)
    }
    /// The JSON file for the report, if any.
    var json: String?
    /// The talking head; by default footage beside the repository, else a drawn one.
    var input: String?
    /// A Python with MediaPipe as the peer; nothing else is measured then.
    var peer: String?
    /// The program of `Benchmarks/Library`, linked with the C library.
    var libraryClient: String?
    /// The program of `Benchmarks/Camera`.
    var cameraClient: String?
    /// The number of runs of each program for a median.
    var rounds = 5
    /// The same for runs that take minutes.
    var longRounds = 3
    /// The length of the long input.
    var minutes = 30
    /// The height of live pictures; the width follows at 16:9.
    var height = 720
    /// The number of busy programs that disturb a live run, and their duration in seconds.
    var disturbance = (programs: 4, seconds: 2)
    /// The number of clips in a folder.
    var clips = 200
    /// The folder for inputs that take minutes to make.
    var cache: String
    /// The file for a plot of the time of each phase, if any.
    var plot: String?

    init(arguments: [String]) throws {
        let environment = ProcessInfo.processInfo.environment
        cache = (environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache") + "/flourish/bench"
        var rest = arguments[...]
        // `Scripts/bench effects` is short for `--only effects`.
        if let name = rest.first, !name.hasPrefix("--") {
            sections = [try Self.section(name[...])]
            rest.removeFirst()
        }
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchError("\(option) needs a value") }
            switch option {
            case "--program": program = value
            case "--repository": repository = value
            case "--only": sections = try value.split(separator: ",").map(Self.section)
            case "--json": json = value
            case "--input": input = value
            case "--plot": plot = value
            case "--cache": cache = value
            case "--peer-python": peer = value
            case "--library-client": libraryClient = value
            case "--camera-client": cameraClient = value
            case "--rounds":
                rounds = try Self.count(value, of: option)
                longRounds = rounds
            case "--size":
                guard let size = ["1280x720": 720, "1920x1080": 1080][value] else {
                    throw BenchError("--size is 1280x720 or 1920x1080, not '\(value)'")
                }
                height = size
            case "--busy": disturbance.programs = try Self.count(value, of: option)
            case "--busy-seconds": disturbance.seconds = try Self.count(value, of: option)
            case "--clips": clips = try Self.count(value, of: option)
            case "--minutes": minutes = try Self.count(value, of: option)
            case "--hours":
                guard let hours = Double(value), hours * 60 >= 1 else {
                    throw BenchError("--hours needs a number that makes a minute at least, not '\(value)'")
                }
                minutes = Int((hours * 60).rounded())
            default: throw BenchError("unknown option '\(option)'")
            }
        }
        if program.isEmpty { throw BenchError("--program is missing") }
    }

    private static func section(_ name: Substring) throws -> Section {
        guard let section = Section(rawValue: String(name)) else {
            throw BenchError(
                "no section '\(name)'; there are cpu, recognition, memory, effects, encoder, complexity, live, recovery, "
                    + "containers, observers, smart, folder, soak, photo, library and camera"
            )
        }
        return section
    }

    private static func count(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw BenchError("\(option) needs a whole number above 0, not '\(text)'")
        }
        return number
    }
}
