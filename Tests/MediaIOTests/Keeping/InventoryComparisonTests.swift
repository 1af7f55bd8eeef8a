import Testing

@testable import MediaIO

@Suite("The comparison of a file's inventory with its source's")
struct InventoryComparisonTests {
    private typealias Stream = MediaInventory.Stream

    private static let video = Stream(
        role: .video, codec: "hevc", dispositions: ["default"], sideData: [.dolbyVision, .masteringDisplay],
        tags: ["handler_name": "VideoHandler", "timecode": "01:00:00:00", "encoder": "x265"])
    private static let first = Stream(
        role: .audio, codec: "aac", tags: ["handler_name": "SoundHandler", "language": "und"])
    private static let second = Stream(
        role: .audio, codec: "aac", dispositions: ["default", "comment"],
        tags: ["title": "Microphone", "language": "deu", "BPS-eng": "96000"])
    private static let source = MediaInventory(
        streams: [video, first, second], tags: ["title": "Call", "major_brand": "isom", "location-eng": "+52+13/"],
        chapterCount: 2)

    private func losses(
        _ output: MediaInventory, container: ContainerFormat = .mp4, reported: Set<StreamInfo.DerivedRole> = [],
        empty: Set<Int> = [], encodesVideo: Bool = false, source: MediaInventory = source
    ) -> [String] {
        var (source, output) = (source, output)
        for index in source.streams.indices where !empty.contains(index) {
            source.streams[index].tally.packets = max(1, source.streams[index].tally.packets)
        }
        for index in output.streams.indices {
            output.streams[index].tally.packets = max(1, output.streams[index].tally.packets)
        }
        return InventoryComparison(
            container: container, written: Array(source.streams.indices), reported: reported, video: 0,
            encodesVideo: encodesVideo
        ).losses(from: source, to: output)
    }

    @Test func anEqualFileHasNoLosses() {
        #expect(losses(Self.source) == [])
    }

    @Test func everyLossIsNamed() {
        let bare = MediaInventory(streams: [
            Stream(role: .video, codec: "hevc"), Stream(role: .audio, codec: "aac"), Stream(role: .audio, codec: "aac"),
        ])
        let expected = [
            "the Dolby Vision configuration record", "the time code", "the track name 'Microphone'", "the language deu",
            "the dispositions comment, default", "the tags location-eng, title", "2 chapters",
        ]
        #expect(losses(bare) == expected)
        #expect(losses(bare, encodesVideo: true).first == expected[0] + ", since the video is re-encoded")
        let unreported = expected.filter { !$0.contains("time code") && !$0.contains("chapters") }
        #expect(losses(bare, reported: [.chapters, .timeCode]) == unreported)
    }

