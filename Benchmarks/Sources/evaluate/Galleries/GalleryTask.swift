import Foundation

extension GalleryOptions {
    /// Makes composites, or measures the program.
    func run(scratch: URL, progress: @Sendable (String) -> Void) throws {
        let labels = URL(filePath: labels)
        let folder = URL(filePath: folder)
        if task == .singles {
            let (videos, findings) = try SingleCameraInspection(
                program: program, labels: .init(contentsOf: labels), folder: folder, scratch: scratch, jobs: jobs
            ).findings()
            print("Videos of one camera: \(videos), of which \(findings.count) are seen as several tiles")
            for finding in findings {
                print("- \(finding.path): \(finding.tiles) tiles at \(String(format: "%.2f s", finding.time))")
            }
            return
        }
        let footage = try GalleryFootage(folder: folder, labels: labels, scratch: scratch, jobs: jobs)
        let maker = GalleryMaker(footage: footage, seed: seed, scratch: scratch, jobs: jobs)
        switch task {
        case .make(let target): try maker.make(count, in: URL(filePath: target), progress: progress)
        case .singles: break
        case .measure:
            let kept = URL(filePath: keep ?? "")
            try maker.make(count, in: kept, progress: progress)
            let scores = try GalleryInspection(
                program: program, footage: footage, folder: kept, scratch: scratch, jobs: jobs
            ).scores(of: count)
            let report = GalleryReport(composites: scores)
            print(report.text)
            if let json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                try encoder.encode(report).write(to: URL(filePath: json))
            }
        }
    }
}
