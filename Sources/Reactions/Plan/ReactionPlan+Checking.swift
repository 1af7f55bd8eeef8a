extension ReactionPlan {
    /// Refuses a plan that makes no sense: times beyond the recording, places beyond the picture, numbers that stand
    /// twice. Sessions do so by themselves, and refuse types that there are not, too.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first fault.
    public func validate() throws(FlourishError) {
        var known: [Int: Int] = [:]
        for (index, reaction) in reactions.enumerated() {
            if let id = reaction.id, let first = known.updateValue(index, forKey: id) {
                throw fault(index, "id", "reactions[\(first)] has \(id), too; leave it out for a new reaction")
            }
            if reaction.isEnabled { try check(reaction, index) }
        }
    }

    private func check(_ reaction: Reaction, _ index: Int) throws(FlourishError) {
        let (start, end) = (reaction.startTime, source.endTime)
        let stretch = "from \(Self.seconds(source.startTime)) to \(Self.seconds(end)) s"
        // Times are written to a microsecond.
        guard start >= source.startTime - 0.000_001, start < end else {
            throw fault(index, "startTime", "\(Self.seconds(start)) s is not in the video, which goes \(stretch)")
        }
        if let stop = reaction.endTime {
            guard stop > start else {
                throw fault(
                    index, "endTime", "\(Self.seconds(stop)) s is not after the start, \(Self.seconds(start)) s")
            }
            guard stop <= end + 0.001 else {
                throw fault(index, "endTime", "\(Self.seconds(stop)) s is not in the video, which goes \(stretch)")
            }
        }
        if let origin = reaction.origin, !(0...1).contains(origin.x) || !(0...1).contains(origin.y) {
            throw fault(index, "origin", "places are 0…1 of the picture, not \(origin.x), \(origin.y)")
        }
    }

    /// A time in messages, to a millisecond.
    package static func seconds(_ time: Double) -> String { JSONLine.rounded(time, places: 3).plainText }

    /// The error for a field of a reaction.
    package func fault(_ index: Int, _ key: String, _ message: String) -> FlourishError {
        FlourishError(.inputUnusable, "\(name): reactions[\(index)].\(key): \(message)")
    }
}
