internal import CFFmpeg
package import Platform
internal import Raster

/// Writes pictures losslessly, as plain samples, into a file of Flourish's own format. Photographs that are finished
/// later are stored in this form.
///
/// The file contains a line that identifies the format, and a line with the writer's description of the pictures. The
/// samples follow, and a line with a hash of everything before that line.
package enum FrameArchive {
    static let mark = Array("flourish frames 1\n".utf8)
    static let newline = UInt8(ascii: "\n")
    /// The maximum length of the line with the description, in bytes.
    static let longestHeader = 1 << 20
    /// The length of the last line in bytes: the hash, which has 40 characters, and the line's end.
    static let trailerLength = 41

    /// Writes a file under a temporary name. The caller then publishes it with `TemporaryFile`.
    ///
    /// - Parameters:
    ///   - path: The final name.
    ///   - header: The description, one line without its end.
    ///   - count: The number of pictures.
    ///   - samples: Returns the samples of a picture.
    /// - Returns: The temporary name.
    /// - throws: `FileError` of the codes `unwritable`, `diskFull`, `io`, `outOfMemory`.
    package static func fill(
        for path: String, header: [UInt8], count: Int, samples: (Int) -> [UInt8]
    ) throws(FileError) -> String {
        guard let hash = try? VideoFingerprint(path: path) else { throw FileError(writing: path, number: ENOMEM) }
        let temporary = try TemporaryFile.reserve(for: path)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            TemporaryFile.forget(temporary)
            throw FileError(writing: path, number: errno)
        }
        var failure = write(mark + header + [newline], hash, descriptor)
        for index in 0..<count where failure == 0 { failure = write(samples(index), hash, descriptor) }
        if failure == 0 { failure = DescriptorOutput.write(Array(hash.finish().utf8) + [newline], to: descriptor) }
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure == 0 else {
            TemporaryFile.remove(temporary)
            throw FileError(writing: path, number: failure)
        }
        return temporary
    }

    private static func write(_ bytes: [UInt8], _ hash: VideoFingerprint, _ descriptor: Int32) -> Int32 {
        hash.add(bytes[...])
        return DescriptorOutput.write(bytes, to: descriptor)
    }
}

/// Reads the pictures of a ``FrameArchive``, in the order in which they were written.
///
/// Used by one thread at a time.
package final class FrameArchiveReader {
    /// The writer's description of the pictures.
    package let header: [UInt8]
    private let path: String
    private let descriptor: Int32
    private let size: Int
    private var offset: Int
    private let hash: VideoFingerprint

    /// Opens a file.
    ///
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `internal`, or `notMedia` if the file is no
    ///   frame archive.
    package init(_ path: String) throws(MediaError) {
        self.path = path
        hash = try VideoFingerprint(path: path)
        do throws(RawFileError) {
            // Opening must not block if there is a named pipe at this path.
            descriptor = try RawFile.open(Array(path.utf8), O_RDONLY | O_NONBLOCK)
        } catch {
            throw MediaError(
                error.number == ENOENT ? .notFound : .unreadable, file: path,
                "\(path): cannot be read (\(error.message))")
        }
        guard let status = RawFile.status(descriptor: descriptor), status.kind == .file,
            let start = Self.read(descriptor, at: 0, count: min(status.size, FrameArchive.longestHeader)),
            start.starts(with: FrameArchive.mark),
            let end = start[FrameArchive.mark.count...].firstIndex(of: FrameArchive.newline)
        else {
            close(descriptor)
            throw MediaError(.notMedia, file: path, "\(path): is not a frame archive of flourish")
        }
        size = status.size
        header = Array(start[FrameArchive.mark.count..<end])
        offset = end + 1
        hash.add(start[..<offset])
    }

    deinit { close(descriptor) }

    /// Returns the next picture.
    ///
    /// - throws: ``MediaError`` of the codes `damaged`, `internal`.
    package func next(_ layout: SampleLayout, pool: FramePool) throws(MediaError) -> VideoFrame {
        guard let count = layout.byteCount, count <= size - offset - FrameArchive.trailerLength,
            let samples = Self.read(descriptor, at: offset, count: count)
        else { throw damage }
        offset += count
        hash.add(samples[...])
        return try VideoFrame.restored(from: samples, layout, pool: pool)
    }

    /// Checks that there are no more pictures, and that the file is unchanged since it was written.
    ///
    /// - throws: ``MediaError`` of the code `damaged`.
    package func finish() throws(MediaError) {
        guard size - offset == FrameArchive.trailerLength,
            let trailer = Self.read(descriptor, at: offset, count: FrameArchive.trailerLength),
            trailer == Array(hash.finish().utf8) + [FrameArchive.newline]
        else { throw damage }
    }

    private var damage: MediaError { MediaError(.damaged, file: path, "\(path): is truncated or damaged") }

    /// - Returns: `nil` if there are fewer bytes.
    private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset + done))
            }
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else { return nil }
            done += more
        }
        return bytes
    }
}

