import Foundation

/// Runs the program over composites, and over their gestures alone.
struct GalleryInspection: Sendable {
    let program: String
    let footage: GalleryFootage
    /// The folder with composites and their truth.
    let folder: URL
    let scratch: URL
    let jobs: Int

    func scores(of count: Int) throws -> [GalleryScore] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".json") && !$0.hasPrefix(".")
        }.sorted().prefix(count)
        return try inParallel(Array(names), jobs: jobs) { name in
            let data = try Data(contentsOf: folder.appending(path: name))
            let truth = try JSONDecoder().decode(GalleryTruth.self, from: data)
            let events = try events(of: folder.appending(path: truth.video))
            let alone = try truth.heldGestures.map { tile, gesture in
                try self.events(of: clip(of: tile, gesture, truth))
            }
            return GalleryScore(truth, events, alone: alone)
        }
    }

    private func events(of video: URL) throws -> GalleryEvents {
        try GalleryEvents(of: video, program: program, scratch: scratch)
    }

    /// The clip of a gesture as large as it is in its tile; it is kept beside the composites.
    private func clip(of tile: GalleryTruth.Tile, _ gesture: GalleryTruth.Gesture, _ truth: GalleryTruth) throws -> URL
    {
        let alone = folder.appending(path: "alone")
        try FileManager.default.createDirectory(at: alone, withIntermediateDirectories: true)
        let stem = truth.video.prefix { $0 != "." }
        let file = alone.appending(path: "\(stem)-\(tile.id).mp4")
        guard !FileManager.default.fileExists(atPath: file.path) else { return file }
        guard let source = footage.gestures.first(where: { $0.clip.path == tile.source }) else {
            throw EvaluationError("\(tile.source) has no label")
        }
        let picture = gesture.picture
        let place = GalleryRect(x: picture.x, y: picture.y, width: picture.width, height: picture.height).even
        let size = GalleryRect(x: 0, y: 0, width: place.width, height: place.height)
        let end = gesture.sourceFrom + gesture.shownUntil - gesture.shownFrom
        let filters =
            "trim=start=\(gesture.sourceFrom):end=\(end),setpts=PTS-STARTPTS,fps=\(truth.fps),"
            + GalleryRenderer.filling(size, source.clip.aspect, bias: 0.5)
        let partial = alone.appending(path: ".\(stem)-\(tile.id).mp4")
        _ = try Program(path: "ffmpeg", scratch: scratch).output(
            [
                "-nostdin", "-v", "error", "-y", "-i", footage.folder.appending(path: tile.source).path, "-an", "-vf",
                filters,
            ]
                + ["-c:v", "libx264", "-preset", "veryfast", "-crf", "\(truth.rateFactor ?? 26)", partial.path])
        try FileManager.default.moveItem(at: partial, to: file)
        return file
    }
}

/// Searches videos of one camera for tiles; every one that is found is wrong.
struct SingleCameraInspection: Sendable {
    struct Finding: Sendable {
        var path: String
        /// The first layout of more than one tile.
        var tiles: Int
        var time: Double
    }

    let program: String
    let labels: GalleryFootage.Labels
    let folder: URL
    let scratch: URL
    let jobs: Int

    /// Returns the number of videos and those in which the program sees several tiles.
    func findings() throws -> (videos: Int, findings: [Finding]) {
        let composites = Set(labels.composites)
        let videos =
            (FileManager.default.enumerator(atPath: folder.appending(path: "videos").path)?
            .compactMap { $0 as? String } ?? []).map { "videos/\($0)" }.sorted()
            .filter { path in
                let kind = URL(filePath: path).pathExtension.lowercased()
                return ["mp4", "mov", "mkv", "webm", "avi", "gif", "3gp"].contains(kind) && !composites.contains(path)
            }
        let findings = try inParallel(videos, jobs: jobs) { path -> Finding? in
            let events = try GalleryEvents(
                of: folder.appending(path: path), program: program, scratch: scratch)
            let layouts = events.changes.filter { ($0.tiles?.count ?? 0) > 1 }
            return layouts.first.map {
                Finding(path: path, tiles: $0.tiles?.count ?? 0, time: $0.time)
            }
        }
        return (videos.count, findings.compactMap(\.self))
    }
}
