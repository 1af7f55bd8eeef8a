internal import CFFmpeg

extension Muxer {
    /// The properties of the source that the output lacks, in words; nil where it lacks none.
    ///
    /// Reads the header of a completed file. Of pipes, devices and the network nothing is known.
    package func losses() -> String? {
        guard let source = sourceInventory, case .file(let temporary) = sink,
            let output = MediaInventory(file: temporary, container: container)
        else { return nil }
        let written = writtenStreams.map { source, place in
            let stream = unsafe context.pointee.streams[place]!
            let isAttachment = unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT
            return InventoryComparison.WrittenStream(
                source: source, isEmpty: unsafe stream.pointee.nb_frames == 0 && !isAttachment)
        }
        let comparison = InventoryComparison(
            container: container, written: written, reported: Set(skippedStreams.compactMap(\.stream.derivedRole)),
            video: writtenStreams.first { $0.place == videoPlace }?.source, encodesVideo: !copiesVideo)
        let losses = comparison.losses(from: source, to: output)
        guard !losses.isEmpty else { return nil }
        let isPoor = ![.mp4, .mov, .matroska].contains(container)
        let remedy = isPoor ? " (MP4, QuickTime and Matroska hold more than \(container.displayName))" : ""
        return "\(path): not kept of the input: \(losses.joined(separator: "; "))" + remedy
    }

    /// The container whose muxer writes the output. QuickTime and MP4 share their boxes, but libavformat's QuickTime muxer
    /// leaves some out. Where the source has these, and MP4 holds all that QuickTime does, the MP4 muxer writes the file
    /// under QuickTime's brand.
    static func form(of container: ContainerFormat, _ source: Demuxer?, _ path: String) throws(MediaError)
        -> ContainerFormat
    {
        guard container == .mov, let source else { return container }
        let video = unsafe source.context.pointee.streams[source.video.index]!
        let kinds = Set(unsafe StreamSideData.all(of: video).map(\.kind))
        var isRicher = !kinds.isDisjoint(with: MuxerFacts.writtenByMP4Only)
        for info in source.streams where info.derivedRole == nil {
            let stream = unsafe source.context.pointee.streams[info.index]!
            let fitsQuickTime = unsafe try obstacle(stream, info, .mov, path) == nil
            let fitsMP4 = unsafe try obstacle(stream, info, .mp4, path) == nil
            if fitsQuickTime, !fitsMP4 { return container }
            if info.kind == .data, fitsMP4, !fitsQuickTime { isRicher = true }
        }
        return isRicher ? .mp4 : container
    }

    /// Names a track where the container keeps that: MP4 and QuickTime as the handler's name, which all players and FFmpeg
    /// read, and MP4 as the title besides.
    @unsafe
    static func nameTrack(_ stream: UnsafeMutablePointer<AVStream>, in container: ContainerFormat) -> Int32 {
        guard container.holdsDescriptions,
            let name = TagName.trackName(unsafe Demuxer.dictionary(stream.pointee.metadata))
        else { return 0 }
        let status = unsafe av_dict_set(&stream.pointee.metadata, "title", name, 0)
        if status < 0 || container != .mp4 && container != .mov { return status }
        return unsafe av_dict_set(&stream.pointee.metadata, "handler_name", handlerName(name), 0)
    }

    /// A name that fits into QuickTime's strings of 255 bytes.
    private static func handlerName(_ name: String) -> String {
        var result = "", size = 0
        for character in name {
            size += character.utf8.count
            if size > 255 { break }
            result.append(character)
        }
        return result
    }

    /// The kinds of side data in the output's streams.
    var sideDataKinds: Set<StreamSideData.Kind> {
        Set(
            (0..<Int(unsafe context.pointee.nb_streams)).flatMap { index in
                unsafe StreamSideData.all(of: context.pointee.streams[index]!).map(\.kind)
            })
    }
}
