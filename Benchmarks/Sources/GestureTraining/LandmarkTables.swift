import FoundationEssentials
import Vision

/// The tables of landmarks in a folder of footage.
///
/// - `landmarks/hagrid_crops_mediapipe.csv`: pixels and depth, one row a hand.
/// - `landmarks/kinivi_forks_merged.csv`, `raw_xyz_two_repos.csv`: of several projects.
/// - `landmarks/adrnabrm_bboxnorm.csv`: each axis stretched to 0…1 on its own, so that
///   the spread of fingers is distorted. Only hands that the other tables lack are
///   used.
/// - `landmarks/keep_images_mediapipe.csv`: of the pictures that `Scripts/evaluate` uses.
///   They are never used for training; `MANIFEST.tsv` names the rows of the first table
///   with the same pictures, which are excluded, too.
package struct LandmarkTables {
    private let folder: URL

    package init(folder: String) { self.folder = URL(filePath: folder) }

    /// True if there is training data.
    package var isPresent: Bool {
        FileManager.default.fileExists(atPath: url("hagrid_crops_mediapipe.csv").path)
    }

    private func url(_ name: String) -> URL { folder.appending(path: "landmarks").appending(path: name) }

    /// Returns every training hand, in the order of the tables.
    package func hands() throws -> [TrainingHand] {
        try photographs() + projects("kinivi_forks_merged.csv", dimensions: 2)
            + projects("raw_xyz_two_repos.csv", dimensions: 3) + stretched()
    }

    // MARK: Tables

    private func photographs() throws -> [TrainingHand] {
        let evaluated = try evaluatedPictures()
        return try Table(url("hagrid_crops_mediapipe.csv")).rows.compactMap { row in
            // The label of a crop with two hands is ambiguous.
            guard row["n_hands"] == "1", row["suspect"] == "0", !evaluated.contains(row["path"]),
                let handClass = Self.photographed[row["label"]]
            else { return nil }
            return TrainingHand(
                points: row.points(dimensions: 3), handClass: handClass, hasDepth: true,
                source: "photographs", owner: row["path"])
        }
    }

    /// Returns the names of photographs in the set that the evaluation uses.
    private func evaluatedPictures() throws -> Set<String> {
        let text = try String(contentsOf: folder.appending(path: "MANIFEST.tsv"), encoding: .utf8)
        return Set(
            text.split(separator: "\n").dropFirst().compactMap { line in
                let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
                // In the form "owner/project : path".
                guard cells.count > 2 else { return nil }
                return cells[2].split(separator: " : ").last.map(String.init)
            })
    }

    private func projects(_ file: String, dimensions: Int) throws -> [TrainingHand] {
        try Table(url(file)).rows.compactMap { row in
            let source = row["source_repo"]
            guard !Self.noisy.contains(source),
                let handClass = Self.named[row["orig_label"].lowercased()] ?? Self.normalised[row["norm_label"]]
            else { return nil }
            return TrainingHand(
                points: row.points(dimensions: dimensions), handClass: handClass,
                hasDepth: dimensions == 3, source: source, owner: source)
        }
    }

    private func stretched() throws -> [TrainingHand] {
        try Table(url("adrnabrm_bboxnorm.csv")).rows.compactMap { row in
            guard let handClass = Self.named[row["label"]], Self.onlyStretched.contains(handClass)
            else { return nil }
            return TrainingHand(
                points: row.points(dimensions: 2), handClass: handClass, hasDepth: false,
                source: "stretched", owner: "stretched")
        }
    }

    // MARK: Projects

    /// Projects with jittering landmarks.
    private static let noisy: Set<String> = [
        "DemonicAK/Hand_gesture_detection", "GuilhemMagaud/rock_paper_scissors_ai_back",
    ]
    private static let onlyStretched: Set<HandClass> = [.iLoveYou, .thumbAndIndex]
}

/// Comma-separated values with a line of names at the top.
private struct Table {
    struct Row {
        let cells: [Substring]
        let columns: [String: Int]

        subscript(name: String) -> String { columns[name].map { String(cells[$0]) } ?? "" }

        /// Returns the 21 points, from the column `x0` on.
        func points(dimensions: Int) -> [SIMD3<Double>] {
            let first = columns["x0"]!
            return (0..<21).map { joint in
                let at = (0..<dimensions).map { Double(cells[first + joint * dimensions + $0]) ?? 0 }
                return SIMD3(at[0], at[1], dimensions > 2 ? at[2] : 0)
            }
        }
    }

    let rows: [Row]

    init(_ url: URL) throws {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let names = lines[0].split(separator: ",").map(String.init)
        let columns = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        rows = lines.dropFirst().compactMap { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells.count == names.count, let x = columns["x0"], !cells[x].isEmpty else { return nil }
            return Row(cells: cells, columns: columns)
        }
    }
}
