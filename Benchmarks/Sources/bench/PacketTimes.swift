import Foundation

/// The presentation times of the packets of a file with pictures and sound, in seconds, sorted.
struct PacketTimes {
    let sound: [Double], pictures: [Double]

    /// - Throws: ``BenchError`` if FFmpeg cannot read it, or no packet has a time.
    init(of path: String, in scratch: URL) throws {
        func times(_ stream: String) throws -> [Double] {
            let data = try Child.output(
                of: [
                    try Child.locate("ffprobe"), "-v", "error", "-select_streams", stream, "-show_entries",
                    "packet=pts_time", "-of", "csv=p=0", path,
                ], in: scratch)
            return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
                .compactMap { Double($0.split(separator: ",").first ?? "") }.sorted()
        }
        (sound, pictures) = (try times("a:0"), try times("v:0"))
        guard !sound.isEmpty, !pictures.isEmpty else { throw BenchError("\(path) lacks pictures or sound") }
    }

    /// Returns the largest drift between pictures and sound in seconds, anywhere in a recording of this feed, which
    /// was sent a number of times.
    ///
    /// Sound is copied: its first packet of each repetition determines the delay. With dropped pictures, each
    /// remaining one is compared with the nearest that was sent.
    ///
    /// - Returns: infinity if sound is missing.
    func drift(of recording: PacketTimes, times count: Int) -> Double {
        guard recording.sound.count == sound.count * count else { return .infinity }
        var (maximum, due) = (0.0, [Double]())
        for number in 0..<count {
            let part = recording.sound[number * sound.count..<(number + 1) * sound.count]
            let later = part[part.startIndex] - sound[0]
            for (recorded, fed) in zip(part, sound) { maximum = max(maximum, abs(recorded - fed - later)) }
            due += pictures.map { $0 + later }
        }
        if recording.pictures.count == due.count {
            for (recorded, fed) in zip(recording.pictures, due) { maximum = max(maximum, abs(recorded - fed)) }
        } else {
            maximum = max(maximum, Self.farthest(recording.pictures, from: due))
        }
        return maximum
    }

    /// Returns the greatest distance of a time to the nearest of others.
    private static func farthest(_ times: [Double], from others: [Double]) -> Double {
        var (place, maximum) = (0, 0.0)
        for time in times {
            while place + 1 < others.count, abs(others[place + 1] - time) <= abs(others[place] - time) { place += 1 }
            maximum = max(maximum, others.isEmpty ? .infinity : abs(others[place] - time))
        }
        return maximum
    }
}
