import MediaIO
import Platform
import Reactions
import Synchronization

/// What the photographs' thread does.
extension PhotoDesk {
    /// Makes photographs until no more are asked for. On a thread of its own.
    func develop() {
        guard let queue = queue.value, let run = state.withLock({ $0.run }) else { return }
        if run.isLive { StageThread.yieldToOthers() }
        let processor = PhotoProcessor()
        let finder = FaceFinder(resources: run.resources)
        while let job = queue.receive() {
            let order: Order
            switch job {
            case .prepare(let format, let count, let completion):
                processor.prepare(format, frames: count)
                completion(true)
                continue
            case .develop:
                developNext(run, processor)
                state.withLock { $0.isDeveloping = false }
                if let most = mostPrepared { processor.trim(to: most) }
                continue
            case .photograph(let asked): order = asked
            }
            let result = Result { () throws(FlourishError) in try make(order, run, processor, finder) }
            switch result {
            case .success(let kind): tell(kind, order.id)
            case .failure(let error): tell(.photoFailed(id: order.id, message: error.message), order.id)
            }
            if let most = mostPrepared { processor.trim(to: most) }
            done(order)
        }
    }

    private func make(
        _ order: Order, _ run: Run, _ processor: PhotoProcessor, _ finder: FaceFinder
    ) throws(FlourishError) -> ReactionEvent.Kind {
        do {
            var (moment, choice) = (order.moment, PhotoChoice?.none)
            if let start = order.chosenFrom {
                (moment, choice) = moment.best(from: start, near: order.subject?.origin, finder)
            }
            let time = moment.frames[moment.reference].frame.time.seconds
            var metadata = StillMetadata(recording: run.metadata, at: time - run.start)
            metadata.software = "Flourish"
            metadata.description = order.subject?.reactionType.words
            if let told = try proxy(of: moment, choice, order, run, processor, metadata) { return told }
            metadata.comment = comment(order, time)
            var photo = try processor.photo(of: moment, order.settings, metadata: metadata)
            photo.choice = choice
            if run.options.folder != nil { photo.path = try write(photo, order, run) }
            order.completion?(.success(photo))
            return .photoFinished(detail(order, photo))
        } catch {
            let error = FlourishError(describing: error)
            order.completion?(.failure(error))
            throw error
        }
    }

    /// What the file tells programs.
    ///
    /// - Parameter isDegraded: whether it stands for a better one; `nil` where there never was or will be another.
    func comment(_ order: Order, _ time: Double, isDegraded: Bool? = nil) -> String {
        var fields = ["\"time\":\(time.milliseconds.plainText)"]
        if let isDegraded { fields.insert("\"degraded\":\(isDegraded)", at: 0) }
        if let subject = order.subject {
            fields.append("\"reactionType\":\"\(subject.reactionType.rawValue)\"")
            let (x, y) = (subject.origin.x.milliseconds.plainText, subject.origin.y.milliseconds.plainText)
            fields.append("\"origin\":{\"x\":\(x),\"y\":\(y)}")
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    func detail(_ order: Order, _ photo: Photo) -> ReactionEvent.PhotoDetail {
        let resolved = photo.resolvedSettings
        var detail = ReactionEvent.PhotoDetail(
            id: order.id, path: photo.path, photoTime: photo.time, content: order.content.rawValue,
            photoQualityPrioritization: resolved.photoQualityPrioritization, frames: resolved.frames,
            width: resolved.width, height: resolved.height, zeroShutterLag: order.isZeroShutterLag)
        detail.reactionType = order.subject?.reactionType
        detail.gesture = order.subject?.gesture
        detail.origin = order.subject?.origin
        detail.choice = photo.choice
        return detail
    }

    /// Writes a photograph under a name that says what it shows.
    private func write(_ photo: Photo, _ order: Order, _ run: Run) throws(FlourishError) -> String {
        for name in run.names(of: order, at: photo.time) {
            guard let replaces = mayTake(name, order, photo.time, run) else { continue }
            let path = run.path(of: name)
            try photo.write(to: path, overwrite: replaces)
            state.withLock { _ = $0.written.insert(name) }
            return path
        }
        throw run.isTaken(order, at: photo.time)
    }

    /// Whether a file of a name is replaced; `nil` where another is to be tried: what the run wrote itself stays.
    func mayTake(_ name: String, _ order: Order, _ time: Double, _ run: Run) -> Bool? {
        if state.withLock({ $0.written.contains(name) }) { return nil }
        if run.overwrite { return true }
        let path = run.path(of: name)
        guard FileKind.of(path) != nil else { return false }
        return run.replacesOwn && OwnPhotograph.isOne(path, telling: comment(order, time)) ? true : nil
    }
}

extension PhotoDesk.Run {
    /// What a photograph may be called: `call-0012.480-heart.jpg`, or with a number where that is taken.
    func names(of order: PhotoDesk.Order, at time: Double) -> some Sequence<String> {
        let milliseconds = Int((max(time, 0) * 1000).rounded())
        let (whole, rest) = (String(milliseconds / 1000), String(milliseconds % 1000))
        let clock =
            String(repeating: "0", count: max(0, 4 - whole.count)) + whole + "."
            + String(repeating: "0", count: max(0, 3 - rest.count)) + rest
        let what = order.subject?.reactionType.rawValue ?? "photo"
        let kind = order.content == .withEffects ? "-effects" : ""
        let type = StillFormat(order.settings.processedFileType).pathExtension
        return (1..<1000).lazy.map { number in
            "\(stem)-\(clock)-\(what)\(kind)" + (number == 1 ? "" : "-\(number)") + ".\(type)"
        }
    }

    /// Where a photograph of a name is.
    func path(of name: String) -> String {
        let folder = options.folder ?? ""
        return (folder.hasSuffix("/") ? folder : folder + "/") + name
    }

    /// Why there is no name for a photograph.
    func isTaken(_ order: PhotoDesk.Order, at time: Double) -> FlourishError {
        let first = names(of: order, at: time).first { _ in true } ?? ""
        return FlourishError(.outputUnavailable, "\(path(of: first)): exists already", remedy: .overwriting)
    }
}

extension ReactionType {
    /// As people say it: `thumbsUp` is "thumbs up".
    fileprivate var words: String {
        rawValue.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
}

/// Knows photographs that Flourish has made by what they tell of themselves.
enum OwnPhotograph {
    /// No photograph is larger, in bytes.
    private static let mostBytes = 256 << 20

    /// Whether a file is a photograph, or the proxy of one, of an instant and what it shows.
    ///
    /// - Parameter comment: what the photograph's file tells programs, as ``PhotoDesk/comment(_:_:isDegraded:)`` writes it.
    static func isOne(_ path: String, telling comment: String) -> Bool {
        guard let size = FileKind.size(of: path), size <= mostBytes,
            let descriptor = try? RawFile.open(Array(path.utf8), O_RDONLY)
        else { return false }
        defer { close(descriptor) }
        guard let bytes = DescriptorInput.readAll(descriptor, limit: mostBytes) else { return false }
        // A proxy's comment, and that of what took its place, begin with one field more.
        return contains(Array(comment.utf8.dropFirst()), bytes.span) && contains(Array("Flourish\0".utf8), bytes.span)
    }

    private static func contains(_ words: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard let first = words.first, words.count <= bytes.count else { return false }
        for place in 0...(bytes.count - words.count) where bytes[place] == first {
            if words.indices.allSatisfy({ bytes[place + $0] == words[$0] }) { return true }
        }
        return false
    }
}
