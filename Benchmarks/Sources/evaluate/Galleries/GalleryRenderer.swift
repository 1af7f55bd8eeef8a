import Foundation

/// Renders composites with FFmpeg: videos below, one still picture with holes above them.
struct GalleryRenderer: Sendable {
    let plan: GalleryPlan
    let footage: URL
    let scratch: URL
    let fonts: [GalleryText.Font: String]

    private var frames: Int { Int((plan.seconds * Double(plan.fps)).rounded()) }

    func render(to file: URL) throws {
        let folder = scratch.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var graph = GalleryGraph()
        let painter = GalleryPainter(plan: plan)
        for (index, layout) in plan.layouts.enumerated() {
            let pictures = painter.pictures(of: index)
            let files = try pictures.indices.map { number in
                let file = folder.appending(path: "\(index)-\(number).pam")
                try pictures[number].canvas.write(to: file)
                return file.path
            }
            append(layout, Array(zip(pictures, files)), to: &graph)
        }
        let joined = plan.layouts.indices.map { "[layout\($0)]" }.joined()
        var last = "\(joined)concat=n=\(plan.layouts.count)"
        if plan.browser != nil {
            var pointer = GalleryCanvas(width: 32, height: 32, colour: nil)
            for row in 0..<20 {
                pointer.fill(
                    GalleryRect(x: 6, y: 6 + row, width: max(1, row < 14 ? row * 3 / 4 : 5), height: 1),
                    GalleryColour(row == 0 || row > 18 ? 0xffffff : 0x101010))
            }
            let file = folder.appending(path: "pointer.pam")
            try pointer.write(to: file)
            let input = graph.add(["-i", file.path])
            graph.chains.append("[\(input):v]format=yuva420p[pointer]")
            let (width, height) = (plan.width, plan.height)
            last +=
                "[call];[call][pointer]overlay=eval=frame:x='\(width / 2)+\(width / 3)*sin(floor(t/3)+min(1\\,mod(t\\,3)))'"
                + ":y='\(height / 2)+\(height / 3)*cos(floor(t/3)*2+2*min(1\\,mod(t\\,3)))'"
        }
        graph.chains.append(last + ",format=yuv420p[out]")
        let script = folder.appending(path: "graph")
        try Data(graph.chains.joined(separator: ";\n").utf8).write(to: script)
        let arguments =
            ["-nostdin", "-v", "error", "-y", "-filter_complex_threads", "2"] + graph.inputs
            + ["-filter_complex_script", script.path, "-map", "[out]", "-frames:v", "\(frames)"]
            + ["-c:v", "libx264", "-preset", "veryfast", "-crf", "\(plan.rateFactor)", "-threads", "2"]
            + ["-movflags", "+faststart", file.path]
        _ = try Program(path: "ffmpeg", scratch: scratch).output(arguments)
    }

    private func append(
        _ layout: GalleryPlan.Layout, _ pictures: [(GalleryPainter.Picture, String)], to graph: inout GalleryGraph
    ) {
        let length = layout.until - layout.from
        let size = "\(plan.width)x\(plan.height)"
        let background = plan.style.background.filterName
        var stage = graph.label()
        graph.chains.append("color=c=\(background):s=\(size):r=\(plan.fps):d=\(length),format=yuv420p\(stage)")
        for tile in layout.tiles {
            let participant = plan.participants[tile.participant]
            let place = tile.picture.even
            guard let video = append(participant, layout, size: place, to: &graph) else { continue }
            let next = graph.label()
            var during = ""
            if let gesture = participant.gesture {
                during = ":enable='between(t,\(gesture.from - layout.from),\(gesture.until - layout.from))'"
            }
            graph.chains.append("\(stage)\(video)overlay=\(place.x):\(place.y)\(during)\(next)")
            stage = next
        }
        for (picture, file) in pictures {
            let input = graph.add(["-i", file])
            let texts = picture.texts.map { text in
                let x = text.isCentred ? "\(text.x)-tw/2" : "\(text.x)"
                let y = text.isCentred ? "\(text.y)-th/2" : "\(text.y)"
                return "drawtext=fontfile=\(fonts[text.font]!):text='\(text.text)':expansion=none:x=\(x):y=\(y)"
                    + ":fontsize=\(text.size):fontcolor=\(text.colour.filterName)"
            }
            let above = graph.label()
            graph.chains.append("[\(input):v]\((texts + ["format=yuva420p"]).joined(separator: ","))\(above)")
            let next = graph.label()
            // Half a frame before, so that rounding moves no change.
            let from = picture.from - layout.from - 0.5 / Double(plan.fps)
            let until = picture.until - layout.from - 0.5 / Double(plan.fps)
            graph.chains.append("\(stage)\(above)overlay=0:0:enable='gte(t,\(from))*lt(t,\(until))'\(next)")
            stage = next
        }
        let count = Int((length * Double(plan.fps)).rounded())
        graph.chains.append(
            "\(stage)trim=end_frame=\(count),setpts=PTS-STARTPTS[layout\(plan.layouts.firstIndex { $0.from == layout.from }!)]"
        )
    }

