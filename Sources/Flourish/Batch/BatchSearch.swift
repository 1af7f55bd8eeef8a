import MediaIO
import Platform

/// Finds the recordings of a batch, before any is processed, by the content of files rather than by their names. The
/// search only reads.
///
/// In folders, hidden files and files that are no recordings are skipped. Links are followed, and no folder is searched
/// twice. A file that the user names must be a recording.
struct BatchSearch {
    private let request: BatchRequest
    private let planner: BatchPlanner
    private let interrupt: InterruptFlag
    private let outputFolder: RawFile.Status?

    private(set) var report = BatchReport()
    /// The recordings that may have to be processed.
    private(set) var items: [BatchItem] = []
    /// The searched folders, by device and inode.
    private var folders: Set<[UInt64]> = []
    /// The ancestors of the folders that the user named, by device and inode. Ancestors are not searched.
    private var above: Set<[UInt64]> = []
    /// The recording of each output.
    private var outputs: [[UInt8]: BatchPath] = [:]
    /// The recordings that were considered, by device, inode and a hash of the output's path.
    private var seen: Set<[UInt64]> = []

    /// The seconds after the last write during which a damaged file counts as still being written. A recorder writes
    /// the index of a file at its end.
    private static let completeAge: Int64 = 60

    init(_ request: BatchRequest, _ planner: BatchPlanner, interrupt: InterruptFlag) {
        self.request = request
        self.planner = planner
        self.interrupt = interrupt
        outputFolder = try? RawFile.status(request.outputFolder.bytes).get()
    }

    /// Searches all inputs.
    mutating func run() {
        for input in request.inputs where !interrupt.isRaised {
            switch RawFile.status(input.bytes) {
            case .failure(let error): add(input, .failed, "cannot be read (\(error.message))")
            case .success(let status):
                switch status.kind {
                case .folder:
                    skip(foldersAbove: input)
                    walk(input, from: [], status, isOutput: isOutputFolder(status))
                case .file: consider(input, from: [], status, isNamed: true)
                case .other: add(input, .failed, "is not a file; a batch reads each recording more than once")
                }
            }
        }
    }

    /// Excludes the ancestors of a named folder from the search. A link to an ancestor would lead out of that folder
    /// and back into it.
    private mutating func skip(foldersAbove folder: BatchPath) {
        var path = folder
        while true {
            path = path.appending([RawFile.dot, RawFile.dot])
            // The root is its own parent.
            guard case .success(let status) = RawFile.status(path.bytes),
                above.insert([status.device, status.node]).inserted
            else { return }
        }
    }

    private func isOutputFolder(_ status: RawFile.Status) -> Bool { outputFolder?.isSame(as: status) == true }

    private func isAbove(_ status: RawFile.Status) -> Bool { above.contains([status.device, status.node]) }

    /// Considers each file in a folder and, if requested, in its subfolders.
    /// - Parameters:
    ///   - relative: The folder's path relative to the named folder, with a slash at the end.
    ///   - isOutput: A Boolean value that indicates whether the named folder is also the output folder.
    private mutating func walk(_ folder: BatchPath, from relative: [UInt8], _ status: RawFile.Status, isOutput: Bool) {
        guard folders.insert([status.device, status.node]).inserted else { return }
        let names: [[UInt8]]
        do { names = try RawFile.names(in: folder.bytes) } catch {
            return add(folder, .failed, "the folder cannot be read (\(error.message))")
        }
        for name in names where name.first != RawFile.dot && !interrupt.isRaised {
            let path = folder.appending(name)
            switch RawFile.status(path.bytes) {
            case .failure(let error): add(path, .skipped, "leads nowhere (\(error.message))")
            case .success(let status):
                switch status.kind {
                case .folder where request.isRecursive && !isOutputFolder(status) && !isAbove(status):
                    walk(path, from: relative + name + [RawFile.slash], status, isOutput: isOutput)
                case .file:
                    // Outputs of earlier runs are not recordings.
                    if isOutput, planner.folder.journal?[RawName.text(relative + name)]?.bytes == status.size {
                        report.otherFiles += 1
                    } else {
                        consider(path, from: relative, status, isNamed: false)
                    }
                case .folder, .other: break
                }
            }
        }
    }

    private mutating func consider(
        _ path: BatchPath, from relative: [UInt8], _ status: RawFile.Status, isNamed: Bool
    ) {
        let output = relative + request.template.name(for: path.name)
        let region = UInt64(bitPattern: RegionLock.region(output))
        guard seen.insert([status.device, status.node, region]).inserted else { return }
        var item = BatchItem(path, status, output: output)
        if let other = outputs[output] {
            // A file that is not a recording has no output.
            if planner.knows(item) || examine(&item, isNamed: isNamed) {
                add(path, .failed, "its output would have the same name as that of \(other); choose another name")
            }
            return
        }
        guard planner.knows(item) || examine(&item, isNamed: isNamed) else { return }
        outputs[output] = path
        item.index = report.results.count
        report.results.append(BatchResult(path, request.outputFolder.appending(output), .open))
        items.append(item)
    }

