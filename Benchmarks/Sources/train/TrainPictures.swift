import Dispatch
import Flourish
import FoundationEssentials
import GestureTraining
import Synchronization
import Vision

/// Detects the hands of a folder of labelled files, and trains the picture judge with them.
struct TrainPictures {
    static let usage = "pictures LESSONS ASSETS OUTPUT.json [FOLDS]"

    private let lessonFolder, assets, output: String
    /// The folder for the judges that are trained without one fold each; none are made without it.
    private let folds: String?

    init(_ arguments: [String]) throws {
        guard (3...4).contains(arguments.count) else { throw UsageError(description: "usage: train \(Self.usage)") }
        lessonFolder = arguments[0]
        assets = arguments[1]
        output = arguments[2]
        folds = arguments.count == 4 ? arguments[3] : nil
    }

    func run() throws {
        let lessons = try PictureLesson.all(in: lessonFolder)
        try detect(in: lessons)
        let pictureSamples = PictureSamples(network: try GestureNetwork(assets: assets)), pairSamples = PairSamples()
        var samples: [PictureSample] = [], pairs: [PairSample] = []
        for lesson in lessons {
            let detections = try detections(of: lesson)
            samples += pictureSamples.samples(of: lesson, detections)
            pairs += pairSamples.samples(of: lesson, detections)
        }
        let counts = [true, false].map { isHeart in Set(pairs.filter { $0.isHeart == isHeart }.map(\.fold)).count }
        guard counts.allSatisfy({ $0 > (folds == nil ? 0 : 1) }),
            Set(samples.map(\.shows)).count == HandPictureClass.allCases.count
        else {
            throw UsageError(
                description: "\(lessonFolder) teaches too little: hands of every kind are needed, and hearts")
        }
        for kind in PictureLesson.Kind.allCases {
            let counts = HandPictureClass.allCases.map { shown in
                "\(samples.count { $0.kind == kind && $0.shows == shown }) \(shown)"
            }
            print("\(kind)s: \(counts.joined(separator: ", "))")
        }
        print("pairs: \(pairs.count { $0.isHeart }) hearts, \(pairs.count { !$0.isHeart }) others")
        try write(learned(from: samples, pairs, without: nil), samples, to: output)
        guard let folds else { return }
        for fold in Set(samples.map(\.fold)).sorted() {
            let folder = "\(folds)/\(fold)/Gestures"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let judge = learned(from: samples, pairs, without: fold)
            try write(judge, samples.filter { $0.fold != fold }, to: folder + "/hand-pictures.json")
            measure(judge, on: samples.filter { $0.fold == fold }, name: "fold \(fold)")
            measure(judge, on: pairs.filter { $0.fold == fold }, name: "fold \(fold)")
        }
    }

    private func learned(from samples: [PictureSample], _ pairs: [PairSample], without fold: Int?) -> PictureJudge {
        let trainer = PictureTrainer()
        var judge = trainer.judge(from: samples.filter { $0.fold != fold }) { step, right in
            if step % 1000 == 0 { print("step \(step): \(Int(right * 1000)) ‰ right on the way") }
        }
        judge.heartLayers = HeartTrainer().layers(from: pairs.filter { $0.fold != fold })
        return judge
    }

    /// The same for pairs.
    private func measure(_ judge: PictureJudge, on pairs: [PairSample], name: String) {
        for kind in PictureLesson.Kind.allCases {
            for isHeart in [true, false] {
                let some = pairs.filter { $0.kind == kind && $0.isHeart == isHeart }
                guard !some.isEmpty else { continue }
                let right = some.count { (judge.heartConfidence(of: $0.numbers, $0.numbers)! > 0.5) == isHeart }
                print("\(name), \(kind)s of \(isHeart ? "hearts" : "other pairs"): \(right) of \(some.count) right")
            }
        }
    }

    /// Returns the number of correctly judged samples of each kind and class.
    private func measure(_ judge: PictureJudge, on samples: [PictureSample], name: String) {
        for kind in PictureLesson.Kind.allCases {
            for shown in HandPictureClass.allCases {
                let some = samples.filter { $0.kind == kind && $0.shows == shown }
                guard !some.isEmpty else { continue }
                let index = HandPictureClass.allCases.firstIndex(of: shown)!
                let right = some.count { judge.probabilities(of: $0.embedding)[index] > 0.5 }
                print("\(name), \(kind)s of \(shown): \(right) of \(some.count) right")
            }
        }
    }

    private func write(_ judge: PictureJudge, _ samples: [PictureSample], to path: String) throws {
        var counts: [String: Int] = [:]
        for sample in samples { counts[sample.kind.rawValue + "s", default: 0] += 1 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = judge.file(
            about:
                "Tells gestures from all else that hands do by their picture. Made by Scripts/train; see docs/recognition.md.",
            learnedFrom: counts)
        try (encoder.encode(file) + Data("\n".utf8)).write(to: URL(filePath: path))
    }

    // MARK: Detection

    private func recording(of lesson: PictureLesson) -> String {
        lessonFolder + "/hands/" + lesson.file.map { $0 == "/" ? "@" : String($0) }.joined() + ".jsonl"
    }

    private func detections(of lesson: PictureLesson) throws -> [RecordedDetection] {
        let lines = try String(contentsOf: URL(filePath: recording(of: lesson)), encoding: .utf8)
        return try lines.split(separator: "\n").map {
            try JSONDecoder().decode(RecordedDetection.self, from: Data($0.utf8))
        }
    }

    /// Records the hands of every file that was not processed yet.
    private func detect(in lessons: [PictureLesson]) throws {
        try FileManager.default.createDirectory(atPath: lessonFolder + "/hands", withIntermediateDirectories: true)
        let missing = lessons.filter { !FileManager.default.fileExists(atPath: recording(of: $0)) }
        guard !missing.isEmpty else { return }
        print("detecting hands in \(missing.count) files")
        let next = Mutex(0), failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            do {
                let watch = try HandWatch()
                while true {
                    let index = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard index < missing.count else { return }
                    try record(missing[index], watch)
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// The detections of a photo that is held in a clip are very similar.
    private static let shareOfClips = 3

    private func record(_ lesson: PictureLesson, _ watch: HandWatch) throws {
        var lines = Data()
        try watch.watch(lesson.file, every: lesson.kind == .clip ? Self.shareOfClips : 1) { detection in
            let kept = RecordedDetection(
                time: detection.time, aspectRatio: detection.aspectRatio, hands: detection.hands)
            lines += try JSONEncoder().encode(kept) + Data("\n".utf8)
        }
        let path = recording(of: lesson)
        try lines.write(to: URL(filePath: path), options: .atomic)
    }
}
