internal import CFFmpeg
import Platform

extension Muxer {
    /// Opens what the container does not open by itself.
    @unsafe
    static func openSink(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ sink: MuxerSink, _ watch: IOWatch
    ) -> Int32 {
        guard unsafe context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 else { return 0 }
        let pipe = awaitReader(of: sink, watch)
        if pipe < 0 { return pipe }
        defer { if pipe > 0 { close(pipe) } }
        var callback = unsafe context.pointee.interrupt_callback
        return unsafe avio_open2(&context.pointee.pb, sink.url, AVIO_FLAG_WRITE, &callback, nil)
    }

    /// Waits until somebody reads a named pipe, as opening it would do where nothing could end that.
    ///
    /// - Returns: a descriptor that keeps the reader, 0 where there is nothing to wait for, or FFmpeg's code of an error.
    private static func awaitReader(of sink: MuxerSink, _ watch: IOWatch) -> Int32 {
        guard case .special(let path) = sink, TemporaryFile.isNamedPipe(path) else { return 0 }
        while true {
            let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            guard errno == ENXIO else { return cffmpeg_averror(errno) }
            if watch.isAskedToEnd { return cffmpeg_error_exit }
            usleep(20_000)
        }
    }

    /// Closes what ``openSink(_:_:_:)`` opened.
    @unsafe @discardableResult
    func closeSink() -> Int32 {
        guard unsafe context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 else { return 0 }
        return unsafe avio_closep(&context.pointee.pb)
    }

    /// The error for an output that could not be opened.
    static func opening(_ path: String, _ sink: MuxerSink, status: Int32, _ watch: IOWatch) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isNetwork {
            return MediaError(
                .unwritable, file: path,
                "\(path): could not be connected to; check the address and that somebody listens",
                detail: MediaError.text(of: status))
        }
        return .writing(path, status: status)
    }

    /// The error for a write that failed.
    func failed(_ status: Int32) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isPipe, status == cffmpeg_averror(EPIPE) {
            return MediaError(.readerLeft, file: path, "\(path): nobody reads the output any more")
        }
        // Of MP4 the file is opened once more at the end, to move the index to the front.
        if status == cffmpeg_averror(ENOENT), case .file(let temporary) = sink, FileKind.of(temporary) == nil {
            return MediaError(FileError(removed: temporary, of: path))
        }
        return .writing(path, status: status)
    }

    /// The error for packets of the input's video that libavformat refuses.
    func refused(_ status: Int32) -> MediaError {
        MediaError(
            .packetRefused, file: path, "\(path): \(container.displayName) does not accept a packet of the input",
            detail: MediaError.text(of: status))
    }

    /// The error for packets, or a header, that libavformat refuses for what is in them.
    func unfit(_ status: Int32) -> MediaError {
        let remedy = container == .matroska ? "" : "; write .mkv"
        return MediaError(
            .damaged, file: path,
            "\(path): the input is damaged, or of a kind that \(container.displayName) does not take\(remedy)",
            detail: MediaError.text(of: status))
    }
}