extension VideoFrame {
    /// Returns the layout of the picture.
    ///
    /// - throws: ``MediaError`` of the code `internal` for a picture whose format is not native.
    package borrowing func sampleLayout() throws(MediaError) -> SampleLayout { try SampleLayout(self) }

    /// Returns the samples, row by row and plane by plane, without gaps.
    package borrowing func samples() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pictureFormat.sampleByteCount)
        unsafe forEachRow { row in unsafe bytes.append(contentsOf: row) }
        return bytes
    }

    /// Restores a picture from the samples that ``samples()`` returned.
    ///
    /// - throws: ``MediaError`` of the code `damaged` if the number of samples does not match the layout, or
    ///   `internal`.
    package static func restored(
        from samples: [UInt8], _ layout: SampleLayout, pool: FramePool
    ) throws(MediaError) -> VideoFrame {
        guard samples.count == layout.byteCount else {
            throw MediaError(.damaged, file: "", "a picture has too few samples")
        }
        let frame = try layout.makeFrame(pool: pool)
        var rest = samples[...]
        unsafe frame.forEachRow { row in
            _ = unsafe row.update(fromContentsOf: rest.prefix(row.count))
            rest = rest.dropFirst(row.count)
        }
        return frame
    }

    /// Calls a closure with the samples of each row, plane by plane.
    @unsafe
    private borrowing func forEachRow(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        for plane in Plane.allCases {
            guard let data = unsafe av.plane(plane.rawValue) else { continue }
            let length = pictureFormat.width(of: plane) * pictureFormat.bytesPerSample
            for row in 0..<pictureFormat.height(of: plane) {
                unsafe body(
                    UnsafeMutableBufferPointer(start: data + row * av.stride(plane.rawValue), count: length))
            }
        }
    }
}

extension PictureFormat {
    /// The number of bytes of all samples, without gaps.
    fileprivate var sampleByteCount: Int {
        Plane.allCases.reduce(0) { $0 + width(of: $1) * height(of: $1) * bytesPerSample }
    }
}

