import Platform

/// Measures how fast the picture recovers after effects. The recovery lasts from the end of the last effect until the
/// quantiser is within 1 of its value before the first effect. A state machine without clock, lock or I/O, used on the
/// encoder's thread.
///
/// The meter receives each frame before it is encoded, and each frame that the encoder has finished. Results are
/// reproducible as long as both calls interleave in the same way in every run.
package struct RecoveryMeter: Sendable {
    /// The result of a measurement.
    package struct Recovery: Sendable, Hashable {
        /// The end of the last effect, in seconds.
        package var endTime: Double
        /// The time from ``endTime`` until the quantiser is within ``tolerance`` of the usual one, in seconds; a
        /// multiple of ``window``.
        package var seconds: Double
        /// The mean quantiser before the effects.
        package var usualQP: Double
    }

    private enum State: Sendable {
        /// The state before the first effect, and after a recovery.
        case quiet
        /// The state while effects run.
        case effects
        /// The state after the last effect ended.
        case recovering(endTime: Double)
    }

    private var state = State.quiet
    private var usual = FrameAverage(timeConstant: EncoderGovernor.memory)
    /// The sum and number of quantisers in each window since the effects ended.
    private var windows: [(sum: Double, count: Int)] = []
    private var result: Recovery?

    /// The number of seconds over which quantisers are averaged, since frames of different kinds differ.
    package static let window = 0.2
    /// The maximum difference from the usual quantiser after a recovery.
    static let tolerance = 1.0
    /// The number of seconds since the end of the effects after which a recovery is no longer reported.
    static let reportLimit = 30.0

    package init() {}

    /// Advances to the next frame that is sent to the encoder.
    ///
    /// - Returns: The recovery that was detected since the last call, if any.
    package mutating func advance(to time: Double, showsEffects: Bool) -> Recovery? {
        switch (state, showsEffects) {
        case (.quiet, true), (.recovering, true):
            state = .effects
            result = nil
        case (.effects, false):
            // If the video began with an effect, the usual quantiser is not known yet.
            state = usual.qp == nil ? .quiet : .recovering(endTime: time)
            windows = []
        default: break
        }
        defer { result = nil }
        return result
    }

    /// Adds the encoder's statistics of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        switch state {
        case .quiet: usual.add(frame)
        case .effects: break
        case .recovering(let endTime): recover(frame, since: endTime)
        }
    }

    private mutating func recover(_ frame: EncodedFrame, since endTime: Double) {
        guard frame.time >= endTime, let usualQP = usual.qp else { return }
        let index = Int((frame.time - endTime) / Self.window)
        guard Double(index) * Self.window < Self.reportLimit else {
            state = .quiet
            return
        }
        while windows.count <= index { windows.append((0, 0)) }
        if let qp = frame.qp {
            windows[index].sum += qp
            windows[index].count += 1
        }
        // Frames arrive in decoding order: a window is complete once a frame of the window after the next one has
        // arrived.
        guard index >= 2 else { return }
        let back = windows[..<(index - 1)].firstIndex { window in
            window.count > 0 && window.sum / Double(window.count) <= usualQP + Self.tolerance
        }
        guard let back else { return }
        result = Recovery(endTime: endTime, seconds: Double(back) * Self.window, usualQP: usualQP)
        state = .quiet
    }
}
