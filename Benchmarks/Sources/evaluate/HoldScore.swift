/// The rate at which one group of videos without held gestures fires.
struct GroupScore: Encodable, Sendable {
    /// Its name in the labels; `all` is the sum.
    let group: String
    let videos: Int
    let hours: Double
    /// The hours in which the program detects hands.
    let hoursWithHands: Double
    let falseTriggers: Int
    let perHour: Double?
    let perHourWithHands: Double?

    /// - Parameter handTime: the seconds of each video with hands.
    init(_ group: String, _ videos: [VideoFinding], handTime: [String: Double]) {
        self.group = group
        self.videos = videos.count
        hours = videos.reduce(0) { $0 + $1.seconds } / 3600
        hoursWithHands = videos.reduce(0) { $0 + handTime[$1.path, default: 0] } / 3600
        falseTriggers = videos.reduce(0) { $0 + $1.falseTriggers.count }
        perHour = hours > 0 ? Double(falseTriggers) / hours : nil
        perHourWithHands = hoursWithHands > 0 ? Double(falseTriggers) / hoursWithHands : nil
    }
}

/// The results of all videos for one duration of holds.
struct HoldScore: Encodable, Sendable {
    let hold: Double
    let groups: [GroupScore]
    /// Labelled holds that are long enough, and how many of them fired.
    let mustFire: Int
    let hits: Int
    /// The gestures that fired in the groups.
    let falseTriggers: [Report.FalseTrigger]

    init(hold: Double, _ videos: [VideoFinding], handTime: [String: Double]) {
        self.hold = hold
        let grouped = videos.filter { $0.isEmpty && $0.group != nil }
        groups =
            Set(grouped.compactMap(\.group)).sorted().map { group in
                GroupScore(group, grouped.filter { $0.group == group }, handTime: handTime)
            } + [GroupScore("all", grouped, handTime: handTime)]
        let meant = videos.flatMap(\.holds).filter { $0.mustFire(hold: hold) }
        mustFire = meant.count
        hits = meant.count { !$0.triggers.isEmpty }
        falseTriggers = grouped.flatMap { video in
            video.falseTriggers.map { Report.FalseTrigger(path: video.path, trigger: $0) }
        }
    }
}