    @Test func lostContentOfStreamsIsNamed() {
        var source = MediaInventory(streams: [
            Stream(role: .video, codec: "vp8", hasAlpha: true),
            Stream(role: .audio, codec: "aac", parameters: ["sample rate": "48000 Hz"]),
            Stream(role: .audio, codec: "pcm_s16le", sampleBits: 16), Stream(role: .subtitle, codec: "subrip"),
        ])
        source.streams[1].tally = StreamTally(packets: 9, bytes: 900, sideData: ["Some new data": 4])
        source.streams[2].tally = StreamTally(packets: 9, bytes: 900)
        source.streams[3].tally = StreamTally(packets: 2, bytes: 20)
        var output = source
        #expect(losses(output, source: source) == [])
        // PCM may be cut into other packets.
        output.streams[2].tally.packets = 3
        #expect(losses(output, source: source) == [])
        output.streams[0].hasAlpha = false
        output.streams[1].parameters = ["sample rate": "44100 Hz"]
        output.streams[1].tally = StreamTally(packets: 7, bytes: 700, sideData: ["Some new data": 1])
        output.streams[2].tally.bytes = 600
        output.streams[3].codec = "none"
        #expect(
            losses(output, source: source) == [
                "the transparency of the video", "the sample rate of stream 1 (aac): 48000 Hz became 44100 Hz",
                "side data of stream 1 (aac): Some new data of 3 packets", "2 of 9 packets of stream 1 (aac)",
                "300 of 900 bytes of stream 2 (pcm_s16le)", "stream 3 (subrip), which is read as none",
            ])
    }

    @Test func changedDatesOfStreamsAreNamed() {
        let date = "2020-01-01T00:00:00.000000Z", other = "2021-01-01T00:00:00.000000Z"
        func inventory(_ ofStream: String) -> MediaInventory {
            let sound = Stream(role: .audio, codec: "aac", tags: ["creation_time": ofStream])
            return MediaInventory(streams: [Stream(role: .video), sound], tags: ["creation_time": date])
        }
        #expect(losses(inventory(date), source: inventory(date)) == [])
        #expect(
            losses(inventory(date), source: inventory(other)) == [
                "the tag creation_time of stream 1: '2021-01-01T00:00:00' became '2020-01-01T00:00:00'"
            ])
    }

    @Test func lostGroupsOfStreamsAreNamed() {
        var source = Self.source, output = Self.source
        source.groups = ["IAMF Audio Element", "IAMF Audio Element", "IAMF Mix Presentation"]
        #expect(
            losses(output, source: source) == [
                "the stream groups IAMF Audio Element, IAMF Audio Element, IAMF Mix Presentation"
            ])
        output.groups = ["IAMF Mix Presentation", "IAMF Audio Element"]
        #expect(losses(output, source: source) == ["the stream group IAMF Audio Element"])
        output.groups = source.groups
        #expect(losses(output, source: source) == [])
    }

    /// Containers write tags in capitals, keep the name of a track as its handler's, and reorder roles.
    @Test func equivalentNamesCountAsKept() {
        var output = Self.source
        output.streams = [
            Stream(role: .data, codec: "bin_data", isDerived: true), Self.first,
            Stream(
                role: .audio, codec: "aac", dispositions: ["default", "comment"],
                tags: ["HANDLER_NAME": "Microphone", "LANGUAGE": "deu"]),
            Self.video,
        ]
        output.tags = ["TITLE": "Call", "location": "+52.0000+013.0000/"]
        #expect(losses(output) == [])
    }

    @Test func missingStreamsAreNamedUnlessEmpty() {
        var output = Self.source
        output.streams.remove(at: 1)
        #expect(losses(output, empty: [1]) == [])
        output.streams.removeLast()
        #expect(losses(output, empty: [1]).first == "stream 2 (aac)")
    }

    /// Each line: the default marks of three sound tracks in the source, and a value that indicates whether their
    /// loss is reported.
    @Test(arguments: [
        ([true, false, false], false), ([false, true, false], true), ([true, true, true], false),
        ([false, false, false], false),
    ])
    func onlyRelevantDefaultsCountAsLost(_ marks: [Bool], _ isLost: Bool) {
        let source = MediaInventory(
            streams: marks.map { Stream(role: .audio, codec: "aac", dispositions: $0 ? ["default"] : []) })
        let output = MediaInventory(streams: marks.map { _ in Stream(role: .audio, codec: "aac") })
        #expect(losses(output, source: source) == (isLost ? ["the disposition default"] : []))
    }

    /// The frames of these codecs repeat the container's mastering metadata; VP9's do not.
    @Test(arguments: [("hevc", []), ("vp9", ["the mastering display colours"])])
    func sideDataInTheFramesIsKept(_ codec: String, _ expected: [String]) {
        let source = MediaInventory(streams: [Stream(role: .video, codec: codec, sideData: [.masteringDisplay])])
        #expect(losses(MediaInventory(streams: [Stream(role: .video, codec: codec)]), source: source) == expected)
    }

    /// The program turns the pictures upright there.
    @Test(arguments: [(ContainerFormat.mpegts, []), (.mp4, ["the rotation"])])
    func rotationIsLostWhereTheContainerHoldsIt(_ container: ContainerFormat, _ expected: [String]) {
        let source = MediaInventory(streams: [Stream(role: .video, codec: "h264", sideData: [.displayMatrix])])
        let output = MediaInventory(streams: [Stream(role: .video, codec: "h264")])
        #expect(losses(output, container: container, source: source) == expected)
    }

    @Test func longListsAreTruncated() {
        let tags = (10..<30).map { ("key\($0)", "value") }
        let source = MediaInventory(tags: Dictionary(uniqueKeysWithValues: tags))
        let expected = "the tags " + (10..<18).map { "key\($0)" }.joined(separator: ", ") + ", … (20)"
        #expect(losses(MediaInventory(), source: source) == [expected])
    }

    @Test(arguments: [
        ("VideoHandler", true), ("SoundHandle", true), ("Core Media Audio", true), ("\tGoPro AAC", true),
        ("IsoMedia File Produced by Google", true), ("Microphone", false), ("Desktop Audio", false),
    ])
    func genericHandlersAreNoNames(_ name: String, _ isUsual: Bool) {
        #expect(TagName.isUsualHandler(name) == isUsual)
    }

    /// Each line: the kind, FFmpeg's codec, the code, and the words.
    @Test(
        arguments: [
            (StreamInfo.Kind.data, "none", "mebx", "mebx (Core Media metadata)"),
            (.data, "bin_data", "gpmd", "gpmd (GoPro telemetry)"), (.data, "none", "SOS ", "SOS (GoPro recovery data)"),
            (.data, "bin_data", "text", "text (chapters)"), (.data, "none", "abcd", "abcd"),
            (.data, "none", nil, "none"),
            (.audio, "aac", "mp4a", "aac"), (.audio, "none", "qdx1", "qdx1"),
        ] as [(StreamInfo.Kind, String, String?, String)])
    func contentIsNamedByCodeAndPurpose(_ kind: StreamInfo.Kind, _ codec: String, _ code: String?, _ words: String) {
        let info = StreamInfo(
            index: 0, kind: kind, codec: codec, codecTag: code, isAttachedPicture: false, timeBase: .init(1, 1),
            startTime: nil, duration: nil, metadata: [:])
        #expect(info.contentName == words)
    }

    @Test func tagsAreNamedAsInTheOutput() {
        let make = "com.apple.quicktime.make", place = "com.apple.quicktime.location.ISO6709"
        #expect(MovieTags.changes(to: ["title": "Call", "encoder.settings": "fast"], hasCover: false) == [:])
        #expect(
            MovieTags.changes(to: [make: "A", "TITLE": "Call"], hasCover: false)
                == [make: "A", "com.apple.quicktime.title": "Call"])
        #expect(
            MovieTags.changes(to: [make.uppercased(): "A", place.uppercased(): "+1+2/"], hasCover: false)
                == [make: "A", place: "+1+2/", make.uppercased(): nil, place.uppercased(): nil])
        #expect(
            MovieTags.changes(
                to: [make: "A", place: "+1+2/", "com.android.version": "14", "make": "B"], hasCover: true)
                == [make: nil, place: nil, "com.android.version": nil, "location": "+1+2/"])
    }
}
