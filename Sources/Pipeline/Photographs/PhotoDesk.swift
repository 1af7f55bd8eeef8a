import MediaIO
import Photography
import Platform
import Raster
package import Reactions
import Synchronization

/// Takes photographs of a run: keeps the frames of the last half second, and has pictures made of them on a thread of
/// its own, so that no frame waits for one.
///
/// Requests come from any thread. Where as many are under way as there is memory for, a live run refuses more, and
/// others wait.
package final class PhotoDesk: Sendable {
    /// A photograph that was asked for.
    struct Order: Sendable {
        let id: Int
        var settings: PhotoSettings
        var moment: CapturedMoment
        var subject: PhotoSubject?
        var content = PhotoOptions.Content.clean
        /// Whether the best instant is to be chosen, from this time on; otherwise it is the moment's reference.
        var chosenFrom: Double?
        var isZeroShutterLag = true
        var completion: (@Sendable (Result<Photo, FlourishError>) -> Void)?
    }

    /// A photograph that was asked for and whose frame has not come yet.
    struct Waiting: Sendable {
        var settings: PhotoSettings
        /// The instant; the next frame that comes if `nil`.
        var time: Double?
        var completion: @Sendable (Result<Photo, FlourishError>) -> Void
    }

    /// A photograph whose proxy was delivered.
    struct Deferred: Sendable {
        /// What was told of the proxy.
        var detail: ReactionEvent.PhotoDetail
        /// The file's name in the folder.
        var name: String
    }

    /// What photographs of a run have in common.
    struct Run: Sendable {
        var options: PhotoOptions
        var isLive: Bool
        /// Whether a plan's reactions are shown, those of gestures among them, and nobody looks for gestures.
        var showsPlan = false
        var resources: Resources
        /// What the input tells of itself, and when its first picture is shown on the frames' clock.
        var metadata: [String: String]
        var start: Double
        /// What the files' names begin with.
        var stem: String
        var overwrite: Bool
        /// Whether photographs of the same instants that were made before are replaced, and nothing else.
        var replacesOwn = false
        /// Where that is kept which photographs are made of later; `nil` where all are made at once.
        var negatives: NegativeFolder?
        /// Tells what happens while it happens.
        var tell: @Sendable (ReactionEvent.Kind) -> Void
    }

    struct State {
        var run: Run?
        var ring = FrameRing()
        var drawn = FrameRing()
        /// Photographs with effects that wait until these have unfolded.
        var awaited: [(time: Double, subject: PhotoSubject)] = []
        var lastID = 0
        var waiting: [Waiting] = []
        /// The names of the files that the run has written.
        var written: Set<String> = []
        /// How far the video was when a photograph was asked for last, in seconds.
        var lastRequest: Double?
        /// Proxies that the run is to make photographs of, and whether it is at one.
        var deferred: [Deferred] = []
        var isDeveloping = false
        /// Orders that are not done, and the frames that they hold.
        var pending = 0, held = 0
        var readiness = PhotoCaptureReadiness.sessionNotRunning
        /// What photographs will be, so that there is room for them, and who waits to hear that there is.
        var prepared: [PhotoSettings]?
        var preparing: (@Sendable (Bool) -> Void)?
        /// What was seen of the scene, and when.
        var scene: (reading: SceneMeter.Reading, time: Double)?
        /// What is told at the end; of one photograph in this order.
        var results: [(id: Int, order: Int, kind: ReactionEvent.Kind)] = []
    }

    /// What the photographs' thread is to do.
    enum Job: Sendable {
        case photograph(Order)
        /// Make a photograph of one proxy, while no other is asked for.
        case develop
        /// Have room for so many frames, and for no more.
        case prepare(PictureFormat, Int, @Sendable (Bool) -> Void)
    }

    /// Orders that may be under way at once.
    static let mostOrders = 24
    /// Frames that these may hold, each with a ring's own frames beside.
    static let mostHeld = 96
    /// After so many seconds of video without a request there is time for what was deferred; within so many, requests come
    /// quickly.
    static let pause = 1.0
    /// Seconds from one look at the scene to the next.
    private static let lookEvery = 0.25
    /// From so much noise on, in codes of 8 bits, fusion is worth its time; below so much light, as a share, there is too
    /// little for it.
    static let noisy = 1.5, dark = 0.06
    /// So long after an effect's first frame it has unfolded, in seconds.
    private static let unfolding = 1.2

    let state = Mutex(State())
    let queue = Slot<Channel<Job>?>(nil)
    private let isOn = Atomic(false)

    package init() {}

    /// Whether photographs are taken at all; otherwise no frame is kept.
    var isEnabled: Bool { isOn.load(ordering: .relaxed) }

    /// Whether a photograph could be taken at once.
    package var readiness: PhotoCaptureReadiness { state.withLock { $0.readiness } }

    /// When the newest frame is shown, in seconds on the video's clock; `nil` where there is none.
    package var newestTime: Double? { state.withLock { $0.ring.frames.last?.frame.time.seconds } }

    /// Begins to take photographs of a run.
    func open(_ run: Run) {
        queue.value = Channel(capacity: Self.mostOrders)
        state.withLock { state in
            state.run = run
            (state.results, state.written) = ([], [])
            (state.pending, state.held) = (0, 0)
            (state.deferred, state.isDeveloping, state.lastRequest) = ([], false, nil)
        }
        isOn.store(true, ordering: .relaxed)
        update()
    }

    /// Says that no frame comes any more; what was asked for is done all the same.
    func close() {
        guard isEnabled else { return }
        isOn.store(false, ordering: .relaxed)
        let (preparing, waiting) = state.withLock { state in
            state.scene = nil
            state.ring.removeAll()
            state.drawn.removeAll()
            state.awaited.removeAll()
            defer { (state.preparing, state.waiting) = (nil, []) }
            return (state.preparing, state.waiting)
        }
        preparing?(false)
        for request in waiting { request.completion(.failure(Self.hasEnded)) }
        update()
        queue.value?.finish()
    }

    /// Takes a frame as it came.
    func offer(_ frame: borrowing VideoFrame) {
        // Without memory for it, it is left out.
        guard isEnabled, frame.hasPicture, let shared = try? frame.shared() else { return }
        let picture = SharedPicture(shared)
        let isFirst = state.withLock { state in
            look(at: picture, &state)
            defer { state.ring.add(picture) }
            return state.ring.frames.isEmpty
        }
        if isFirst {
            update()
            prepare()
        }
        takeWaiting()
        developWhileIdle()
    }

    /// Looks at the scene a few times a second, where somebody wants to know.
    private func look(at picture: SharedPicture, _ state: inout State) {
        let time = picture.frame.time.seconds
        guard state.run?.options.photoSettingsForSceneMonitoring != nil, let last = state.ring.frames.last,
            abs(time - (state.scene?.time ?? -1)) >= Self.lookEvery
        else { return }
        let reading = picture.frame.withPicture { now in
            last.frame.withPicture { SceneMeter.reading(now, $0) }
        }
        if let reading { state.scene = (reading, time) }
    }

    /// Takes a frame as it goes out.
    func offer(drawn frame: borrowing VideoFrame) {
        guard isEnabled, state.withLock({ $0.run?.options.content != .clean }), let shared = try? frame.shared() else {
            return
        }
        let picture = SharedPicture(shared)
        let time = frame.time.seconds
        let due = state.withLock { state in
            state.drawn.add(picture)
            let due = state.awaited.filter { $0.time <= time }
            state.awaited.removeAll { $0.time <= time }
            return due
        }
        for (_, subject) in due {
            order(subject: subject) { state in
                state.drawn.moment(at: nil).map { Wanted(moment: $0.moment, isShown: true, content: .withEffects) }
            }
        }
    }

    /// Notes what happens at a frame: gestures that fire, and effects that begin.
    ///
    /// A reaction of a gesture is photographed at the best instant of its hold, another one as it begins.
    func see(_ events: [ReactionEvent], binding: (ReactionGesture) -> ReactionType) {
        guard isEnabled, let run = state.withLock({ $0.run }), run.options.folder != nil else { return }
        let options = run.options
        for event in events {
            switch event.kind {
            case .gesture(let detail) where options.content != .withEffects:
                let subject = PhotoSubject(
                    reactionType: binding(detail.gesture), gesture: detail.gesture, origin: detail.origin)
                order(subject: subject, chosenFrom: detail.heldSince) { state in
                    state.ring.moment(at: event.time).map { Wanted(moment: $0.moment, isShown: $0.isShown) }
                }
            case .effectStarted(let effect):
                let subject = PhotoSubject(
                    reactionType: effect.reactionType, gesture: effect.gesture, origin: effect.origin)
                let isHeld = effect.trigger == .gesture
                if options.content != .withEffects, run.showsPlan || !isHeld {
                    // All that is kept of a hold belongs to it.
                    order(subject: subject, chosenFrom: isHeld ? event.time - FrameRing.length : nil) { state in
                        state.ring.moment(at: event.time).map { Wanted(moment: $0.moment, isShown: $0.isShown) }
                    }
                }
                if options.content != .clean {
                    state.withLock { $0.awaited.append((event.time + Self.unfolding, subject)) }
                }
            default: break
            }
        }
    }
}

