package import Flourish
import NIOCore
import Platform
import Synchronization

/// The state of `flourish review`: a recording, the plan of its reactions, and the rendering of both. A
/// ``ReviewServer`` serves it to browsers.
///
/// ```swift
/// let review = try Review("call.mp4", configuration: Configuration())
/// let server = try await ReviewServer(address: .loopback, review: review)
/// print("Open", server.url)
/// await review.run()  // until the task is cancelled
/// await server.stop()
/// ```
package final class Review: Sendable {
    let input: String
    let configuration: Configuration
    /// The configuration of previews, which share loaded models and sprites.
    let previewing: Configuration
    let facts: RecordingFacts
    let board = ReviewBoard()
    let document: ReviewDocument
    let rendering: ReviewRendering
    let pictures: RecordingPictures
    let waveform: Waveform
    let effects: EffectWatch
    /// The process's own folder, for named pipes.
    let folder: String
    private let stamp: FileStamp?
    private let planner: PlanMaker

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - output: The path of the rendering; if `nil`, `call.reacted.mp4` in the folder of `call.mp4`.
    ///   - planPath: The path of the plan; if `nil`, a file in the recording's folder.
    ///   - configuration: The settings of recognition, for a new plan, and of rendering.
    /// - Throws: ``FlourishError`` if the recording cannot be reviewed.
    package init(
        _ input: String, output: String? = nil, planPath: String? = nil, configuration: Configuration
    ) throws(FlourishError) {
        guard let kind = FileKind.of(input), let stamp = FileStamp(of: input) else {
            throw input == "-"
                ? Self.notAFile(input) : FlourishError(.inputUnavailable, "\(input): no such file")
        }
        guard kind == S_IFREG else { throw Self.notAFile(input) }
        facts = try RecordingFacts(of: input, configuration)
        let (output, planPath) = (output ?? Self.outputPath(for: input), planPath ?? ReactionPlan.path(for: input))
        try OutputCheck.check(output, input: input, overwrite: true)
        try OutputCheck.check(planPath, of: "--plan", apartFrom: [input, output])
        try OutputCheck.checkContainer(of: output, configuration)
        folder = try Self.makeFolder()
        // When a browser closes its connection, a write fails.
        signal(SIGPIPE, SIG_IGN)
        self.input = input
        self.configuration = configuration
        previewing = configuration.sharingResources()
        self.stamp = stamp
        document = ReviewDocument(
            path: planPath, board: board, session: ReactionSession(configuration: configuration))
        rendering = ReviewRendering(input, to: output, configuration, board: board)
        pictures = RecordingPictures(of: input, configuration)
        waveform = Waveform(of: input, configuration)
        effects = EffectWatch(configuration, board: board)
        planner = PlanMaker(input, configuration, board: board)
    }

    deinit { ScratchFolder.remove(folder) }

    /// Creates the plan or resumes the existing one, and watches the files until the task is cancelled.
    package func run() async {
        // Loads the resources of previews in advance. Nothing waits for this.
        Task { [previewing, input] in
            await ReactionSession(configuration: previewing).preparePreviews(of: input)
        }
        await withTaskGroup { group in
            group.addTask {
                await self.prepare()
                await self.check()
            }
            group.addTask { await self.watch() }
        }
        planner.stop()
        await rendering.finish()
        waveform.stop()
        board.close()
        ScratchFolder.remove(folder)
    }

    /// Creates a new plan in a file next to the unusable one.
    func restart() async {
        await document.moveBeside()
        await planner.make(document)
    }

    private func prepare() async {
        if await document.load() { await planner.check(document) } else { await planner.make(document) }
    }

    /// Verifies plans that an editor writes into the file, because they may be for another recording.
    private func check() async {
        await repeatedly { if await self.document.unchecked != nil { await self.planner.check(self.document) } }
    }

    /// Watches the files for changes by other programs.
    private func watch() async {
        await repeatedly {
            await self.document.reload()
            if self.hasChanged { self.planner.publishChange() }
            self.effects.check()
        }
    }

    /// Calls a closure twice a second, until the task is cancelled.
    private func repeatedly(_ body: () async -> Void) async {
        while (try? await Task.sleep(for: .milliseconds(500))) != nil { await body() }
    }

    /// The recording's file when the review began.
    var recordingStamp: FileStamp? { stamp }

    /// True if the recording was replaced or removed. In that case the plan's times are invalid.
    var hasChanged: Bool { FileStamp(of: input) != stamp }

    private static func notAFile(_ input: String) -> FlourishError {
        FlourishError(.usage, "\(input): only files can be reviewed; save the recording to a file first")
    }

    private static func outputPath(for input: String) -> String {
        let folder = TemporaryFile.folder(of: input)
        let name = input.dropFirst(folder.count)
        let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        return "\(folder)\(name[..<dot]).reacted\(name[dot...])"
    }

    private static func makeFolder() throws(FlourishError) -> String {
        var base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        if base.isEmpty { base = "/tmp" }
        guard let folder = ScratchFolder.make("flourish-review", in: base) else {
            throw FlourishError(.outputUnavailable, "\(base): \(systemMessage(errno)); set TMPDIR to another folder")
        }
        return folder
    }
}

