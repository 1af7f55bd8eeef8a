import Effects

extension BatchRequest {
    /// A hash of everything beside the recording that an output depends on.
    ///
    /// - Parameters:
    ///   - text: ``settingsText``, which takes some milliseconds.
    ///   - plan: the plan's text, where there is one.
    ///   - style: how it looks.
    static func settingsHash(_ text: String, plan: [UInt8]? = nil, style: ReactionPlan.Style? = nil) -> String {
        var hash = ContentHash()
        hash.add(text.utf8)
        if let plan {
            hash.add(plan)
            hash.add("\(style?.look ?? ReactionStyle()) \(style?.seed ?? 0)".utf8)
        }
        return hash.text
    }

    /// Everything beside the recording and its plan that an output depends on, the same in every process.
    var settingsText: String { "product = \(product.rawValue)\n" + configuration.settingsText }
}

extension Configuration {
    /// The settings that an output depends on, the same in every process.
    fileprivate var settingsText: String {
        var lines: [String] = []
        for key in SettingKey.all where !Self.withoutEffect.contains(String(key.table)) {
            if let value = key.read(self) { lines.append("\(key.name) = \(value.toml)") }
        }
        // Settings of gestures of one's own have no keys of their own.
        lines += sensitivities.map { "sensitivity \($0.key) = \($0.value)" }.sorted()
        lines += bindings.map { "binding \($0.key) = \($0.value)" }.sorted()
        lines += ownGestures.gestures.map {
            "gesture \($0.gesture) \($0.reactionType) \($0.handCount) \($0.examples)"
        }
        lines += scheduledReactions.map { "reaction \($0)" }
        let input = self.input
        lines += [input.format, input.videoSize, input.pixelFormat, input.frameRate].map { "input = \($0 ?? "")" }
        lines.append("part = \(input.start), \(input.end.map { "\($0)" } ?? "")")
        lines.append("format = \(outputFormat ?? "")")
        lines.append("candidates = \(tellsCandidates), embedded = \(embedsMetadata)")
        lines.append("overlay = \(writesOverlay)")
        lines.append("codec = \(encoding.namesCodec)")
        if let photos = photos { lines.append("photos = \(photos)") }
        let effects = (try? EffectCatalog(resources: resources ?? .located())).map { catalog in
            catalog.hashes(of: catalog.types)
        }
        lines += (effects ?? [:]).map { "effect \($0.key) = \($0.value)" }.sorted()
        return lines.joined(separator: "\n")
    }

    /// Tables of settings that change no output, or are told below.
    private static let withoutEffect: Set = ["output", "input"]
}
