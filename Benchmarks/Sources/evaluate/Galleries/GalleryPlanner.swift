/// Chooses the contents of composites.
struct GalleryPlanner: Sendable {
    let footage: GalleryFootage
    let seed: UInt64

    private static let names = [
        "Anna Keller", "Ben Okafor", "Chiara Russo", "Dmitri Volkov", "Elena Garcia", "Farid Haddad", "Grace Liu",
        "Hugo Martin", "Ines Silva", "Jonas Berg", "Kavya Nair", "Liam Walsh", "Mei Tanaka", "Noah Fischer",
        "Olga Novak", "Priya Shah", "Quentin Roux", "Rosa Jimenez", "Samuel Adeyemi", "Tara Singh", "Umar Khan",
        "Vera Lind", "Wei Zhang", "Xenia Popa", "Yusuf Demir", "Zoe Clark", "Meeting Room 4", "iPhone",
    ]
    /// A layout is held for at least this long.
    private static let shortestLayout = 4.2

    /// - Parameters:
    ///   - number: counts from 0. The same number and seed give the same plan.
    func plan(_ number: Int) -> GalleryPlan {
        var random = GalleryRandom(seed: seed &* 1_000_003 &+ UInt64(number))
        for _ in 0..<4 { _ = random.next() }
        let kind = GalleryPlan.Kind.of(number)
        let isLarge = random.chance(0.65)
        let (width, height) = isLarge ? (1920, 1080) : (1280, 720)
        let scale = Double(height) / 1080
        var style = GalleryStyle(&random, scale: scale)
        if kind == .screenRecording, style.background.luma > 120 { style.background = GalleryColour(0x202124) }
        if kind == .grid5x5 || kind == .grid7x7 { style.gutter = min(style.gutter, Int(12 * scale)) }
        let browser = kind == .screenRecording ? GalleryBrowser(&random) : nil
        let whole = GalleryRect(x: 0, y: 0, width: width, height: height)
        let area = (browser?.page(in: whole) ?? whole).inset(by: style.margin)
        let seconds = (random.uniform(12, 16) * 2).rounded() / 2
        let screen = GalleryScreen(&random, against: style.background, changeAt: random.uniform(0.35, 0.65) * seconds)

        var views = GalleryViews(kind: kind, style: style, area: area)
        views.start(&random)
        var times = [0.0]
        if number % 2 == 0 || random.chance(0.1) {
            times.append(random.uniform(Self.shortestLayout + 0.8, seconds - Self.shortestLayout - 0.8))
            if seconds - times[1] > 2 * Self.shortestLayout + 1, random.chance(0.5) {
                times.append(times[1] + random.uniform(Self.shortestLayout, seconds - times[1] - Self.shortestLayout))
            }
        }
        // Changes lie on frames.
        times = times.map { ($0 * 30).rounded() / 30 }
        var steps = [views]
        for _ in times.dropFirst() {
            views.change(&random)
            steps.append(views)
        }
        let count = steps.map { $0.participants.max() ?? 0 }.max()! + 1
        var participants = cast(count, kind: kind, style: style, &random)
        let gestures = steps.enumerated().flatMap { index, step in step.participants.map { (index, $0) } }
        // A tile shows an avatar before and after its gesture, and a small call needs other people.
        let fewest = steps.map(\.participants.count).min() ?? 0
        let limit = random.chance(0.15) ? 0 : random.integer(1...2)
        place(gestures, times + [seconds], in: &participants, limit: min(limit, max(1, fewest / 2)), &random)
        let layouts = steps.enumerated().map { index, step in
            let arrangement = step.arrangement
            return GalleryPlan.Layout(
                from: times[index], until: index + 1 < times.count ? times[index + 1] : seconds,
                tiles: zip(step.participants, arrangement.cells).map {
                    tile(of: participants[$0], $0, in: $1, style)
                },
                content: arrangement.content?.fitting(aspect: screen.aspect))
        }
        let turns = style.frame == .none ? [] : speakers(layouts, &random)
        return GalleryPlan(
            number: number, kind: kind, width: width, height: height, seconds: seconds,
            rateFactor: random.integer(23...30), style: style, screen: screen, browser: browser,
            participants: participants, layouts: layouts, turns: turns)
    }

