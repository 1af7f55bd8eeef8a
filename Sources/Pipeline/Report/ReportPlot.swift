import Reactions

extension EncodingReport {
    /// The report as an SVG document: bit rate, quantiser and frame rate over time, with effects as bands.
    public var svg: String {
        let plot = ReportPlot(report: self)
        return plot.document
    }
}

/// Draws a report as SVG: three panels over one axis of time.
struct ReportPlot {
    let report: EncodingReport

    private static let width = 1000.0, left = 64.0, right = 16.0, top = 46.0
    private static let panelHeight = 130.0, gap = 34.0
    private static let text = "font-family=\"sans-serif\" font-size=\"12\" fill=\"#444\""

    /// The title and the lines of a panel.
    private struct Panel {
        var title: String
        var colour: String
        /// A value for each window; `nil` for a window without one.
        var values: [Double?]
        /// A second, thinner line.
        var secondary: [Double?] = []
        var isFromZero = true
    }

    private var duration: Double { max(Double(report.windows.count) * report.windowLength, 1e-3) }
    private var start: Double { report.windows.first?.time ?? 0 }
    private var height: Double { Self.top + 3 * (Self.panelHeight + Self.gap) + 6 }

    /// The minimum time over which a rate is averaged, in seconds. In a window of a tenth of a second, a key frame
    /// would dominate.
    private static let shortestWindow = 0.5

    var document: String {
        let group = max(Int((Self.shortestWindow / report.windowLength).rounded(.up)), 1)
        // The last window may be shorter.
        let lengths = report.windows.indices.map { index in
            index == report.windows.count - 1
                ? min(
                    max((report.summary?.seconds ?? duration) - Double(index) * report.windowLength, 1e-3),
                    report.windowLength)
                : report.windowLength
        }
        func smooth(_ value: (EncodingReport.Window) -> Double) -> [Double?] {
            report.windows.indices.map { index in
                let range = max(index - group / 2, 0)..<min(index + (group + 1) / 2, report.windows.count)
                return range.reduce(0) { $0 + value(report.windows[$1]) } / range.reduce(0) { $0 + lengths[$1] }
            }
        }
        let panels = [
            Panel(title: "kb/s", colour: "#1f6fb2", values: smooth { Double($0.bits) / 1000 }, secondary: targets),
            Panel(
                title: "quantiser: mean, largest", colour: "#b2421f", values: report.windows.map(\.meanQP),
                secondary: report.windows.map(\.maxQP), isFromZero: false),
            Panel(title: "frames a second", colour: "#2c8a4b", values: smooth { Double($0.frames) }),
        ]
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.width)) \(Int(height))\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>",
        ]
        parts += bands
        for (index, panel) in panels.enumerated() {
            parts += draw(panel, top: Self.top + Double(index) * (Self.panelHeight + Self.gap))
        }
        return (parts + timeAxis + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The encoder's target in each window, in kb/s; empty if no target bit rate was changed.
    private var targets: [Double?] {
        let changes = report.adjustments.filter { $0.change.notAdjustable == nil && $0.change.requested.bitRate != nil }
        guard let first = changes.first?.change.previous.bitRate else { return [] }
        return report.windows.map { window in
            let rate = changes.last { $0.time < window.time + report.windowLength }?.change.requested.bitRate ?? first
            return Double(rate) / 1000
        }
    }

    private func x(_ time: Double) -> Double {
        Self.left + (time - start) / duration * (Self.width - Self.left - Self.right)
    }

    /// Draws the effects behind all panels, and their names above.
    private var bands: [String] {
        let bottom = height - Self.gap
        return report.effects.enumerated().flatMap { index, effect in
            let (from, to) = (x(effect.end.startTime), x(effect.end.endTime))
            // Names of neighbours must not overlap.
            let line = 16 + Double(index % 2) * 15
            return [
                "<rect x=\"\(plain(from))\" y=\"\(plain(Self.top - 8))\" width=\"\(plain(max(to - from, 1)))\" height=\"\(plain(bottom - Self.top + 8))\" fill=\"#f4b400\" fill-opacity=\"0.18\"/>",
                "<text x=\"\(plain(from))\" y=\"\(plain(line))\" \(Self.text)>\(Self.escaped(effect.end.reactionType.rawValue))\(effect.end.tile.map { ", tile \($0.id)" } ?? "")</text>",
            ]
        }
    }

    private func draw(_ panel: Panel, top: Double) -> [String] {
        let all = (panel.values + panel.secondary).compactMap { $0 }
        let bottom = top + Self.panelHeight
        var parts = [
            "<text x=\"\(plain(Self.left))\" y=\"\(plain(top - 4))\" \(Self.text) font-weight=\"bold\">\(panel.title)</text>"
        ]
        guard let highest = all.max(), let lowest = all.min() else {
            return parts + [
                "<text x=\"\(plain(Self.left + 8))\" y=\"\(plain(top + 24))\" \(Self.text)>not reported by the encoder</text>"
            ]
        }
        let floor = panel.isFromZero ? 0 : (lowest / 5).rounded(.down) * 5
        let step = Self.step(for: max(highest - floor, 1e-9) / 4)
        let ceiling = max(((highest - floor) / step).rounded(.up), 1) * step + floor
        func y(_ value: Double) -> Double { bottom - (value - floor) / (ceiling - floor) * Self.panelHeight }
        for tick in stride(from: floor, through: ceiling + step / 2, by: step) {
            parts.append(
                "<path d=\"M\(plain(Self.left)) \(plain(y(tick)))H\(plain(Self.width - Self.right))\" stroke=\"#ddd\"/>"
            )
            parts.append(
                "<text x=\"\(plain(Self.left - 6))\" y=\"\(plain(y(tick) + 4))\" text-anchor=\"end\" \(Self.text)>\(plain(tick))</text>"
            )
        }
        if !panel.secondary.isEmpty {
            parts.append(
                line(
                    panel.secondary, y: y,
                    style: "stroke=\"\(panel.colour)\" stroke-opacity=\"0.45\" stroke-width=\"1\""))
        }
        parts.append(line(panel.values, y: y, style: "stroke=\"\(panel.colour)\" stroke-width=\"1.8\""))
        return parts
    }

    /// Returns a line through the centres of the windows, broken where a value is missing.
    private func line(_ values: [Double?], y: (Double) -> Double, style: String) -> String {
        var path = "", isDown = false
        for (index, value) in values.enumerated() {
            guard let value else {
                isDown = false
                continue
            }
            let time = start + (Double(index) + 0.5) * report.windowLength
            path += "\(isDown ? "L" : "M")\(plain(x(time))) \(plain(y(value)))"
            isDown = true
        }
        return "<path d=\"\(path)\" fill=\"none\" \(style)/>"
    }

    private var timeAxis: [String] {
        let step = Self.step(for: duration / 10), y = height - Self.gap + 18
        var ticks: [String] = []
        for count in 0...Int(duration / step) {
            let time = Double(count) * step
            ticks.append(
                "<text x=\"\(plain(x(start + time)))\" y=\"\(plain(y))\" text-anchor=\"middle\" \(Self.text)>\(plain(time)) s</text>"
            )
        }
        return ticks
    }

    /// Returns the smallest number among 1, 2 and 5 times powers of ten that is not less than a given number.
    private static func step(for minimum: Double) -> Double {
        var power = 1.0
        while power > minimum { power /= 10 }
        while power * 10 <= minimum { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= minimum * 0.999 } ?? power * 10
    }

    /// Returns a number with at most two decimal places, without trailing zeros.
    private func plain(_ value: Double) -> String { JSONLine.rounded(value, places: 2).plainText }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
