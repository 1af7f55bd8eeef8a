import Foundation

/// Files of the repository that serve as seeds.
enum FuzzFiles {
    static func all(in folder: String, kind: String) throws -> [FuzzInput] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("." + kind) }.sorted()
            .map { try one(folder + "/" + $0) }
    }

    static func one(_ path: String) throws -> FuzzInput {
        FuzzInput(
            kind: String(path.split(separator: ".").last ?? ""),
            bytes: [UInt8](try Data(contentsOf: URL(filePath: path))))
    }
}