    /// - Returns: the label of the scaled video; none where the camera is off.
    private func append(
        _ participant: GalleryPlan.Participant, _ layout: GalleryPlan.Layout, size: GalleryRect,
        to graph: inout GalleryGraph
    ) -> String? {
        guard !participant.isAvatar else { return nil }
        let file = footage.appending(path: participant.clip.path).path
        let fit = Self.filling(size, participant.clip.aspect, bias: participant.cropBias)
        let result = graph.label()
        if let gesture = participant.gesture {
            guard gesture.from >= layout.from, gesture.until <= layout.until + 1e-6 else { return nil }
            let input = graph.add(["-threads", "1", "-i", file])
            let end = gesture.sourceFrom + gesture.until - gesture.from
            graph.chains.append(
                "[\(input):v]trim=start=\(gesture.sourceFrom):end=\(end),"
                    + "setpts=PTS-STARTPTS+\(gesture.from - layout.from)/TB,fps=\(plan.fps),\(fit)\(result)")
            return result
        }
        let length = layout.until - layout.from
        var start = participant.offset + layout.from
        let clip = participant.clip.seconds
        let isLooped = clip < start + length + 0.5
        if isLooped { start = clip > 1 ? start.truncatingRemainder(dividingBy: clip - 0.5) : 0 }
        let seeks = file.hasSuffix(".gif") || start < 0.1 ? [] : ["-ss", "\(start)"]
        let input = graph.add(
            ["-threads", "1"] + (isLooped ? ["-stream_loop", "-1"] : []) + seeks + ["-t", "\(length + 1)", "-i", file])
        graph.chains.append(
            "[\(input):v]setpts=PTS-STARTPTS,fps=\(plan.fps),trim=duration=\(length),\(fit)\(result)")
        return result
    }

    /// Filters that scale a video so that it fills a size, and crop the rest.
    static func filling(_ size: GalleryRect, _ aspect: Double, bias: Double) -> String {
        let ratio = max(Double(size.width), Double(size.height) * aspect)
        let width = max(size.width, Int((ratio / 2).rounded()) * 2)
        let height = max(size.height, Int((ratio / aspect / 2).rounded()) * 2)
        return "scale=\(width):\(height):flags=bilinear,"
            + "crop=\(size.width):\(size.height):(iw-ow)/2:(ih-oh)*\(bias),setsar=1,format=yuv420p"
    }
}

/// The inputs and the filters of one FFmpeg run.
struct GalleryGraph: Sendable {
    private(set) var inputs: [String] = []
    var chains: [String] = []
    private var count = 0
    private var labels = 0

    /// Adds an input and returns its number.
    mutating func add(_ arguments: [String]) -> Int {
        inputs += arguments
        count += 1
        return count - 1
    }

    /// Returns a label that no other chain has, in brackets.
    mutating func label() -> String {
        labels += 1
        return "[v\(labels)]"
    }
}