    private func cast(
        _ count: Int, kind: GalleryPlan.Kind, style: GalleryStyle, _ random: inout GalleryRandom
    ) -> [GalleryPlan.Participant] {
        var dealer = ClipDealer(footage.people)
        let names = random.shuffled(Self.names)
        let avatars = kind == .avatars ? 0.4 : count > 4 ? 0.12 : 0.04
        return (0..<count).map { index in
            // Portrait pictures lose most of their height where they fill a tile, as calls seldom show them.
            let wantsPortrait = kind == .letterboxed ? random.chance(0.6) : random.chance(0.12)
            var clip = dealer.deal(&random)
            for _ in 0..<60 where (clip.aspect < 0.85) != wantsPortrait { clip = dealer.deal(&random) }
            let needed = 17.0
            return GalleryPlan.Participant(
                id: index + 1, name: names[index % names.count], clip: clip,
                offset: clip.seconds > needed ? random.uniform(0, clip.seconds - needed) : 0,
                isAvatar: random.chance(avatars), disc: random.pick(GalleryStyle.discs),
                isFitted: clip.aspect < 0.85 && (kind == .letterboxed || random.chance(0.4)),
                cropBias: random.uniform(0.12, 0.32), gesture: nil)
        }
    }

    /// Gives some participants clips with gestures, each within one layout.
    ///
    /// - Parameters:
    ///   - seats: layouts with the participants whom they show.
    private func place(
        _ seats: [(layout: Int, participant: Int)], _ times: [Double],
        in participants: inout [GalleryPlan.Participant], limit: Int, _ random: inout GalleryRandom
    ) {
        var used: Set<Int> = []
        var sources: Set<String> = []
        let bySource = Dictionary(grouping: footage.gestures, by: \.clip.source)
        for seat in random.shuffled(seats) where used.count < limit && !used.contains(seat.participant) {
            let from = times[seat.layout]
            let until = times[seat.layout + 1]
            for source in random.shuffled(bySource.keys.sorted()) where !sources.contains(source) {
                let gesture = random.pick(bySource[source]!)
                let hold = gesture.holdUntil - gesture.holdFrom
                let latest = until - hold - 0.6
                guard latest > from + 2 else { continue }
                let holdFrom = random.uniform(from + 2, latest)
                let lead = min(gesture.holdFrom - gesture.from, holdFrom - from - 0.3)
                let tail = min(gesture.until - gesture.holdUntil, until - holdFrom - hold - 0.1)
                // A layout starts on a frame, and so does a clip.
                let start = ((holdFrom - lead) * 30).rounded() / 30
                let shift = start + lead
                participants[seat.participant].gesture = GalleryPlan.PlacedGesture(
                    source: gesture, sourceFrom: gesture.holdFrom - lead, from: start, until: shift + hold + tail,
                    holdFrom: shift, holdUntil: shift + hold, layout: seat.layout)
                participants[seat.participant].clip = gesture.clip
                participants[seat.participant].isAvatar = false
                participants[seat.participant].cropBias = 0.5
                used.insert(seat.participant)
                sources.insert(source)
                break
            }
        }
    }

    private func tile(
        of participant: GalleryPlan.Participant, _ index: Int, in cell: GalleryRect, _ style: GalleryStyle
    ) -> GalleryPlan.Tile {
        let aspect = participant.clip.aspect
        let ratio = aspect / (Double(cell.width) / Double(cell.height))
        // A hand at the edge would be cut off.
        let isCropped = participant.gesture == nil ? !participant.isFitted : ratio > 0.88 && ratio < 1.14
        guard !participant.isAvatar, !isCropped else {
            return GalleryPlan.Tile(participant: index, cell: cell, picture: cell, visible: cell)
        }
        let picture = cell.fitting(aspect: aspect)
        let isFree = style.bars == nil && participant.gesture == nil
        return GalleryPlan.Tile(
            participant: index, cell: cell, picture: picture, visible: isFree ? picture : cell)
    }

    private func speakers(_ layouts: [GalleryPlan.Layout], _ random: inout GalleryRandom) -> [GalleryPlan.Turn] {
        layouts.flatMap { layout in
            var turns: [GalleryPlan.Turn] = []
            var time = layout.from
            while time < layout.until - 0.5, !layout.tiles.isEmpty {
                let end = min(layout.until, ((time + random.uniform(1.5, 4.5)) * 30).rounded() / 30)
                if random.chance(0.85) {
                    turns.append(
                        GalleryPlan.Turn(
                            from: time, until: end, participant: random.pick(layout.tiles).participant))
                }
                time = end
            }
            return turns
        }
    }
}
