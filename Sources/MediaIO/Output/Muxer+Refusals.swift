internal import CFFmpeg

/// Packets that libavformat refuses for what is in them.
extension Muxer {
    /// Goes on without a packet that libavformat refuses, which says that it is damaged; throws what else failed.
    ///
    /// That packet need not be the one just given, since packets wait for their turn. So whether all of the
    /// encoder's were taken shows at the end, and before that only where none ever is.
    func leaveOut(
        _ status: Int32, _ name: String, _ time: MediaTime?, _ state: inout State
    ) throws(MediaError) {
        guard isCopying, places.count > 1, Self.refusals.contains(status), isSinkSound,
            state.encodedCount < Self.patience || writtenCount > 0
        else { throw failed(status, state, isSinkSound: isSinkSound) }
        state.refusal = state.refusal ?? status
        state.damage.append(
            DecodingDamage(kind: .notCopied, time: time, detail: "\(name) data that could not be copied was left out"))
    }

    /// Damage may look like what FFmpeg does not know yet, or like a time or a setting that cannot be.
    private static let refusals = [cffmpeg_error_invalid_data, cffmpeg_error_patch_welcome, cffmpeg_averror(EINVAL)]
    /// After how many of the encoder's packets some must have been written.
    private static let patience = 1000

    /// The error for a write that failed, of which the packets may be the cause.
    func failed(_ status: Int32, _ state: State, isSinkSound: Bool) -> MediaError {
        guard Self.refusals.contains(status) else { return failed(status) }
        if let tooFar = state.leap.fault(in: container, path) { return tooFar }
        guard isSinkSound else { return failed(status) }
        if state.copiesVideo { return refused(status) }
        return status == cffmpeg_error_invalid_data ? unfit(status) : failed(status)
    }

    /// A Boolean value that indicates whether the disk or the network has reported no error, which the context keeps.
    var isSinkSound: Bool {
        guard let io = unsafe context.pointee.pb else { return false }
        return unsafe io.pointee.error >= 0
    }

    /// The number of the video's packets that were written.
    var writtenCount: Int { unsafe Int(context.pointee.streams[videoPlace]!.pointee.nb_frames) }
}
