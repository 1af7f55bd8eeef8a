import Foundation
@testable import Pipeline
import TestSupport
import Testing
@testable import Vision

@Suite("Pinned files") struct PinnedFilesTests {
    /// The program accepts the files that `Scripts/setup` downloads.
    @Test func checksumsMatchTheScripts() throws {
        let pins = try String(contentsOf: Repository.root.appending(path: "Scripts/pins.txt"), encoding: .utf8)
        var models: [String: String] = [:], libraries: [String: String] = [:]
        for line in pins.split(separator: "\n") where line.hasPrefix("file ") {
            let fields = line.split(separator: " ").map(String.init)
            try #require(fields.count == 6)
            let name = String(fields[4].split(separator: "/")[1])
            if fields[1] == "any" {
                models[name] = fields[5]
            } else {
                #expect(name.hasPrefix("libLiteRt."))
                libraries[fields[1]] = fields[5]
            }
        }
        #expect(models == PinnedFiles.models)
        #expect(libraries == PinnedFiles.libraries)
        let used =
            HandAnalyser.ModelFile.all + PeopleFinder.ModelFile.all
            + [PeopleFinder.ModelFile.pose, FaceFinder.modelFile]
        #expect(used.allSatisfy { PinnedFiles.models[$0] != nil })
    }

    /// Every Python package that pip installs has a checksum, too.
    @Test func pythonPackagesHaveChecksums() throws {
        let pins = try String(contentsOf: Repository.root.appending(path: "Scripts/pins.txt"), encoding: .utf8)
        let rows = pins.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for kind in ["test", "rival"] {
            let packages = rows.filter { $0.first == kind }
            #expect(packages.count > 4)
            for package in packages {
                #expect(package.count == 5 && ["any", "x86_64", "aarch64"].contains(package[1]), "\(package)")
                #expect(package.last?.count == 64 && package.last?.allSatisfy(\.isHexDigit) == true, "\(package)")
            }
        }
    }

    @Test(arguments: ["libLiteRt", "face_detection_short_range.tflite"])
    func changedBytesAreDetected(_ file: String) throws {
        let source =
            file == "libLiteRt" ? InstalledModels.libraryPath : InstalledModels.path("face_detection_short_range")
        try withTemporaryFolder { folder in
            let copy = folder.appending(path: URL(filePath: source).lastPathComponent)
            var data = try Data(contentsOf: URL(filePath: source))
            try data.write(to: copy)
            try PinnedFiles.check(copy.path)
            // A changed file is checked again.
            data[data.count / 2] ^= 1
            try data.write(to: copy)
            let error = try #require(throws: InferenceError.self) {
                try PinnedFiles.check(copy.path, environment: ["FLOURISH_ANY_RUNTIME": ""])
            }
            #expect(error.code == (file == "libLiteRt" ? .libraryDamaged : .modelDamaged))
            #expect(error.description.contains(copy.path) && error.description.contains("SHA-256"))
            try PinnedFiles.check(copy.path, environment: ["FLOURISH_ANY_RUNTIME": "1"])
        }
    }

    @Test func unpinnedAndMissingFilesAreNotChecked() throws {
        try PinnedFiles.check("/nowhere/libLiteRt.so")
        try PinnedFiles.check("/nowhere/hand_landmark_full.tflite")
        try withTemporaryFolder { folder in
            let other = folder.appending(path: "own.tflite")
            try Data("anything".utf8).write(to: other)
            try PinnedFiles.check(other.path)
        }
    }
}
