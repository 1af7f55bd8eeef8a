import Foundation

/// Draws sheets of all misclassified pictures for inspection: the picture with its landmarks, and below it the label,
/// the result and the reason.
///
/// `errors-1.png`, … and `errors.tsv`, which lists the tiles in order. FFmpeg draws the text; without a font, only
/// the list identifies the tiles.
struct ErrorSheet: Sendable {
    /// One misclassified picture.
    struct Tile: Sendable {
        /// A picture, or a video.
        var file: String
        /// The second of the video; none for a picture.
        var time: Double?
        var name: String
        /// `victory → nothing`
        var verdict: String
        var reason: String
        var hands: [[[Double]]]
    }

    let folder: URL
    let scratch: URL
    let jobs: Int

    private static let side = 232
    private static let textHeight = 46
    private static let columns = 8
    private static let rows = 6

    /// - Returns: the written files.
    func write(_ tiles: [Tile]) throws -> [URL] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try removeOld()
        let pictures = try inParallel(tiles, jobs: jobs, picture)
        let page = Self.columns * Self.rows
        var files = [try writeList(tiles)]
        for (number, start) in stride(from: 0, to: tiles.count, by: page).enumerated() {
            let range = start..<min(start + page, tiles.count)
            let file = folder.appending(path: "errors-\(number + 1).png")
            try writeSheet(Array(pictures[range]), Array(tiles[range]), to: file)
            files.append(file)
        }
        return files
    }

    /// Removes the sheets of an earlier run.
    private func removeOld() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("errors-") && name.hasSuffix(".png") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private func picture(of tile: Tile) throws -> PixelCanvas {
        let ffmpeg = Program(path: "ffmpeg", scratch: scratch)
        let seek = tile.time.map { ["-ss", "\($0)"] } ?? []
        let data = try ffmpeg.output(
            ["-nostdin", "-v", "error", "-threads", "1"] + seek + [
                "-i", tile.file, "-frames:v", "1", "-vf",
                "scale=\(Self.side):\(Self.side):force_original_aspect_ratio=decrease",
                "-f", "image2pipe", "-c:v", "ppm", "-",
            ])
        guard var picture = PixelCanvas(ppm: data) else {
            throw EvaluationError("\(tile.file): no picture for the sheet of errors")
        }
        for hand in tile.hands { picture.draw(hand: hand) }
        return picture
    }

    private func writeSheet(_ pictures: [PixelCanvas], _ tiles: [Tile], to file: URL) throws {
        let width = Self.side + 8, height = Self.side + Self.textHeight
        let rows = (pictures.count + Self.columns - 1) / Self.columns
        var sheet = PixelCanvas(width: Self.columns * width, height: rows * height)
        var texts: [String] = []
        for index in pictures.indices {
            let left = index % Self.columns * width, top = index / Self.columns * height
            sheet.place(pictures[index], left: left + 4, top: top)
            let lines = [tiles[index].verdict, tiles[index].reason, tiles[index].name]
            for (line, text) in lines.enumerated() {
                texts.append(drawText(text, x: left + 4, y: top + Self.side + 2 + 14 * line, line == 0))
            }
        }
        let raw = scratch.appending(path: UUID().uuidString + ".ppm")
        defer { try? FileManager.default.removeItem(at: raw) }
        try sheet.ppm.write(to: raw)
        let ffmpeg = Program(path: "ffmpeg", scratch: scratch)
        let ends = ["-nostdin", "-v", "error", "-y", "-i", raw.path]
        do {
            // FFmpeg reads the filters from a file: they are too long for a command line.
            let script = scratch.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: script) }
            try Data(texts.joined(separator: ",\n").utf8).write(to: script)
            _ = try ffmpeg.output(ends + ["-filter_script:v", script.path, file.path])
        } catch is EvaluationError {
            _ = try ffmpeg.output(ends + [file.path])
        }
    }

    /// Returns one `drawtext` filter. Characters that need escaping are omitted.
    private func drawText(_ text: String, x: Int, y: Int, _ isTitle: Bool) -> String {
        let allowed = text.unicodeScalars.map { scalar in
            CharacterSet.alphanumerics.contains(scalar) || " -_.→()/°+".unicodeScalars.contains(scalar)
                ? String(scalar) : " "
        }.joined()
        let shown = String(allowed.prefix(isTitle ? 32 : 38))
        let colour = isTitle ? "yellow" : "white"
        return "drawtext=text='\(shown)':expansion=none:x=\(x):y=\(y):fontsize=\(isTitle ? 13 : 11):fontcolor=\(colour)"
    }

    private func writeList(_ tiles: [Tile]) throws -> URL {
        let page = Self.columns * Self.rows
        let lines = tiles.enumerated().map { index, tile in
            [
                "errors-\(index / page + 1).png", "\(index % page / Self.columns + 1)",
                "\(index % page % Self.columns + 1)", tile.name, tile.verdict, tile.reason,
            ].joined(separator: "\t")
        }
        let file = folder.appending(path: "errors.tsv")
        let text = (["sheet\trow\tcolumn\tfile\tverdict\treason"] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: file)
        return file
    }
}