/// Of what a photograph is taken.
struct PhotoSubject: Sendable, Hashable {
    var reactionType: ReactionType
    var gesture: ReactionGesture?
    /// Where in the upright picture.
    var origin: PicturePoint
}

/// What is known before a photograph is asked for.
extension PhotoDesk {
    /// Whether fusion would make photographs visibly better, for the quality that is monitored.
    package var isFusionScene: Bool {
        state.withLock { state in
            let quality = state.run?.options.photoSettingsForSceneMonitoring?.photoQualityPrioritization
            return (state.scene?.reading.noise ?? 0) >= Self.noisy && quality ?? .speed > .speed
        }
    }

    /// Whether there is too little light for a good photograph, whatever is done.
    package var isDarkScene: Bool { state.withLock { $0.scene.map { $0.reading.brightness < Self.dark } ?? false } }

    /// What there is room for.
    package var prepared: [PhotoSettings] { state.withLock { $0.prepared ?? [PhotoSettings()] } }

    /// Makes room for photographs, once there is a frame that says how much that is; gives back what others held.
    ///
    /// - Parameter completion: told whether that was done, or another call came before.
    package func prepare(_ settings: [PhotoSettings], completion: @escaping @Sendable (Bool) -> Void) {
        let replaced = state.withLock { state in
            defer { (state.prepared, state.preparing) = (settings, completion) }
            return state.preparing
        }
        replaced?(false)
        prepare()
    }

    /// Makes room, where somebody waits for it and it is known how much.
    func prepare() {
        let job = state.withLock { state -> Job? in
            guard let completion = state.preparing, let format = state.ring.frames.last?.frame.pictureFormat else {
                return nil
            }
            state.preparing = nil
            return .prepare(format, Self.frames(state.prepared), completion)
        }
        guard let job, queue.value?.sendUnlessFinished(job) != true, case .prepare(_, _, let completion) = job else {
            return
        }
        completion(false)
    }

    /// How many frames are kept room for; nil where nobody has said.
    var mostPrepared: Int? {
        state.withLock { $0.prepared == nil ? nil : Self.frames($0.prepared) }
    }

    private static func frames(_ settings: [PhotoSettings]?) -> Int {
        (settings ?? []).map(\.photoQualityPrioritization.maxFrameCount).filter { $0 > 1 }.max() ?? 0
    }
}
