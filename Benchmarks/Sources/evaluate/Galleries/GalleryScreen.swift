/// A shared screen: static but for one change.
struct GalleryScreen: Sendable {
    enum Subject: String, CaseIterable, Sendable { case slide, document, editor }

    let subject: Subject
    /// A second of the composite.
    let changeAt: Double
    private let isDark: Bool
    private let accent: GalleryColour
    private let lengths: [Double]
    private let title: String

    /// The width divided by the height.
    var aspect: Double { subject == .slide ? 16.0 / 9 : 1.6 }

    private static let titles = [
        "Quarterly results", "Roadmap 2027", "Design review", "Onboarding", "Field study", "Release plan",
    ]
    private static let bullets = [
        "Revenue grew in all regions", "Two teams join in spring", "Latency is below 40 ms", "Open questions remain",
        "Costs are stable", "Survey of 312 customers", "Next review in March",
    ]
    private static let words = [
        "the", "measured", "interval", "of", "each", "sample", "remains", "stable", "when", "temperature", "rises",
        "and", "results", "agree", "with", "earlier", "reports", "from", "two", "laboratories",
    ]
    private static let code = [
        "func render(frame) {", "    let size = frame.size", "    guard size.width > 0 else { return }",
        "    for row in rows {", "        draw(row)", "        total += row.count", "    }", "    commit(total)", "}",
        "", "struct Point {", "    var x = 0.0", "    var y = 0.0", "}", "", "let origin = Point()", "print(origin.x)",
        "while queue.count > 0 {", "    queue.removeFirst()", "}",
    ]

    init(_ random: inout GalleryRandom, against background: GalleryColour, changeAt: Double) {
        subject = random.pick(Subject.allCases)
        // It stands out from what is around it.
        isDark = subject == .editor ? background.luma > 60 || random.chance(0.3) : background.luma > 160
        accent = random.pick([0x1a73e8, 0xd93025, 0x188038, 0xf29900, 0x7b1fa2].map { GalleryColour($0) })
        lengths = (0..<60).map { _ in random.uniform(0.4, 1) }
        title = random.pick(Self.titles)
        self.changeAt = (changeAt * 30).rounded() / 30
    }

    func paint(
        in area: GalleryRect, hasChanged: Bool, on canvas: inout GalleryCanvas, _ texts: inout [GalleryText]
    ) {
        switch subject {
        case .slide: slide(in: area, hasChanged: hasChanged, on: &canvas, &texts)
        case .document: document(in: area, hasChanged: hasChanged, on: &canvas, &texts)
        case .editor: editor(in: area, hasChanged: hasChanged, on: &canvas, &texts)
        }
    }

    private func slide(
        in area: GalleryRect, hasChanged: Bool, on canvas: inout GalleryCanvas, _ texts: inout [GalleryText]
    ) {
        let paper = GalleryColour(isDark ? 0x1e2a3a : 0xfafafa)
        let ink = GalleryColour(isDark ? 0xf0f0f0 : 0x202124)
        canvas.fill(area, paper)
        let unit = area.height / 20
        canvas.fill(GalleryRect(x: area.x, y: area.y, width: area.width, height: unit / 2), accent)
        texts.append(
            GalleryText(
                text: title, x: area.x + 2 * unit, y: area.y + 2 * unit, size: unit * 3 / 2, colour: accent,
                font: .bold))
        for (index, bullet) in Self.bullets.prefix(hasChanged ? 5 : 4).enumerated() {
            let y = area.y + 5 * unit + index * 2 * unit
            canvas.fillDisc(x: area.x + 2 * unit, y: y + unit / 2, radius: unit / 5, accent)
            texts.append(GalleryText(text: bullet, x: area.x + 3 * unit, y: y, size: unit, colour: ink))
        }
        for index in 0..<5 {
            let height = Int(lengths[index] * Double(9 * unit))
            let width = area.width / 15
            canvas.fill(
                GalleryRect(
                    x: area.right - 2 * unit - (5 - index) * width * 5 / 4, y: area.bottom - 3 * unit - height,
                    width: width, height: height), index == 3 && hasChanged ? GalleryColour(0xf29900) : accent)
        }
    }

