import Foundation

/// Measures the costs of Flourish. `Scripts/bench` runs it.
@main
enum Bench {
    static func main() {
        do {
            let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
            let report = try measure(options)
            if let path = options.json { try report.json().write(to: URL(filePath: path)) }
            print(report.text)
            exit(report.withinLimits ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("bench: error: \(error)\n".utf8))
            exit(2)
        }
    }

    /// All temporary files are in one folder, which is removed in every case but a kill.
    private static func measure(_ options: Options) throws -> Report {
        let scratch = FileManager.default.temporaryDirectory
            .appending(path: "flourish-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        let media = Media(options: options, scratch: scratch)
        var report = Report()
        if let python = options.peer {
            let peers = PeersBenchmark(options: options, media: media, python: python)
            report.tables.append(try peers.run())
            return report
        }
        for section in options.sections {
            switch section {
            case .cpu: report.tables.append(try CPUBenchmark(options: options, media: media).run())
            case .recognition:
                report.tables.append(try RecognitionBenchmark(options: options, media: media).run())
            case .memory:
                report.tables.append(try MemoryBenchmark(options: options, media: media).run())
            case .effects:
                report.tables += try EffectsBenchmark(options: options, media: media).run()
            case .observers:
                report.tables += try LiveObserversBenchmark(options: options, media: media).run()
            case .recovery:
                report.tables.append(try LiveBenchmark(options: options, media: media).recovery())
            case .containers: report.tables.append(try PipeMemory(options: options, media: media).run())
            case .live:
                report.tables += try LiveBenchmark(options: options, media: media).run()
                // The cost of observers does not depend on the pictures' size.
                guard options.height == 720 else { continue }
                report.tables += try LiveObserversBenchmark(options: options, media: media).run()
            case .encoder:
                report.tables += try EncoderBenchmark(options: options, media: media).run()
            case .smart:
                report.tables += try SmartBenchmark(options: options, media: media).run()
                if !options.sections.contains(.cpu) {
                    report.tables.append(try CPUBenchmark(options: options, media: media).run())
                }
            case .folder:
                report.tables += try FolderBenchmark(options: options, media: media).run()
            case .photo:
                report.tables += try PhotoBenchmark(options: options, media: media).run()
            case .library:
                report.tables += try LibraryBenchmark(options: options, media: media).run()
            case .camera:
                report.tables += try CameraBenchmark(options: options, media: media).run()
            case .soak:
                report.tables += try SoakBenchmark(options: options, media: media).run()
            case .complexity:
                report.tables += try ComplexityBenchmark(options: options, media: media).run()
            }
        }
        return report
    }
}

/// An error with a one-line message.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