    /// Opens a file, and returns whether it is a recording that can be processed.
    private mutating func examine(_ item: inout BatchItem, isNamed: Bool) -> Bool {
        if RawFile.isBeingWritten(item.input.bytes) == true {
            add(item.input, .skipped, "is still being written")
            return false
        }
        if item.status.size == 0 {
            // An empty file has no content to recognise, so its name decides.
            if isNamed || Self.hasVideoName(item.input.name) {
                add(item.input, .failed, "the file is empty")
            } else {
                report.otherFiles += 1
            }
            return false
        }
        do {
            let raw = try RawInput(item.input)
            let demuxer = try Demuxer.open(raw.address, request.configuration, interrupt: interrupt)
            guard !demuxer.isStillImage else {
                if isNamed { add(item.input, .failed, "is an image, not a video") } else { report.otherFiles += 1 }
                return false
            }
            item.measure(demuxer.video)
            return true
        } catch let error as RawFileError {
            add(item.input, .failed, "cannot be read (\(error.message))")
        } catch let error as MediaError {
            refuse(item, error, isNamed: isNamed)
        } catch {
            add(item.input, .failed, "\(error)")
        }
        return false
    }

    private mutating func refuse(_ item: BatchItem, _ error: MediaError, isNamed: Bool) {
        switch error.code {
        case .interrupted: break
        case .notMedia, .noVideo, .empty:
            if isNamed { add(item.input, .failed, error.problem) } else { report.otherFiles += 1 }
        case .damaged where isFresh(item.status):
            add(item.input, .skipped, "is still being written, or was just interrupted")
        default: add(item.input, .failed, error.problem)
        }
    }

    /// Returns whether a file was written so recently that more data may follow.
    private func isFresh(_ status: RawFile.Status) -> Bool {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return abs(Int64(now.tv_sec) - status.modified / 1_000_000_000) < Self.completeAge
    }

    private mutating func add(_ input: BatchPath, _ state: BatchResult.State, _ reason: String) {
        report.results.append(BatchResult(input, nil, state, reason))
    }

    /// Extensions of cameras, phones, recorders and encoders, in lower case.
    private static let videoExtensions = Set(ContainerFormat.allCases.flatMap(\.allExtensions)).union([
        "3g2", "3gp", "asf", "divx", "dv", "f4v", "h264", "h265", "hevc", "insv", "ivf", "lrv", "m2v", "mjpeg", "mjpg",
        "mpeg", "mpg", "mxf", "ogv", "rmvb", "vob", "wmv", "wtv",
    ])

    /// Returns whether a name has the extension of a video.
    private static func hasVideoName(_ name: [UInt8]) -> Bool {
        guard let dot = name.lastIndex(of: RawFile.dot), dot > 0,
            let ending = String(validating: name[(dot + 1)...], as: UTF8.self)
        else { return false }
        return videoExtensions.contains(ending.lowercased())
    }
}

/// A recording that was found.
struct BatchItem: Sendable {
    /// The index in the report.
    var index = 0
    var input: BatchPath
    /// The state of the file when it was found.
    var status: RawFile.Status
    /// The output's path, relative to the output folder.
    var output: [UInt8]
    /// The estimated work: the number of pixels times the duration in seconds.
    var work = 0.0
    /// The estimated memory of a session, in bytes.
    var memory = 0

    /// The number of frames in a session's memory: between its stages, in the decoder and in the encoder's lookahead.
    private static let framesHeld = 150
    /// The memory, in bytes, of models, packets and other data that does not depend on the picture's size.
    private static let base = 150 << 20

    init(_ input: BatchPath, _ status: RawFile.Status, output: [UInt8]) {
        self.input = input
        self.status = status
        self.output = output
    }

    /// Estimates work and memory from the header.
    mutating func measure(_ video: VideoStreamInfo) {
        let pixels = max(video.width, 1) * max(video.height, 1)
        work = Double(pixels) * max(video.duration?.seconds ?? 0, 1)
        memory = Self.base + pixels * 3 / 2 * Self.framesHeld
    }

    /// True if the file is unchanged since it was found.
    var isUnchanged: Bool {
        guard case .success(let now) = RawFile.status(input.bytes) else { return false }
        return now.isSame(as: status) && now.size == status.size && now.modified == status.modified
    }
}