/// Serves the page of a review over HTTP to clients that have its token.
package final class ReviewServer: Sendable {
    /// The maximum wait at the end until pages have received the last event.
    private static let shutdownLimit = TimeAmount.milliseconds(300)

    private let server: PageServer

    /// The review's URL, with the token that gives access to the recording and the plan.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` if the page is not installed.
    package init(address: PanelAddress, review: Review) async throws(FlourishError) {
        let files = try PanelFiles(session: ReactionSession(configuration: review.configuration), page: .review).files
        let (followers, viewers, previewClients) = (
            FollowerCount(), FollowerCount(maximum: 6), FollowerCount(maximum: 48)
        )
        server = try await PageServer(address: address, name: "review", option: "--address") { access in
            ReviewResponder(
                access: access, review: review, files: files, followers: followers, viewers: viewers,
                previewClients: previewClients)
        }
    }

    /// Closes all connections.
    package func stop() async { await server.stop(within: Self.shutdownLimit) }
}

/// The current state of a review.
typealias ReviewBoard = StateBoard<ReviewTopic>

/// A part of the state of a review.
enum ReviewTopic: String, Sendable, CaseIterable {
    /// The phase of the review.
    case status
    /// The phase and the progress of the rendering.
    case render
    /// The plan's revision, and the faults of its file.
    case plan
    /// The effects, once their files have changed.
    case effects
}

/// Publishes progress at most a few times a second.
final class ProgressThrottle: Sendable {
    private static let interval = Duration.milliseconds(150)

    private let board: ReviewBoard
    private let topic: ReviewTopic
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(_ board: ReviewBoard, _ topic: ReviewTopic) {
        self.board = board
        self.topic = topic
    }

    func publish(_ value: @autoclosure () -> JSONValue) {
        let isDue = last.withLock { last in
            if let last, ContinuousClock.now - last < Self.interval { return false }
            last = .now
            return true
        }
        if isDue { board.publish(topic, value()) }
    }
}

/// The waveform of the recording, computed once on a separate thread, when a page first requests it.
final class Waveform: Sendable {
    private enum State {
        case untouched, reading
        case known([UInt8])
    }

    private let input: String
    private let configuration: Configuration
    private let interruption = Interruption()
    private let state = Mutex(State.untouched)

    init(of input: String, _ configuration: Configuration) {
        self.input = input
        self.configuration = configuration
    }

    /// Returns the peaks, as ``PeakFinder/peaks(of:_:interrupt:)`` does; `nil` while they are being computed. The first
    /// call starts the computation.
    func peaks() -> [UInt8]? {
        let (answer, begins) = state.withLock { state -> ([UInt8]?, Bool) in
            switch state {
            case .known(let peaks): return (peaks, false)
            case .reading: return (nil, false)
            case .untouched:
                state = .reading
                return (nil, true)
            }
        }
        if begins {
            StageThread { [self] in
                StageThread.yieldToOthers()
                // A recording whose sound cannot be read has no waveform.
                let peaks = try? PeakFinder.peaks(of: input, configuration, interrupt: interruption)
                state.withLock { $0 = .known(peaks ?? []) }
            }.detach()
        }
        return answer
    }

    /// Cancels the computation.
    func stop() { interruption.raise() }
}

/// Notices changed files of custom effects during a review, and publishes the effects as the board's topic `effects`.
/// Previews and renderings read the files anew, so a page only has to show its preview again.
final class EffectWatch: Sendable {
    private struct State {
        var stamps: [String: FileStamp]
        var revision = 0
    }

    private let session: ReactionSession
    private let board: ReviewBoard
    private let state: Mutex<State>

    init(_ configuration: Configuration, board: ReviewBoard) {
        session = ReactionSession(configuration: configuration)
        self.board = board
        state = Mutex(State(stamps: session.effectFileStamps()))
    }

    /// The number of changes so far.
    var revision: Int { state.withLock { $0.revision } }

    /// Publishes the effects if a file has changed since the last call.
    func check() {
        let stamps = session.effectFileStamps()
        let revision = state.withLock { (state) -> Int? in
            guard state.stamps != stamps else { return nil }
            state.stamps = stamps
            state.revision += 1
            return state.revision
        }
        guard let revision else { return }
        var fault = JSONValue.null, types = JSONValue.null
        do throws(FlourishError) {
            types = try Self.list(session.loadReactionTypes(), session.effectDurations())
        } catch {
            fault = .text(error.problem)
        }
        board.publish(.effects, .object(["revision": .integer(revision), "fault": fault, "types": types]))
    }

    /// Returns types with the durations of their effects, as pages expect them.
    static func list(_ types: [ReactionType], _ durations: [ReactionType: Double]) -> JSONValue {
        .array(
            types.map { .object(["name": .text($0.rawValue), "duration": .number(durations[$0] ?? 3)]) })
    }
}
