/// What can be wrong with a script or with drawing it.
package struct PuppetError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// The script is not there or may not be read.
        case unreadableScript
        /// The script is not JSON, lacks a field, or asks for something that cannot be drawn.
        case invalidScript
        /// The film or its truth cannot be written.
        case unwritableFilm
    }

    package let code: Code
    /// One line for the person who wrote the script.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension PuppetScript {
    /// Checks every number that drawing relies on.
    func validate() throws(PuppetError) {
        try require(
            width >= 32 && height >= 32 && width <= 8192 && height <= 8192,
            "the puppet's picture must be 32…8192 pixels wide and high, not \(width)×\(height)")
        try require(rate > 0 && rate <= 240, "the puppet's rate must be above 0 and at most 240, not \(rate)")
        try require(
            duration > 0 && duration <= 3600,
            "the puppet's duration must be above 0 and at most 3600 s, not \(duration)")
        try checkScene()
        for cue in cues {
            try require(
                cue.time.isFinite && cue.hold >= 0 && cue.hold.isFinite && cue.riseTime > 0
                    && cue.fallTime > 0,
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: times must be positive")
            try require(
                cue.pose != .heart || cue.hands == .both,
                "cue 'heart' at \(cue.time) s: a heart takes both hands")
            try require(
                cue.place?.count ?? 2 == 2, "cue '\(cue.pose.rawValue)' at \(cue.time) s: place is [x, y]")
            let size = cue.size ?? PuppetCue.usualSize
            try require(
                size > 0.01 && size < 1, "cue '\(cue.pose.rawValue)' at \(cue.time) s: size must lie between 0.01 and 1"
            )
            try require(
                (cue.place ?? []).allSatisfy { abs($0) <= 10 },
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: place must lie between -10 and 10")
            try require(
                [cue.turn, cue.yaw, cue.pitch].compactMap(\.self).allSatisfy { abs($0) <= 3600 },
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: turn, yaw and pitch must lie between -3600 and 3600")
        }
    }

    private func require(_ condition: Bool, _ message: String) throws(PuppetError) {
        if !condition { throw PuppetError(.invalidScript, message) }
    }

    private func checkScene() throws(PuppetError) {
        let (light, noise) = (scene?.light ?? 1, scene?.noise ?? 0)
        try require((0...10).contains(light), "scene: light must lie between 0 and 10, not \(light)")
        try require((0...255).contains(noise), "scene: noise must lie between 0 and 255, not \(noise)")
    }
}
