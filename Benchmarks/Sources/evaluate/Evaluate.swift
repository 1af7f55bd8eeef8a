import Foundation

/// Measures the accuracy of gesture recognition in labelled footage. `Scripts/evaluate` runs it.
@main
enum Evaluate {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if let options = try GalleryOptions(arguments: arguments) {
                try inScratchFolder { try options.run(scratch: $0, progress: say) }
                return
            }
            let options = try Options(arguments: arguments)
            let isWorse = try inScratchFolder { try evaluate(options, scratch: $0) }
            if isWorse { exit(1) }
        } catch {
            say("error: \(error)")
            exit(2)
        }
    }

    /// All temporary files are in one folder, which is removed in every case but a kill.
    private static func inScratchFolder<Value>(_ work: (URL) throws -> Value) throws -> Value {
        let scratch = FileManager.default.temporaryDirectory
            .appending(path: "flourish-evaluate-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        return try work(scratch)
    }

    /// - Returns: Whether the report is worse than the earlier one with which it is compared.
    private static func evaluate(_ options: Options, scratch: URL) throws -> Bool {
        let earlier = try options.compare.map { try ReportFigures(contentsOf: URL(filePath: $0)) }
        let labels = try Labels(contentsOf: URL(filePath: options.labels))
        let footage = try Footage(
            folder: URL(filePath: options.folder), labels: labels, every: options.every)
        let program = Program(path: options.program, scratch: scratch)
        if let folder = options.lessons {
            let puppets = URL(filePath: options.assets + "/Puppet")
            let scripts = try FileManager.default.contentsOfDirectory(atPath: puppets.path).sorted()
                .filter { $0.hasSuffix(".json") }.map { puppets.appending(path: $0) }
            try Lessons(footage: footage, labels: labels, program: program, scripts: scripts, jobs: options.jobs)
                .write(to: URL(filePath: folder), scratch: scratch)
            return false
        }
        let programs = try Programs(program, unseen: options.unseen, assets: options.assets, labels: labels)
        say("\(footage.images.count) pictures, \(footage.videos.count) videos")
        if options.movement {
            let inspection = VideoInspection(
                footage: footage, labels: labels, programs: programs, jobs: options.jobs)
            let rules = MovementCurve.rules
            for (hold, rules) in [(Report.defaultHold, rules), (Report.plainHold, Array(rules.prefix(1)))] {
                print(try MovementCurve(inspection: inspection, hold: hold, rules: rules).table())
            }
            return false
        }
        let images = try ImageInspection(
            footage: footage, labels: labels, programs: programs, jobs: options.jobs
        ).findings()
        let inspection = VideoInspection(
            footage: footage, labels: labels, programs: programs, jobs: options.jobs)
        let holds = options.allHolds ? Report.comparedHolds : [Report.defaultHold]
        let byHold = try holds.map { try inspection.findings(hold: $0) }
        let videos = byHold[0]
        let handTime = try inspection.secondsWithHands(in: videos)
        let shortHolds = try inspection.findings(hold: Report.shortHold, withHoldsOnly: true)

        let derived =
            options.derived
            ? try DerivedFootage(
                footage: footage, labels: labels, program: program, scratch: scratch,
                jobs: options.jobs
            ).findings() : []

        var report = Report(
            images: images, videos: videos, shortHoldVideos: shortHolds, derived: derived)
        if options.conditions {
            report.conditions = try ConditionInspection(
                footage: footage, labels: labels, programs: programs, scratch: scratch, jobs: options.jobs
            ).scores()
        }
        report.holdScores = zip(holds, byHold).map {
            HoldScore(hold: $0, $1, handTime: handTime)
        }
        report.peer = try options.peer.map { peer in
            try Peer(
                python: Program(path: peer.python, scratch: scratch), helper: peer.helper,
                model: peer.model, footage: footage, labels: labels, jobs: options.jobs
            ).findings(holds: holds, handTime: handTime)
        }
        print(report.text)
        if let path = options.json { try report.json().write(to: URL(filePath: path)) }
        if let path = options.sheets {
            let sheet = ErrorSheet(folder: URL(filePath: path), scratch: scratch, jobs: options.jobs)
            let tiles = try tiles(images, videos, footage, programs)
            for file in try sheet.write(tiles) { say("wrote \(file.path)") }
        }
        guard let earlier else { return false }
        let comparison = try Comparison(
            of: ReportFigures(report.json()), with: earlier, tolerance: options.tolerance)
        print("\n\(comparison.text)")
        return comparison.isWorse
    }

    /// Returns every misclassified picture, then every false trigger with the detection at its time.
    private static func tiles(
        _ images: [ImageFinding], _ videos: [VideoFinding], _ footage: Footage, _ programs: Programs
    ) throws -> [ErrorSheet.Tile] {
        let stills = images.filter(\.isError).map { finding in
            let said = Gesture.allCases.filter(finding.said.contains).map(\.rawValue)
            let answer = finding.line.hands.isEmpty ? "no hand" : "nothing"
            return ErrorSheet.Tile(
                file: footage.path(of: finding.path), name: finding.path,
                verdict: "\(finding.truth?.rawValue ?? "none") → "
                    + (said.isEmpty ? answer : said.joined(separator: "+")),
                reason: finding.line.hands.compactMap(\.reason).first ?? "",
                hands: finding.line.hands.map(\.landmarks))
        }
        let moments = try videos.filter { !$0.falseTriggers.isEmpty }.flatMap { video in
            let file = footage.path(of: video.path)
            let frames = try programs[video.path].lines(["inspect", "--json", "--", file], as: FrameLine.self)
            return video.falseTriggers.map { trigger in
                ErrorSheet.Tile(
                    file: file, time: trigger.time, name: video.path,
                    verdict: "nothing held → \(trigger.gesture)",
                    reason: String(format: "at %.2f s", trigger.time),
                    hands: frames.first { abs($0.time - trigger.time) < 1e-3 }?.hands.map(\.landmarks)
                        ?? [])
            }
        }
        return stills + moments
    }

    private static func say(_ message: String) {
        FileHandle.standardError.write(Data("evaluate: \(message)\n".utf8))
    }
}