/// The properties of a picture without its samples. A file with the layout and the samples restores the picture bit for
/// bit.
package struct SampleLayout: Sendable, Hashable, Codable {
    /// FFmpeg's name, such as `yuv420p`.
    private var pixelFormat: String
    private var width: Int32
    private var height: Int32
    /// The matrix, primaries and transfer function, as code points of ITU-T H.273, which FFmpeg uses.
    private var matrix: UInt32
    private var primaries: UInt32
    private var transfer: UInt32
    /// FFmpeg's range: 0 unknown, 1 limited, 2 full.
    private var range: UInt32
    /// FFmpeg's location of chroma samples: 0 unknown, otherwise one more than in H.273.
    private var chromaLocation: UInt32
    /// The numerator and denominator of a pixel's width divided by its height.
    private var pixelShape: [Int32]
    /// The clockwise quarter turns.
    private var quarterTurns: Int
    private var isMirrored: Bool
    /// The presentation time: the number of ticks, and the numerator and denominator of a tick in seconds.
    private var time: [Int64]

    /// Creates the layout of a picture of a native format.
    ///
    /// - throws: ``MediaError`` of the code `internal` for other formats.
    init(_ frame: borrowing VideoFrame) throws(MediaError) {
        guard PixelFormat.native(frame.av.pixelFormat) != nil, let name = PixelFormat.name(frame.av.pixelFormat) else {
            throw MediaError(.internal, file: "", "the pixel format of a picture cannot be archived")
        }
        pixelFormat = name
        width = frame.av.width
        height = frame.av.height
        matrix = frame.av.colorspace.rawValue
        primaries = frame.av.color_primaries.rawValue
        transfer = frame.av.color_trc.rawValue
        range = frame.av.color_range.rawValue
        chromaLocation = frame.av.chroma_location.rawValue
        let shape = frame.av.sample_aspect_ratio
        pixelShape = [shape.num, shape.den]
        (quarterTurns, isMirrored) = (frame.orientation.quarterTurns, frame.orientation.mirrored)
        let base = frame.time.timeBase
        time = [frame.time.value, Int64(base.numerator), Int64(base.denominator)]
        if checkedFormat == nil { throw MediaError(.internal, file: "", "the size of a picture cannot be archived") }
    }

    /// The maximum side of a picture, and the maximum number in a pixel's shape.
    private static let longestSide: Int32 = 1 << 16

    /// FFmpeg's number of the format; `nil` if any property is invalid.
    private var checkedFormat: AVPixelFormat? {
        let format = PixelFormat.named(pixelFormat)
        guard PixelFormat.native(format) != nil, (1...Self.longestSide).contains(width),
            (1...Self.longestSide).contains(height), pixelShape.count == 2,
            pixelShape.allSatisfy({ (0...Self.longestSide).contains($0) }),
            time.count == 3, (1...Int64(Int32.max)).contains(time[1]), (1...Int64(Int32.max)).contains(time[2]),
            (0...3).contains(quarterTurns),
            [matrix, primaries, transfer, range, chromaLocation].allSatisfy({ $0 < 256 })
        else { return nil }
        return format
    }

    /// The number of bytes of the samples; `nil` if any property is invalid.
    package var byteCount: Int? {
        guard let format = checkedFormat, let native = PixelFormat.native(format) else { return nil }
        return PictureFormat(
            width: Int(width), height: Int(height), bitDepth: native.bitDepth, chroma: native.chroma
        ).sampleByteCount
    }

    /// Returns an empty picture of this layout.
    ///
    /// - throws: ``MediaError`` of the codes `damaged`, `internal`.
    func makeFrame(pool: FramePool) throws(MediaError) -> VideoFrame {
        guard let format = checkedFormat else {
            throw MediaError(.damaged, file: "", "the header of a picture is invalid")
        }
        let frame = try pool.makeFrame(width: Int(width), height: Int(height), format: format)
        frame.colorspace = AVColorSpace(rawValue: matrix)
        frame.color_primaries = AVColorPrimaries(rawValue: primaries)
        frame.color_trc = AVColorTransferCharacteristic(rawValue: transfer)
        frame.color_range = AVColorRange(rawValue: range)
        frame.chroma_location = AVChromaLocation(rawValue: chromaLocation)
        frame.sample_aspect_ratio = AVRational(num: pixelShape[0], den: pixelShape[1])
        let base = Rational(Int32(time[1]), Int32(time[2]))
        return VideoFrame(
            frame, time: MediaTime(value: time[0], timeBase: base),
            orientation: Orientation(quarterTurns: quarterTurns, mirrored: isMirrored))
    }
}
