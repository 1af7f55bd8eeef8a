import Effects
import FoundationEssentials
import MediaIO
import Platform
import Raster
import RateControl
import Reactions

/// The properties that all pictures of an encoder have in common.
struct FrameForm: Sendable, Equatable {
    let format: PictureFormat
    /// True if pictures consist of two fields of different times.
    let isInterlaced: Bool

    init(_ frame: borrowing VideoFrame) {
        format = frame.pictureFormat
        isInterlaced = frame.isInterlaced
    }
}

/// Creates the engines, encoders and decoders for all segments (spans) of a recording that are encoded. All threads use
/// it.
final class SegmentEncoderFactory: Sendable {
    let control: SessionControl
    let numbering: FrameNumbering
    let timeBase: TimeBase
    private let pass: RunPass
    private let layouts: LayoutTimeline?
    /// See ``RunPass/reportsInputFaults``.
    let reportsInputFaults: Bool
    private let catalog: EffectCatalog
    private let demuxer: Demuxer
    private let container: ContainerFormat
    private let packetIndex: PacketIndex
    private let coding: SplicedCoding
    /// True if segments state their own headers: see ``SplicedCoding/statesHeaders``.
    var statesHeaders: Bool { coding.statesHeaders }
    var codec: SpliceCodec { coding.codec }
    private let pool: FramePool
    /// The time stamp of the recording's first frame, in seconds.
    private let firstTime: Double
    /// The encoder whose parameter sets the output's header contains for all segments, unless these state their own; `nil`
    /// if nothing is encoded.
    let prototype: SpliceEncoder?

    /// - Parameter sample: a picture of the source; `nil` if nothing is encoded.
    /// - Throws: `SmartRenderUnavailable`, `MediaError`.
    init(
        _ pass: RunPass, control: SessionControl, numbering: FrameNumbering, catalog: EffectCatalog,
        demuxer: Demuxer, container: ContainerFormat, packetIndex: PacketIndex, reorderDepth: Int, firstTime: Double,
        pool: FramePool,
        sample: consuming VideoFrame?
    ) throws {
        let choices = try SplicedCoding.choices(packetIndex, reorderDepth: reorderDepth)
        MediaMemory.returnFreedMemory()
        var pass = pass
        reportsInputFaults = pass.reportsInputFaults
        // Segments are encoded in parallel and in sequence, so models are loaded once.
        if pass.resources.shared == nil { pass.resources.shared = SharedResources() }
        self.pass = pass
        layouts = pass.knownLayouts
        self.control = control
        self.numbering = numbering
        self.catalog = catalog
        self.demuxer = demuxer
        self.packetIndex = packetIndex
        self.container = container
        self.pool = pool
        self.firstTime = firstTime
        timeBase = demuxer.video.timeBase
        if let sample {
            try Self.check(sample, choices[0].codec)
            let isInterlaced = sample.isInterlaced
            let way = try Self.way(of: choices, sample) { choice in
                var choice = choice
                choice.isInterlaced = isInterlaced
                return Self.encoder(pass, demuxer, container, choice, pool, quality: nil)
            }
            (coding, prototype) = (way.coding, way.encoder)
        } else {
            (coding, prototype) = (choices[0], nil)
        }
    }

    /// Checks that effects can be drawn on a picture, and that it can be encoded in the source's form.
    func check(_ picture: borrowing VideoFrame) throws(SmartRenderUnavailable) {
        try Self.check(picture, codec)
    }

    private static func check(_ picture: borrowing VideoFrame, _ codec: SpliceCodec) throws(SmartRenderUnavailable) {
        if let loss = picture.loss {
            throw SmartRenderUnavailable("effects can only be drawn on its frames \(loss)")
        }
        if let change = picture.formatChange { throw SmartRenderUnavailable(change) }
        if picture.isInterlaced, !codec.keepsFields { throw SmartRenderUnavailable("it is interlaced") }
        if picture.repeatsFields, codec == .mpeg2 { throw SmartRenderUnavailable("its fields are repeated") }
    }

    /// A way to encode segments so that the source's header applies to them.
    private struct Way {
        let coding: SplicedCoding, encoder: SpliceEncoder
    }

    /// Returns the first suitable way.
    private static func way(
        of choices: [SplicedCoding], _ sample: borrowing VideoFrame,
        encoder: (SplicedCoding) -> SpliceEncoder
    ) throws -> Way {
        for choice in choices {
            let way = Way(coding: choice, encoder: encoder(choice))
            if choices.count == 1 {
                do throws(MediaError) { try way.encoder.encoder.send(try sample.shared()) } catch {
                    guard [.encoderRefused, .sizeUnsupported, .noEncoder].contains(error.code) else { throw error }
                    throw SmartRenderUnavailable(error.problem)
                }
                return way
            }
            // This machine's FFmpeg may lack the encoder, or the encoder may not accept such pictures.
            if (try? way.encoder.fits(sample)) == true { return way }
        }
        throw SmartRenderUnavailable("no installed encoder uses the same coding tools")
    }

    /// The maximum number of segments that are encoded at once.
    var maximumSpans: Int {
        Self.maximumSpans(
            pixels: demuxer.video.width * demuxer.video.height, cores: Machine.cores, memory: Machine.memory)
    }