    private func document(
        in area: GalleryRect, hasChanged: Bool, on canvas: inout GalleryCanvas, _ texts: inout [GalleryText]
    ) {
        canvas.fill(area, GalleryColour(isDark ? 0x3a3d42 : 0xe3e5e8))
        let unit = max(6, area.height / 45)
        canvas.fill(GalleryRect(x: area.x, y: area.y, width: area.width, height: 3 * unit), GalleryColour(0xf6f7f9))
        for index in 0..<9 {
            canvas.fill(
                GalleryRect(
                    x: area.x + unit + index * 3 * unit, y: area.y + unit, width: 2 * unit, height: unit),
                GalleryColour(0x9aa0a6))
        }
        let page = GalleryRect(
            x: area.x + area.width / 5, y: area.y + 5 * unit, width: area.width * 3 / 5, height: area.height - 5 * unit)
        canvas.fill(page, GalleryColour(0xffffff))
        texts.append(
            GalleryText(
                text: title, x: page.x + 3 * unit, y: page.y + 2 * unit, size: 2 * unit,
                colour: GalleryColour(0x202124),
                font: .bold))
        // The change scrolls the text by some lines.
        let first = hasChanged ? 7 : 0
        let perLine = max(3, (page.width - 6 * unit) / (unit * 5))
        for line in 0..<((page.height - 8 * unit) / (2 * unit)) where (line + first) % 9 != 8 {
            let start = (line + first) * 5
            let words = (0..<perLine).map { Self.words[(start + $0 * 3) % Self.words.count] }
            let text = words.prefix(max(2, Int(Double(perLine) * lengths[(line + first) % 60]))).joined(separator: " ")
            texts.append(
                GalleryText(
                    text: text, x: page.x + 3 * unit, y: page.y + 6 * unit + line * 2 * unit, size: unit * 6 / 5,
                    colour: GalleryColour(0x3c4043)))
        }
    }

    private func editor(
        in area: GalleryRect, hasChanged: Bool, on canvas: inout GalleryCanvas, _ texts: inout [GalleryText]
    ) {
        let unit = max(6, area.height / 40)
        canvas.fill(area, GalleryColour(isDark ? 0x1e1e1e : 0xfffffa))
        canvas.fill(
            GalleryRect(x: area.x, y: area.y, width: area.width / 6, height: area.height),
            GalleryColour(isDark ? 0x2b2d33 : 0xececec))
        canvas.fill(
            GalleryRect(x: area.x, y: area.bottom - 3 * unit / 2, width: area.width, height: 3 * unit / 2), accent)
        let colours = (isDark ? [0xd4d4d4, 0x9cdcfe, 0xc586c0, 0xce9178] : [0x24292e, 0x005cc5, 0x6f42c1, 0xb31d28])
            .map { GalleryColour($0) }
        for index in 0..<12 {
            texts.append(
                GalleryText(
                    text: "file\(index).swift", x: area.x + 2 * unit, y: area.y + 2 * unit + index * 2 * unit,
                    size: unit, colour: colours[0]))
        }
        for line in 0..<18 {
            let text = hasChanged && line == 8 ? "    return total" : Self.code[line % Self.code.count]
            let y = area.y + 2 * unit + line * 2 * unit
            let left = area.x + area.width / 6 + unit
            texts.append(
                GalleryText(
                    text: "\(line + 1)", x: left, y: y, size: unit * 6 / 5, colour: GalleryColour(0x858585), font: .mono
                ))
            if !text.isEmpty {
                texts.append(
                    GalleryText(
                        text: text, x: left + 4 * unit + text.prefix { $0 == " " }.count * unit * 3 / 4, y: y,
                        size: unit * 6 / 5, colour: colours[(line * 7 + 1) % 4], font: .mono))
            }
        }
    }
}

/// The window of a browser in which a call is recorded.
struct GalleryBrowser: Sendable {
    private let isDark: Bool
    private let chrome: Double
    private let toolBar: Double
    private let tabs: Int
    private let hasBookmarks: Bool

