internal import CFFmpeg
import Platform

/// The place and the form of an output.
struct OutputTarget: Sendable {
    let path: String
    let options: Muxer.Options
    let sink: MuxerSink
    let container: ContainerFormat
    /// The container whose muxer writes the output: see ``StreamFit/form(of:_:_:)``.
    let form: ContainerFormat
    /// The times at which the source's pictures and sound begin.
    let sourceStarts: [MediaTime]
    let watch: IOWatch

    /// Creates the temporary file, or chooses the pipe, device or connection, which is not opened yet.
    init(
        _ path: String, _ options: Muxer.Options, copying source: Demuxer?, interrupt: InterruptFlag?
    ) throws(MediaError) {
        self.path = path
        self.options = options
        (sink, container) = try MuxerSink.choose(path, format: options.format)
        // Only the network has a time-out: a disk or a pipe's reader may be slow without losing data.
        watch = IOWatch(
            interrupt: interrupt, timeout: sink.isNetwork ? options.timeout : nil, isOutput: true,
            showsLife: !sink.isStream)
        sourceStarts = source?.streams.compactMap { [.video, .audio].contains($0.kind) ? $0.startTime : nil } ?? []
        do throws(MediaError) { form = try StreamFit.form(of: container, source, path) } catch {
            sink.discard()
            throw error
        }
    }

    /// True if the output is a file of MP4 or QuickTime, or a stream of their fragments.
    var isMP4: Bool { container == .mp4 || container == .mov }

    /// True if chapters can be added after the last packet. Fragments and streams have no end at which readers would
    /// look for them.
    var holdsAddedChapters: Bool {
        guard !sink.isStream else { return false }
        switch container {
        case .matroska, .webm: return true
        // libavformat counts the chapters of MP4 from 0, in milliseconds of 32 bits.
        case .mp4, .mov: return (sourceStarts.max()?.seconds ?? 0) < Double(UInt32.max) / 1000
        default: return false
        }
    }
}

/// The errors of an output.
extension OutputTarget {
    /// Returns the error for an output that could not be opened.
    func unopened(_ status: Int32) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isNetwork {
            return MediaError(
                .unwritable, file: path,
                "\(path): connecting failed; check the address and the receiver",
                detail: MediaError.text(of: status))
        }
        return .writing(path, status: status)
    }

    /// Returns the error for a failed write.
    func failed(_ status: Int32) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isPipe, status == cffmpeg_averror(EPIPE) {
            return MediaError(.readerLeft, file: path, "\(path): the reader closed the output")
        }
        // At the end, libavformat opens an MP4 file again to move the index to the front. The file may have been
        // removed.
        if status == cffmpeg_averror(ENOENT), let temporary = sink.temporaryFile, FileKind.of(temporary) == nil {
            return MediaError(FileError(removed: temporary, of: path))
        }
        return .writing(path, status: status)
    }

    /// Returns the error for packets of the input's video that libavformat rejects.
    func refused(_ status: Int32) -> MediaError {
        MediaError(
            .packetRefused, file: path, "\(path): \(container.displayName) does not accept a packet of the input",
            detail: MediaError.text(of: status))
    }

    /// Returns the error for packets, or a header, that libavformat rejects because of their content.
    func unfit(_ status: Int32) -> MediaError {
        let remedy = container == .matroska ? "" : "; write .mkv"
        return MediaError(
            .damaged, file: path,
            "\(path): the input is damaged, or in a format that \(container.displayName) does not support\(remedy)",
            detail: MediaError.text(of: status))
    }
}
