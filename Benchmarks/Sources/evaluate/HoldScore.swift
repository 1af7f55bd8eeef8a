/// The rate at which some videos without held gestures fire.
struct GroupScore: Encodable, Sendable {
    /// The kind of footage in the labels; `all` is the sum.
    let group: String
    /// The source of the videos; `nil` for all sources of the group.
    let source: String?
    let videos: Int
    /// The false triggers by the hours of video.
    let rate: EventRate
    /// The false triggers by the hours in which the program detects hands.
    let rateWithHands: EventRate

    /// - Parameter handTime: the seconds of each video with hands.
    init(_ group: String, source: String? = nil, _ videos: [VideoFinding], handTime: [String: Double]) {
        self.group = group
        self.source = source
        self.videos = videos.count
        let events = videos.reduce(0) { $0 + $1.falseTriggers.count }
        rate = EventRate(events: events, hours: videos.reduce(0) { $0 + $1.seconds } / 3600)
        rateWithHands = EventRate(
            events: events, hours: videos.reduce(0) { $0 + handTime[$1.path, default: 0] } / 3600)
    }
}

/// The share of some labelled holds that fire.
struct HitScore: Encodable, Sendable {
    /// A gesture, a source, or `all`.
    let name: String
    let hits: SampleShare

    init(_ name: String, _ holds: [HoldFinding]) {
        self.name = name
        hits = SampleShare(holds.count { !$0.triggers.isEmpty }, of: holds.count)
    }
}

/// The results of all videos for one duration of holds.
struct HoldScore: Encodable, Sendable {
    let hold: Double
    /// By kind of footage, and the sum of all.
    let groups: [GroupScore]
    /// By kind of footage and source.
    let sources: [GroupScore]
    /// The labelled holds that are long enough: all, by gesture, and by source.
    let hits: HitScore
    let hitsByGesture: [HitScore]
    let hitsBySource: [HitScore]
    /// The gestures that fired in the groups.
    let falseTriggers: [Report.FalseTrigger]
    /// For each video of the groups, in the order of the footage: whether it has a false trigger.
    let firing: [Bool]
    /// For each labelled hold that is long enough, in the order of the footage: whether it fired.
    let fired: [Bool]

    init(hold: Double, _ videos: [VideoFinding], handTime: [String: Double]) {
        self.hold = hold
        let grouped = videos.filter { $0.isEmpty && $0.group != nil }
        let names = Set(grouped.compactMap(\.group)).sorted()
        groups =
            names.map { group in GroupScore(group, grouped.filter { $0.group == group }, handTime: handTime) }
            + [GroupScore("all", grouped, handTime: handTime)]
        sources = names.flatMap { group in
            let videos = grouped.filter { $0.group == group }
            return Dictionary(grouping: videos, by: \.source).sorted { $0.key < $1.key }.map {
                GroupScore(group, source: $0.key, $0.value, handTime: handTime)
            }
        }
        let meant = videos.flatMap { video in
            video.holds.filter { $0.mustFire(hold: hold) }.map { (source: video.source, hold: $0) }
        }
        hits = HitScore("all", meant.map(\.hold))
        hitsByGesture = Gesture.allCases.map { gesture in
            HitScore(gesture.rawValue, meant.map(\.hold).filter { $0.gesture == gesture })
        }.filter { $0.hits.whole > 0 }
        hitsBySource = Dictionary(grouping: meant, by: \.source).sorted { $0.key < $1.key }.map {
            HitScore($0.key, $0.value.map(\.hold))
        }
        falseTriggers = grouped.flatMap { video in
            video.falseTriggers.map { Report.FalseTrigger(path: video.path, trigger: $0) }
        }
        firing = grouped.map { !$0.falseTriggers.isEmpty }
        fired = meant.map { !$0.hold.triggers.isEmpty }
    }
}
