import Foundation

/// The program, or one for each fold of the footage, with a judge trained without that fold.
struct Programs: Sendable {
    private var all: Program
    /// By the number of the fold; empty if one program processes everything.
    private var folds: [Program]
    private let labels: Labels

    /// - Parameters:
    ///   - unseen: the folder of the judges that `train` made without one fold each, if they are to be used.
    ///   - assets: the program's own assets; those of each fold differ in the judge alone.
    init(_ program: Program, unseen: String?, assets: String, labels: Labels) throws {
        all = program
        self.labels = labels
        guard let unseen else {
            folds = []
            return
        }
        folds = try (0..<Lessons.folds).map { fold in
            let judge = "\(unseen)/\(fold)/Gestures/hand-pictures.json"
            guard FileManager.default.fileExists(atPath: judge) else {
                throw EvaluationError("\(judge) is missing; run Scripts/train --folds")
            }
            var program = program
            program.environment["FLOURISH_ASSETS"] = try Self.assets(
                like: assets, with: judge, in: program.scratch.appending(path: "assets-\(fold)"))
            return program
        }
    }

    /// Returns the program that may process a file.
    subscript(path: String) -> Program { folds.isEmpty ? all : folds[Lessons.fold(of: path, labels)] }

    /// Returns the programs with additions to their environment.
    func with(environment: [String: String]) -> Programs {
        var copy = self
        copy.all.environment.merge(environment) { $1 }
        for index in copy.folds.indices { copy.folds[index].environment.merge(environment) { $1 } }
        return copy
    }

    /// Divides files into groups for one program each, of `size` at the most; keeps their order within each.
    func batches(of paths: [String], size: Int) -> [[String]] {
        let groups =
            folds.isEmpty
            ? [paths]
            : folds.indices.map { fold in
                paths.filter { Lessons.fold(of: $0, labels) == fold }
            }
        return groups.flatMap { group in
            stride(from: 0, to: group.count, by: size).map { Array(group[$0..<min($0 + size, group.count)]) }
        }
    }

    /// Makes a folder of links to assets, except for one file.
    private static func assets(like original: String, with judge: String, in folder: URL) throws -> String {
        let files = FileManager.default
        let gestures = folder.appending(path: "Gestures")
        try files.createDirectory(at: gestures, withIntermediateDirectories: true)
        for (source, target, replaced) in [
            (original, folder, "Gestures"), (original + "/Gestures", gestures, "hand-pictures.json"),
        ] {
            for name in try files.contentsOfDirectory(atPath: source) where name != replaced {
                try files.createSymbolicLink(
                    atPath: target.appending(path: name).path, withDestinationPath: source + "/" + name)
            }
        }
        try files.createSymbolicLink(
            atPath: gestures.appending(path: "hand-pictures.json").path,
            withDestinationPath: URL(filePath: judge).absoluteURL.path)
        return folder.path
    }
}
