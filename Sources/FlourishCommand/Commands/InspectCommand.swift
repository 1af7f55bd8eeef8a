import ArgumentParser
import Flourish
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// `flourish inspect`
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Tell what is seen in each analysed frame or image, and why nothing fired.",
        discussion: """
            EXAMPLES
              flourish inspect call.mp4
              flourish inspect photo.jpg --json
              flourish inspect --json photos/*.jpg
              flourish inspect call.mp4 --json | jq -c '[.time, .gesture, .reason]'
            """)

    @Argument(help: "Videos, and JPEG or PNG images.", completion: .file())
    var inputs: [String]

    @Flag(help: "Print JSON Lines: one object for each analysed frame.")
    var json = false

    @OptionGroup(title: "Recognition") var recognition: RecognitionOptions

    func run() async throws {
        try await Console.reportingErrors {
            var configuration = Configuration()
            recognition.apply(to: &configuration)
            let inspector = Inspector(configuration: configuration)
            let interrupt = InterruptHandler { inspector.stop() }
            let json = json
            defer { interrupt.cancel() }
            try await inspector.inspect(inputs) { frame in
                let name = frame.input.map { "\($0): " } ?? ""
                print(json ? frame.jsonLine : name + Self.line(for: frame))
                // Each line at once: someone may read along.
                fflush(nil)
            }
            if inspector.isStopped { throw ExitStatus.interrupted }
        }
    }

    /// `  2.480 s  thumbsUp 0.97 (right)  held 0.3 of 1.0 s`
    private static func line(for frame: FrameInspection) -> String {
        let hands = frame.hands.map { hand in
            let sign = hand.gesture.map { "\($0.rawValue) \(decimals(hand.confidence, 2))" } ?? "hand"
            return "\(sign) (\(hand.handedness))"
        }
        var parts = ["\(decimals(frame.time, 3)) s"]
        parts += hands.isEmpty ? ["no hand"] : [hands.joined(separator: ", "), frame.reason]
        return parts.joined(separator: "  ")
    }

    private static func decimals(_ value: Double, _ places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let whole = Int((value * Double(scale)).rounded())
        let fraction = String(abs(whole) % scale)
        let padding = String(repeating: "0", count: places - fraction.count)
        return "\(whole / scale).\(padding)\(fraction)"
    }
}