    init(_ random: inout GalleryRandom) {
        isDark = random.chance(0.4)
        chrome = random.uniform(0.085, 0.12)
        toolBar = random.uniform(0.07, 0.1)
        tabs = random.integer(2...8)
        hasBookmarks = random.chance(0.5)
    }

    private func chromeHeight(_ whole: GalleryRect) -> Int {
        Int(Double(whole.height) * (chrome + (hasBookmarks ? 0.03 : 0)))
    }

    /// The area of the page in which the call shows tiles.
    func page(in whole: GalleryRect) -> GalleryRect {
        let top = chromeHeight(whole)
        return GalleryRect(
            x: 0, y: top, width: whole.width, height: whole.height - top - Int(Double(whole.height) * toolBar))
    }

    func paint(
        on canvas: inout GalleryCanvas, _ texts: inout [GalleryText], _ whole: GalleryRect, _ style: GalleryStyle
    ) {
        let ink = GalleryColour(isDark ? 0xe8eaed : 0x3c4043)
        let height = chromeHeight(whole)
        let row = Int(Double(whole.height) * chrome / 2)
        canvas.fill(
            GalleryRect(x: 0, y: 0, width: whole.width, height: height), GalleryColour(isDark ? 0x35363a : 0xf1f3f4))
        canvas.fill(
            GalleryRect(x: 0, y: 0, width: whole.width, height: row), GalleryColour(isDark ? 0x202124 : 0xdee1e6))
        let width = min(whole.width / 6, (whole.width - 6 * row) / tabs)
        for index in 0..<tabs {
            let x = 3 * row + index * width
            if index == tabs - 1 {
                canvas.fill(
                    GalleryRect(x: x, y: row / 5, width: width, height: row),
                    GalleryColour(isDark ? 0x35363a : 0xf1f3f4),
                    radius: row / 5)
            }
            canvas.fillDisc(
                x: x + row / 2, y: row * 3 / 5, radius: row / 6, GalleryStyle.discs[index % GalleryStyle.discs.count])
            texts.append(
                GalleryText(
                    text: ["Inbox", "Calendar", "Board", "Storage", "Sheets", "News", "Notes", "Call"][index % 8],
                    x: x + row, y: row * 2 / 5, size: row * 2 / 5, colour: ink))
        }
        for (index, colour) in [0xff5f57, 0xfebc2e, 0x28c840].enumerated() {
            canvas.fillDisc(
                x: row / 2 + index * row * 3 / 5, y: row / 2, radius: row / 5, GalleryColour(UInt32(colour)))
        }
        canvas.fill(
            GalleryRect(x: 4 * row, y: row * 6 / 5, width: whole.width * 3 / 5, height: row * 7 / 10),
            GalleryColour(isDark ? 0x202124 : 0xffffff), radius: row / 3)
        texts.append(
            GalleryText(
                text: "call.example.org/team-meeting", x: 5 * row, y: row * 7 / 5, size: row * 2 / 5, colour: ink))
        bar(on: &canvas, &texts, whole, style)
    }

    /// The buttons below the tiles.
    private func bar(
        on canvas: inout GalleryCanvas, _ texts: inout [GalleryText], _ whole: GalleryRect, _ style: GalleryStyle
    ) {
        let height = Int(Double(whole.height) * toolBar)
        let middle = whole.height - height / 2
        let radius = height * 3 / 10
        for index in 0..<8 {
            let x = whole.width / 2 + (index * 2 - 7) * radius * 5 / 4
            let colour =
                index == 7 ? GalleryColour(0xea4335) : GalleryColour(style.background.luma > 128 ? 0xdadce0 : 0x3c4043)
            canvas.fillDisc(x: x, y: middle, radius: radius, colour)
            canvas.fill(
                GalleryRect(x: x - radius / 3, y: middle - radius / 3, width: radius * 2 / 3, height: radius * 2 / 3),
                style.textOnBackground)
        }
        texts.append(
            GalleryText(
                text: "10.42 AM", x: whole.width / 40, y: middle - height / 8, size: height / 4,
                colour: style.textOnBackground))
    }
}
