/// The view of a call. It changes when participants join or leave, and when the recording switches views.
struct GalleryViews: Sendable {
    private enum View: Sendable {
        case rows([Int])
        case grid
        case unequal([[Double]])
        case speaker(GalleryArrangement.Side, share: Double)
        case shared(GalleryArrangement.Side, share: Double)
    }

    let kind: GalleryPlan.Kind
    let style: GalleryStyle
    let area: GalleryRect
    private var view = View.grid
    /// The visible participants, in the order of their cells.
    private(set) var participants: [Int] = []
    private var newest = 0

    init(kind: GalleryPlan.Kind, style: GalleryStyle, area: GalleryRect) {
        self.kind = kind
        self.style = style
        self.area = area
    }

    mutating func start(_ random: inout GalleryRandom) {
        if let rows = kind.rows {
            view = .rows(rows)
            fill(rows.reduce(0, +))
            return
        }
        switch kind {
        case .incompleteRow:
            let rows = random.pick([
                [2, 1], [3, 2], [3, 3, 1], [3, 3, 2], [4, 3], [4, 4, 2], [4, 4, 1], [5, 5, 3],
            ])
            view = .rows(rows)
            fill(rows.reduce(0, +))
        case .unequalRows:
            let shares = unequalShares(&random)
            view = .unequal(shares)
            fill(shares.reduce(0) { $0 + $1.count })
        case .speakerStrip:
            view = .speaker(random.pick(GalleryArrangement.Side.allCases), share: random.uniform(0.15, 0.23))
            fill(random.integer(3...6))
        case .sharedScreen:
            view = .shared(random.pick(GalleryArrangement.Side.allCases), share: random.uniform(0.14, 0.22))
            fill(random.integer(2...5))
        case .screenRecording:
            let isUnequal = random.chance(0.4)
            let shares = [[random.uniform(2.2, 3), 1]]
            view = isUnequal ? .unequal(shares) : .grid
            fill(isUnequal ? 2 : random.integer(2...7))
        default: fill(random.integer(3...9))
        }
    }

    /// Adds or removes a participant, or switches between gallery and speaker view.
    mutating func change(_ random: inout GalleryRandom) {
        switch view {
        case .speaker, .shared:
            if random.chance(0.4), participants.count > 2 {
                // The speaker changes.
                participants.swapAt(0, random.integer(1...participants.count - 1))
                if case .shared(let side, let share) = view {
                    join()
                    view = .shared(side, share: share)
                }
            } else {
                view = .grid
            }
        case .rows, .grid, .unequal:
            let choice = random.integer(0...2)
            if choice == 0, participants.count < 30 {
                join()
                view = .grid
            } else if choice == 1, participants.count > 2 {
                participants.remove(at: random.integer(0...participants.count - 1))
                view = .grid
            } else {
                participants.swapAt(0, random.integer(0...participants.count - 1))
                participants = Array(participants.prefix(7))
                view = .speaker(random.pick(GalleryArrangement.Side.allCases), share: random.uniform(0.15, 0.23))
            }
        }
    }

    var arrangement: GalleryArrangement {
        let gutter = style.gutter
        switch view {
        case .rows(let rows): return .rows(rows, in: area, gutter: gutter, aspect: style.tileAspect)
        case .grid: return .grid(participants.count, in: area, gutter: gutter, aspect: style.tileAspect ?? 16 / 9)
        case .unequal(let shares): return .unequalRows(shares, in: area, gutter: gutter)
        case .speaker(let side, let share):
            let strip = GalleryArrangement.strip(
                participants.count - 1, at: side, share: share, in: area, gutter: gutter)
            return GalleryArrangement(cells: [strip.large] + strip.thumbnails)
        case .shared(let side, let share):
            let strip = GalleryArrangement.strip(participants.count, at: side, share: share, in: area, gutter: gutter)
            return GalleryArrangement(cells: strip.thumbnails, content: strip.large)
        }
    }

    private mutating func fill(_ count: Int) {
        participants = Array(0..<count)
        newest = count - 1
    }

    private mutating func join() {
        newest += 1
        participants.append(newest)
    }

    private func unequalShares(_ random: inout GalleryRandom) -> [[Double]] {
        let rows = random.integer(1...3)
        return (0..<rows).map { _ in
            let count = random.integer(2...(rows == 1 ? 3 : 4))
            return (0..<count).map { _ in random.uniform(1, 2.4) }
        }
    }
}
