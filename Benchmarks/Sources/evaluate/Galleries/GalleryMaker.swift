import Foundation

/// Makes composites with their truth, of the footage that is given.
struct GalleryMaker: Sendable {
    let footage: GalleryFootage
    let seed: UInt64
    let scratch: URL
    let jobs: Int

    /// Changes with the composites that a seed gives.
    static let version = 3

    /// Writes `gallery-001.mp4` and `gallery-001.json`, …; keeps those that are there.
    func make(_ count: Int, in folder: URL, progress: @Sendable (String) -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let fonts = try Self.fonts(scratch: scratch)
        let planner = GalleryPlanner(footage: footage, seed: seed)
        _ = try inParallel(Array(0..<count), jobs: jobs) { number in
            let plan = planner.plan(number)
            let video = folder.appending(path: plan.name + ".mp4")
            let truth = folder.appending(path: plan.name + ".json")
            guard !FileManager.default.fileExists(atPath: truth.path) else { return }
            let partial = folder.appending(path: ".\(plan.name).mp4")
            try GalleryRenderer(plan: plan, footage: footage.folder, scratch: scratch, fonts: fonts).render(to: partial)
            try? FileManager.default.removeItem(at: video)
            try FileManager.default.moveItem(at: partial, to: video)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(plan.truth).write(to: truth, options: .atomic)
            progress("\(plan.name): \(plan.kind.rawValue)")
        }
    }

    private static func fonts(scratch: URL) throws -> [GalleryText.Font: String] {
        let names: [GalleryText.Font: String] = [
            .regular: "DejaVu Sans", .bold: "DejaVu Sans:bold", .mono: "DejaVu Sans Mono",
        ]
        return try names.mapValues { name in
            let output = try Program(path: "fc-match", scratch: scratch).output(["-f", "%{file}", name])
            return String(decoding: output, as: UTF8.self)
        }
    }
}
