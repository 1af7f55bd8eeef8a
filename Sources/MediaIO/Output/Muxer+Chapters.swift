internal import CFFmpeg
import Platform
internal import Synchronization

/// Copies the source's chapters, and adds chapters at the end of a file.
extension Muxer {
    /// True if chapters can be added after the last packet. Fragments and streams have no end at which readers would
    /// look for them.
    package var holdsAddedChapters: Bool {
        guard !sink.isStream else { return false }
        switch container {
        case .matroska, .webm: return true
        // libavformat counts the chapters of MP4 from 0, in milliseconds of 32 bits.
        case .mp4, .mov: return (sourceStarts.max()?.seconds ?? 0) < Double(UInt32.max) / 1000
        default: return false
        }
    }

    /// Adds chapters to those of the source, in the order of their starts. In MP4 and QuickTime, a chapter at 0 precedes
    /// them if none begins there. Must be called after ``begin(_:)`` and before
    /// ``complete()``, of a muxer that was created for added chapters.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package func add(_ chapters: [Chapter]) throws(MediaError) {
        guard holdsAddedChapters, !chapters.isEmpty else { return }
        precondition(addsChapters, "the source's chapters are already written")
        try lock.withLock { _ throws(MediaError) in
            try MediaError.demandMemory(unsafe Self.append(chapters, to: context), path)
            // The text track of chapters has no offset: readers move its first chapter to 0.
            guard container == .mp4 || container == .mov, unsafe context.pointee.chapters[0]!.pointee.start > 0 else {
                return
            }
            let first = unsafe Self.start(of: context.pointee.chapters[0]!)
            let opening = Chapter(start: MediaTime(value: 0, timeBase: first.timeBase), end: first, title: Self.opening)
            try MediaError.demandMemory(unsafe Self.append([opening], to: context), path)
        }
    }

    /// The title of the chapter that precedes the first one.
    private static let opening = "start"

    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    private static func append(
        _ chapters: [Chapter], to output: UnsafeMutablePointer<AVFormatContext>
    ) -> Int32 {
        let before = unsafe Int(output.pointee.nb_chapters)
        let stride = unsafe MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
        guard
            let raw = unsafe av_realloc_array(output.pointee.chapters, before + chapters.count, stride)
        else { return cffmpeg_error_enomem }
        let list = unsafe raw.bindMemory(
            to: UnsafeMutablePointer<AVChapter>?.self, capacity: before + chapters.count)
        unsafe output.pointee.chapters = list
        for chapter in chapters {
            guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { return cffmpeg_error_enomem }
            let to = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
            unsafe list[Int(output.pointee.nb_chapters)] = unsafe to
            unsafe output.pointee.nb_chapters += 1
            unsafe to.pointee.time_base = chapter.start.timeBase.avRational
            unsafe to.pointee.start = chapter.start.value
            unsafe to.pointee.end = chapter.end.rescaled(to: chapter.start.timeBase).value
            let status = unsafe av_dict_set(&to.pointee.metadata, "title", chapter.title ?? "", 0)
            if status < 0 { return status }
        }
        let all = unsafe (0..<Int(output.pointee.nb_chapters)).compactMap { unsafe list[$0] }
        let order = unsafe all.indices.sorted { a, b in
            let (first, second) = unsafe (start(of: all[a]), start(of: all[b]))
            return first == second ? a < b : first < second
        }
        for (place, index) in order.enumerated() {
            unsafe list[place] = unsafe all[index]
            // Matroska requires positive numbers, and QuickTime's reader numbers chapters by their order.
            unsafe all[index].pointee.id = Int64(place + 1)
        }
        return 0
    }

    @unsafe
    private static func start(of chapter: UnsafeMutablePointer<AVChapter>) -> MediaTime {
        unsafe MediaTime(value: chapter.pointee.start, timeBase: Rational(chapter.pointee.time_base))
    }

    /// Copies the chapters.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    static func copyChapters(
        _ output: UnsafeMutablePointer<AVFormatContext>, _ source: Demuxer
    ) -> Int32 {
        let input = unsafe source.context
        // The chapters of a trim range are moved to its clock.
        let cut = source.trim
        let end = cut.flatMap { _ in source.duration } ?? MediaTime(value: .max, timeBase: Rational(1, 1_000_000))
        let count = unsafe Int(input.pointee.nb_chapters)
        guard count > 0 else { return 0 }
        guard let raw = unsafe av_calloc(count, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride) else {
            return cffmpeg_error_enomem
        }
        let list = unsafe raw.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: count)
        // FFmpeg frees the list with the output.
        unsafe output.pointee.chapters = list
        for index in 0..<count {
            let from = unsafe input.pointee.chapters[index]!
            let base = unsafe Rational(from.pointee.time_base)
            let offset = cut.map { MediaTime(seconds: $0.start).rescaled(to: base).value } ?? 0
            // A damaged chapter may have any times.
            func moved(_ time: Int64) -> MediaTime {
                let (value, isTooLarge) = time.subtractingReportingOverflow(offset)
                return MediaTime(value: isTooLarge ? (time < 0 ? .min : .max) : value, timeBase: base)
            }
            let last = min(end, moved(unsafe from.pointee.end))
            let first = moved(unsafe from.pointee.start)
            if cut != nil, last <= .zero || first >= end { continue }
            guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { return cffmpeg_error_enomem }
            let to = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
            unsafe to.pointee.id = from.pointee.id
            unsafe to.pointee.time_base = from.pointee.time_base
            unsafe to.pointee.start = cut == nil ? from.pointee.start : max(first.value, 0)
            unsafe to.pointee.end = cut == nil ? from.pointee.end : last.rescaled(to: base).value
            unsafe list[Int(output.pointee.nb_chapters)] = unsafe to
            unsafe output.pointee.nb_chapters += 1
            let status = unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
            if status < 0 { return status }
        }
        return 0
    }
}
