import MediaIO
import Platform
import Reactions

/// The photographs of a run.
extension PipelineRun {
    /// Begins to take the photographs of the pass.
    func openPhotos() throws(FlourishError) {
        guard let options = pass.photos else { return }
        var negatives: NegativeFolder?
        if let folder = options.folder {
            try Self.makeFolder(folder)
            if options.deferredPhotoDelivery != .off { negatives = try NegativeFolder(of: folder, making: true) }
        }
        control.photos.open(
            PhotoDesk.Run(
                options: options, isLive: request.configuration.isLive, showsPlan: request.plan != nil,
                resources: request.resources,
                metadata: demuxer.metadata,
                start: firstPicture,
                stem: options.stem.map(Self.plain) ?? Self.stem(of: request.input),
                overwrite: request.configuration.overwrite && !request.configuration.replacesOwnPhotos,
                replacesOwn: request.configuration.replacesOwnPhotos,
                negatives: negatives, tell: { [outlet] in outlet.tell($0) }))
    }

    /// When the recording's first picture is shown, on the frames' clock: that of a part begins at 0 where the part does.
    private var firstPicture: Double {
        if let stretch = demuxer.stretch { return -stretch.start }
        return (demuxer.video.startTime ?? demuxer.startTime)?.seconds ?? 0
    }

    /// Finishes the photographs that wait for the run's end. Whoever stopped a recording midway does not want to wait.
    func finishPhotos(_ wasInterrupted: Bool) {
        if wasInterrupted, !request.configuration.isLive { return }
        control.photos.developRest()
    }

    private static func makeFolder(_ path: String) throws(FlourishError) {
        if TemporaryFile.isFolder(path) { return }
        do { try RawFile.makeFolder(Array(path.utf8)) } catch {
            throw FlourishError(
                .outputUnavailable, "\(path): cannot be made as a folder for photographs (\(error.message))")
        }
    }

    /// What photographs of an input are called: its name without folder and ending.
    private static func stem(of input: String) -> String {
        let name = input.split(separator: "/").last.map(String.init) ?? ""
        let bare = name.lastIndex(of: ".").map { name[..<$0] }.flatMap { $0.isEmpty ? nil : String($0) } ?? name
        return plain(bare)
    }

    /// A name as every file system and shell takes it.
    private static func plain(_ name: String) -> String {
        let plain = name.prefix(80).map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }
        return plain.isEmpty || plain == ["-"] ? "stream" : String(plain)
    }
}
