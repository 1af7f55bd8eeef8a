import Reactions

extension ReactionPlan {
    /// The number of each reaction: those without one get the next free ones, in the order of their starts.
    package var numbers: [Int] {
        var numbers = reactions.map(\.id)
        var free = freeNumbers
        let order = reactions.indices.filter { numbers[$0] == nil }
            .sorted { (reactions[$0].startTime, $0) < (reactions[$1].startTime, $1) }
        for index in order {
            numbers[index] = free.next()
        }
        return numbers.compactMap(\.self)
    }

    /// Numbers that no reaction has: those behind the greatest, where that leaves room.
    var freeNumbers: some IteratorProtocol<Int> {
        let used = Set(reactions.compactMap(\.id))
        let greatest = used.max() ?? 0
        let first = greatest > 0 && greatest < 1 << 53 ? greatest + 1 : 1
        return (first...).lazy.filter { !used.contains($0) }.makeIterator()
    }
}
