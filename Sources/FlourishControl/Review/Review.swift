package import Flourish
import NIOCore
import Platform
import Synchronization

/// What a person reviews: a recording, the plan of what is shown over it, and what is rendered of both.
package final class Review: Sendable {
    let input: String
    let configuration: Configuration
    /// For stretches that somebody waits to see: what one has loaded, the next one has.
    let previewing: Configuration
    let facts: RecordingFacts
    let board = ReviewBoard()
    let document: ReviewDocument
    let rendering: ReviewRendering
    let pictures: RecordingPictures
    let sound: SoundPicture
    /// A folder of this process's own, for pipes.
    let folder: String
    private let stamp: FileStamp?
    private let planner: PlanMaking

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - output: where it is rendered; `call.reacted.mp4` beside `call.mp4` if `nil`.
    ///   - planPath: where its plan is kept; beside it if `nil`.
    ///   - configuration: how gestures are looked for, where there is no plan yet, and how it is rendered.
    /// - Throws: ``FlourishError`` where it cannot be reviewed.
    package init(
        _ input: String, output: String? = nil, planPath: String? = nil, configuration: Configuration
    ) throws(FlourishError) {
        guard let kind = FileKind.of(input), let stamp = FileStamp(of: input) else {
            throw input == "-"
                ? Self.notAFile(input) : FlourishError(.inputUnavailable, "\(input): there is no such file")
        }
        guard kind == S_IFREG else { throw Self.notAFile(input) }
        facts = try RecordingFacts(of: input, configuration)
        let (output, planPath) = (output ?? Self.outputPath(for: input), planPath ?? ReactionPlan.path(for: input))
        try OutputCheck.check(output, input: input, overwrite: true)
        try OutputCheck.check(planPath, of: "--plan", apartFrom: [input, output])
        try OutputCheck.checkContainer(of: output, configuration)
        folder = try Self.makeFolder()
        // A browser that leaves is seen where writing fails.
        signal(SIGPIPE, SIG_IGN)
        self.input = input
        self.configuration = configuration
        previewing = configuration.sharingMeans()
        self.stamp = stamp
        document = ReviewDocument(
            path: planPath, board: board, session: ReactionSession(configuration: configuration))
        rendering = ReviewRendering(input, to: output, configuration, board: board)
        pictures = RecordingPictures(of: input, configuration)
        sound = SoundPicture(of: input, configuration)
        planner = PlanMaking(input, configuration, board: board)
    }

    deinit { ScratchFolder.remove(folder) }

    /// Makes the plan, or takes it up again, and follows the files until the task is cancelled.
    package func run() async {
        // Ahead of the first stretch that somebody wants to see; nobody waits for it.
        Task { [previewing, input] in
            await ReactionSession(configuration: previewing).prepareStretches(of: input)
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
        sound.stop()
        board.close()
        ScratchFolder.remove(folder)
    }

    /// Begins again with a new plan, in a file beside the one that cannot be used.
    func startAnew() async {
        await document.moveBeside()
        await planner.make(document)
    }

    private func prepare() async {
        if await document.load() { await planner.check(document) } else { await planner.make(document) }
    }

    /// Makes sure of each plan that an editor puts into the file: it may be that of another recording.
    private func check() async {
        await nowAndThen { if await self.document.unchecked != nil { await self.planner.check(self.document) } }
    }

    /// Looks whether somebody else changed the files.
    private func watch() async {
        await nowAndThen {
            await self.document.reload()
            if self.hasChanged { self.planner.noteChange() }
        }
    }

    /// Does something twice a second, until the task is cancelled.
    private func nowAndThen(_ body: () async -> Void) async {
        while (try? await Task.sleep(for: .milliseconds(500))) != nil { await body() }
    }

    /// What the recording was when the review began.
    var recordingStamp: FileStamp? { stamp }

    /// Whether it is another by now, or gone: the plan's times mean nothing in it.
    var hasChanged: Bool { FileStamp(of: input) != stamp }

    private static func notAFile(_ input: String) -> FlourishError {
        FlourishError(.usage, "\(input): a recording is reviewed from a file; save it to one first")
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

/// Serves the page of a review over HTTP to those who know its token.
package final class ReviewServer: Sendable {
    /// How long pages have at the end to hear of it.
    private static let farewell = TimeAmount.milliseconds(300)

    private let server: PageServer

    /// What to open in a browser; whoever has it can see the recording, and change the plan.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` where the page is not installed.
    package init(address: PanelAddress, review: Review) async throws(FlourishError) {
        let files = try PanelFiles(session: ReactionSession(configuration: review.configuration), page: .review).files
        let (followers, viewers, onlookers) = (FollowerCount(), FollowerCount(most: 6), FollowerCount(most: 48))
        server = try await PageServer(address: address, name: "review", option: "--address") { access in
            ReviewResponder(
                access: access, review: review, files: files, followers: followers, viewers: viewers,
                onlookers: onlookers)
        }
    }

    /// Ends all connections.
    package func stop() async { await server.stop(within: Self.farewell) }
}

/// How loud the recording is over time: found out once, when the first page asks.
final class SoundPicture: Sendable {
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

    /// Returns the peaks, as ``PeakFinder/peaks(of:_:interrupt:)`` does; `nil` while they are computed. The first call
    /// starts the computation.
    func ask() -> [UInt8]? {
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
                // A recording whose sound cannot be read has no picture of it.
                let peaks = try? PeakFinder.peaks(of: input, configuration, interrupt: interruption)
                state.withLock { $0 = .known(peaks ?? []) }
            }.detach()
        }
        return answer
    }

    /// Ends the reading early.
    func stop() { interruption.raise() }
}