    /// The approximate memory of a segment during its encoding, in pictures; most of it is the encoder's.
    private static let picturesHeld = 80
    /// The number of pixels above which a picture is large.
    private static let largePicture = 1_500_000

    /// Returns the number of parallel spans: one per core, or one per two cores for large pictures, which use the cores
    /// nearly as well since each encoder has two threads. All spans together use at most a quarter of the memory.
    ///
    /// - Parameters:
    ///   - pixels: the number of pixels of a picture.
    ///   - memory: the machine's memory, in bytes.
    static func maximumSpans(pixels: Int, cores: Int, memory: Int) -> Int {
        let busy = pixels > largePicture ? cores / 2 : cores
        let span = max(pixels, 1) * 3 / 2 * picturesHeld
        return max(1, min(busy, memory / 4 / span))
    }

    /// The requested encoding of the spans, in addition to the settings that fit them into the stream.
    var options: EncodingOptions { pass.configuration.encoding }

    /// Creates the engine of a span. The configuration alone controls it, since clients cannot request effects on this
    /// route.
    func makeEngine(_ job: SegmentEncoder.Job) -> ReactionEngine {
        let configuration = pass.configuration
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: configuration, resources: pass.resources, pool: pool)
        setup.schedule = job.requests
        setup.anticipations = pass.plan?.anticipated() ?? []
        setup.layouts = layouts
        setup.protectsFaces = configuration.encoding.protectsFaces
        setup.embedsMetadata = configuration.embedsMetadata
        setup.thinning = FrameThinning(limit: configuration.limitWhileEffectsRun, of: demuxer.video)
        setup.numbering = numbering
        setup.start = .init(firstTime: firstTime, effectID: job.effectID, frame: job.firstFrame)
        return ReactionEngine(setup)
    }

    /// The switches and the style of all spans.
    var switches: EngineSwitches { EngineSwitches(pass.configuration) }
    var noRequests: EngineRequests { EngineRequests(style: pass.configuration.style) }

    /// Creates a collector of the messages in the source's pictures; `nil` if the codec has none.
    func makeMessages() -> CarriedMessages? {
        CarriedMessages(
            codec, framing: demuxer.videoFraming, timeBase: timeBase,
            replaced: pass.configuration.embedsMetadata ? EmbeddedMetadata.uuid : nil)
    }

    /// Creates the encoder of frames from a time on.
    ///
    /// - Parameters:
    ///   - time: the presentation time, in ticks, of the first frame.
    ///   - quality: the encoder's constant quality; `nil` if it is unknown.
    func makeEncoder(of form: FrameForm, at time: Int64, quality: Double?) -> SpliceEncoder {
        Self.encoder(pass, demuxer, container, coding(of: form, at: time), pool, quality: quality)
    }

    /// Returns the coding of frames from a time on, in ticks. They have the limits that the source states there.
    private func coding(of form: FrameForm, at time: Int64) -> SplicedCoding {
        var coding = coding
        coding.isInterlaced = form.isInterlaced
        if coding.statesHeaders, let limits = packetIndex.limits(showing: time) { coding.limits = limits }
        return coding
    }

    /// Returns the quality at which the encoded picture has the given number of bytes, as in the source. `nil` if the
    /// source's quantisers are known, or if the encoder has no quality setting.
    func quality(matching bytes: Int, of frame: borrowing VideoFrame) throws -> Double? {
        guard frame.quantiser == nil, let range = codec.qualities else { return nil }
        let wanted = Int(Double(bytes) * SpanQuality.richness(codec))
        let coding = coding(of: FrameForm(frame), at: frame.time.rescaled(to: timeBase).value)
        return try SpanQuality.matching(wanted, in: range) { quality in
            let trial = Self.encoder(pass, demuxer, container, coding, pool, quality: quality).encoder
            try trial.send(try frame.shared())
            try trial.finish()
            return try trial.receive()?.size ?? 0
        }
    }

    private static func encoder(
        _ pass: RunPass, _ demuxer: Demuxer, _ container: ContainerFormat, _ coding: SplicedCoding,
        _ pool: FramePool, quality: Double?
    ) -> SpliceEncoder {
        var settings = VideoEncoderSettings(pass.configuration)
        settings.crf = quality
        return SpliceEncoder(
            coding, settings: settings, source: demuxer, container: container, path: pass.output ?? "", pool: pool)
    }

    /// A decoder of the source for one span.
    func makeDecoder() throws(MediaError) -> VideoDecoder {
        try VideoDecoder(demuxer, threads: 1, options: .quantisers, pool: pool)
    }

    /// Returns a decoder for the output of a span's encoder, opened with the encoder's own header.
    func makeOpeningDecoder(_ encoder: SpliceEncoder) throws(MediaError) -> OpeningDecoder {
        try OpeningDecoder(
            VideoDecoder(demuxer, threads: 1, header: encoder.encoder.header(), pool: pool), timeBase: timeBase)
    }

    /// Checks that the parameter sets of the output's header equal the span's.
    func check(_ encoder: SpliceEncoder) throws(SmartRenderUnavailable) {
        guard statesHeaders || encoder.hasSets(of: prototype) else {
            throw SmartRenderUnavailable("its encoder changes parameter sets midway")
        }
    }
}
