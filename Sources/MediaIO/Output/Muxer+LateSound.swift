internal import CFFmpeg
internal import Synchronization

/// Sound that comes late, or never: the header waits for it, and goes without it in the end.
extension Muxer {
    /// The output without late sound; see ``layOutSubstitute(_:isLive:)``.
    @safe
    struct Substitute {
        var context: UnsafeMutablePointer<AVFormatContext>
        var places: [Int: Int]
        var videoPlace: Int
        var writtenStreams: [(source: Int, place: Int)]
    }

    /// Lays out the output without the sound that may come too late.
    func layOutSubstitute(_ source: Demuxer, isLive: Bool) throws(MediaError) -> Substitute {
        var fresh: UnsafeMutablePointer<AVFormatContext>? = nil
        unsafe avformat_alloc_output_context2(&fresh, nil, form.muxerName, sink.url)
        guard let other = unsafe fresh else { throw .outOfMemory(path) }
        do throws(MediaError) {
            let layout = unsafe try Self.layOut(
                other, container: container, form: form, source: source, audio: nil, path: path, leavingOut: late)
            unsafe other.pointee.interrupt_callback = unsafe watch.callback
            unsafe Self.configure(other, container, sink, isLive: isLive)
            return unsafe Substitute(
                context: other, places: layout.places, videoPlace: layout.videoPlace, writtenStreams: layout.written)
        } catch {
            unsafe avformat_free_context(other)
            throw error
        }
    }

    /// Returns whether more packets may wait for sound: many minutes of a file, some seconds of a stream.
    func mayWait(_ state: State) -> Bool {
        guard sink.isStream else { return state.waitingSize < Self.mostWaitingBytes }
        // The demuxer has waited for what it does not know.
        return state.waiting.count < Self.mostWaiting && late.allSatisfy { $0.parser == nil || $0.isDescribed }
    }

    private static let mostWaiting = 300, mostWaitingBytes = 64 << 20

    /// Has the header say what the sound is that comes late, or leaves that out where it does not come in time.
    ///
    /// - Returns: whether the header can be written.
    func describeSound(_ state: inout State, mayWait: Bool) throws(MediaError) -> Bool {
        let missing = try describe(late, from: state.waiting.dropFirst(state.searchedCount))
        state.searchedCount = state.waiting.count
        if missing.isEmpty { return true }
        if mayWait { return false }
        // The demuxer has waited for what it does not know.
        let waited = late.contains { $0.parser != nil } ? Demuxer.longestWait : 0
        let seconds = max(duration(of: state.waiting), waited)
        // A file takes a stream without packets, and other sound that came is not left out for it.
        if !sink.isStream, missing.count < late.count { return true }
        exchangeContexts()
        state.lateSkips = late.map { sound in
            SkippedStream(
                stream: sound.stream,
                reason: "nothing of it came within \(Demuxer.text(seconds)) s, and the header of "
                    + "\(container.displayName) must say what it is")
        }
        return true
    }

    /// Exchanges the output for the one without late sound, or back.
    func exchangeContexts() {
        guard let other = substitute else { return }
        unsafe other.context.pointee.pb = unsafe context.pointee.pb
        unsafe context.pointee.pb = nil
        substitute = unsafe Substitute(
            context: context, places: places, videoPlace: videoPlace, writtenStreams: writtenStreams)
        unsafe (context, places, videoPlace) = unsafe (other.context, other.places, other.videoPlace)
        writtenStreams = other.writtenStreams
    }

    /// The streams that were left out because nothing of them came in time, since the last call.
    package func takeLateSkips() -> [SkippedStream] {
        lock.withLock { state in
            defer { state.lateSkips = [] }
            return state.lateSkips
        }
    }
}
