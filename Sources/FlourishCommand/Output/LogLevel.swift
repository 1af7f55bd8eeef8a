import ArgumentParser

/// How much the program says on its standard error.
enum LogLevel: String, ExpressibleByArgument, CaseIterable, Comparable {
    case error, warning, info, debug

    static func < (a: LogLevel, b: LogLevel) -> Bool {
        allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
    }
}

/// How the progress of a run is shown.
enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
    /// A line that is written over, if a person reads along.
    case auto
    /// JSON Lines on the standard error, for programs.
    case json
    case none
}
