import Testing

@testable import Flourish
@testable import Pipeline
@testable import Reactions

@Suite struct SettingsTests {
    private func document(_ text: String) throws -> SettingsDocument {
        try SettingsDocument(path: "a.toml", bytes: Array(text.utf8))
    }

    @Test func defaultsFormTheDefaultConfiguration() throws {
        let (a, b) = (try Settings().configuration(), Configuration())
        for key in SettingKey.all { #expect(key.read(a) == key.read(b), "\(key.name)") }
        #expect(Settings().entries.allSatisfy { $0.origin == .builtIn && $0.lockedBy == nil })
        #expect(Set(SettingKey.all.map(\.name)).count == SettingKey.all.count)
    }

    /// A table is one block of a file: its keys stand together.
    @Test func keysOfATableAreContiguous() {
        var tables: [Substring] = []
        for key in SettingKey.all where tables.last != key.table { tables.append(key.table) }
        #expect(Set(tables).count == tables.count)
        for key in SettingKey.all {
            #expect(key.table == key.table.lowercased() && key.name.split(separator: ".").count == 2, "\(key.name)")
            #expect(key.documentation.hasSuffix("."), "\(key.name)")
        }
    }

    @Test func strongerPlacesRemoveContradictions() throws {
        var settings = Settings()
        try settings.set("encoding.crf", to: .number(20))
        try settings.set("encoding.bitrate", to: .text("2M"))
        #expect(throws: FlourishError.self) { try settings.configuration() }

        let document = try SettingsDocument(
            path: "a.toml", bytes: Array("[encoding]\ncrf = 20\npreset = \"veryfast\"\n[output]\nquiet = true".utf8))
        var read = Settings()
        try read.apply(document, place: .userFile)
        try read.set("encoding.bitrate", to: .integer(2_000_000))
        #expect(try read.configuration().encoding.crf == nil)
        #expect(try read.configuration().encoding.preset == "veryfast")
        try read.set("encoding.codec", to: .text("av1"))
        #expect(try read.configuration().encoding.preset == nil)
        try read.set("output.log-level", to: .text("debug"))
        #expect(read["output.quiet"]?.value == .flag(false))
    }

    /// A gesture's own sensitivity counts beside the general one of the same place or a weaker one.
    @Test func generalSensitivityOfAStrongerPlaceAppliesToEveryGesture() throws {
        let own = try document("[sensitivity]\nthumbsUp = \"low\"\nthree = \"low\"")
        var settings = Settings()
        try settings.apply(own, place: .systemFile)
        try settings.apply(
            try document("[sensitivity]\nheart = \"low\"\n[recognition]\nsensitivity = \"normal\""),
            place: .userFile)
        #expect(settings.checked().configuration.sensitivities == [.heart: .low])
        try settings.apply(own, place: .userFile)
        #expect(settings.checked().configuration.sensitivities.count == 3)
        try settings.set("recognition.sensitivity", to: .text("high"))
        let configuration = try settings.configuration()
        #expect(configuration.sensitivity == .high && configuration.sensitivities.isEmpty)

        // Settings that a system's file locks stay.
        var locked = Settings()
        let system = try document("locked = [\"sensitivity\"]\n[sensitivity]\nthumbsUp = \"low\"")
        try locked.apply(system, place: .systemFile)
        try locked.lock(by: system)
        try locked.set("recognition.sensitivity", to: .text("high"))
        #expect(try locked.configuration().sensitivities == [.thumbsUp: .low])
    }

    /// A plan's style is overridden by locked settings, in the command line, a review and the library, and by nothing
    /// else.
    @Test func locksOverrideAPlansStyle() throws {
        var settings = Settings()
        let system = try document("locked = [\"effects.calm\"]\n[effects]\ncalm = true\nintensity = 0.3")
        try settings.apply(system, place: .systemFile)
        var style = ReactionPlan.Style()
        (style.look.intensity, style.seed) = (0.5, 7)
        #expect(try settings.configuration().held(style) == style)
        try settings.lock(by: system)
        let held = try settings.configuration().held(style)
        style.look.isCalm = true
        #expect(held == style)
    }

    /// Effects on the whole video that a plan does not name are as configured.
    @Test func aPlanOverridesTheConfiguredVideoEffects() throws {
        var configuration = Configuration()
        configuration.videoEffects = VideoEffects(portrait: 0.2, studioLight: 0.3)
        _ = configuration.adopt(ReactionPlan.Style())
        #expect(configuration.videoEffects == VideoEffects(portrait: 0.2, studioLight: 0.3))
        var style = ReactionPlan.Style()
        style.portrait = 0
        _ = configuration.adopt(style)
        #expect(configuration.videoEffects == VideoEffects(portrait: 0, studioLight: 0.3))

        style.studioLight = 0.9
        let changed = try style.changed { configuration throws(FlourishError) in
            configuration.videoEffects.studioLight = 0.5
        }
        #expect(changed.portrait == 0 && changed.studioLight == 0.5)

        var settings = Settings()
        let system = try document("locked = [\"effects.portrait\"]\n[effects]\nportrait = 0.6")
        try settings.apply(system, place: .systemFile)
        try settings.lock(by: system)
        #expect(try settings.configuration().held(style).portrait == 0.6)
    }

    /// A lock without a value prevents users from choosing another codec; it chooses none.
    @Test func locksWithoutAValueChooseNoCodec() throws {
        for (output, codec) in [("out.mp4", EncodingOptions.Codec.h264), ("out.webm", .vp9)] {
            var settings = Settings()
            let system = try document("locked = [\"encoding\"]")
            try settings.apply(system, place: .systemFile)
            try settings.lock(by: system)
            settings.chooseCodec(for: output)
            let encoding = try settings.configuration().encoding
            #expect(encoding.codec == codec && !encoding.namesCodec)
            #expect(throws: FlourishError.self) { try settings.set("encoding.codec", to: .text("av1")) }
        }
    }

    /// The combined effect of the rules of single settings for a stronger place and a weaker one.
    @Test func rulesResolveConflicts() {
        func givingWay(to name: String, changed: Bool = true) -> Set<String> {
            let stronger = SettingKey.named(name)!
            return Set(
                SettingKey.all.filter { $0.yields(to: stronger, changed: changed) }.map { String($0.shortName) })
        }
        let ofRate: Set = ["bitrate", "max-bitrate", "max-frame-qp", "max-frame-qp-effects"]
        #expect(givingWay(to: "encoding.crf") == ofRate && givingWay(to: "encoding.effect-bits") == ofRate)
        #expect(givingWay(to: "encoding.bitrate") == ["crf", "effect-bits", "max-bitrate"])
        #expect(givingWay(to: "encoding.max-bitrate") == ["crf", "effect-bits"])
        #expect(givingWay(to: "encoding.max-frame-qp") == ["crf", "effect-bits", "max-frame-qp-effects"])
        #expect(givingWay(to: "encoding.max-frame-qp-effects") == ["crf", "effect-bits"])
        #expect(
            givingWay(to: "encoding.codec")
                == ["crf", "preset", "protect-face", "max-frame-qp", "max-frame-qp-effects"])
        #expect(givingWay(to: "encoding.codec", changed: false).isEmpty)
        #expect(givingWay(to: "output.progress") == ["quiet"] && givingWay(to: "output.quiet").isEmpty)
        #expect(givingWay(to: "recognition.hold").isEmpty)
    }

    @Test func rulesDetectContradictions() {
        func fault(_ change: (inout EncodingOptions) -> Void) -> String? {
            var configuration = Configuration()
            change(&configuration.encoding)
            return configuration.faults.first?.message
        }
        #expect(
            fault {
                $0.crf = 20; $0.bitrate = 2_000_000
            } == "crf and bitrate cannot be combined; use one")
        #expect(fault { $0.crf = 60 } == "crf must be between 0 and 51 for h264, not 60")
        #expect(
            fault {
                $0.crf = 60; $0.codec = .av1
            } == nil)
        #expect(fault { $0.maxBitrate = 2_000_000 } == "max-bitrate requires bitrate; give both")
        #expect(
            fault {
                $0.bitrate = 2_000_000; $0.maxBitrate = 1_000_000
            }
                == "max-bitrate, 1000000, must not be below bitrate, 2000000")
        #expect(fault { $0.maxFrameQP = 30 } == "max-frame-qp requires bitrate; for constant quality, use a lower crf")
        #expect(
            fault {
                $0.bitrate = 2_000_000; $0.maxFrameQP = 30; $0.codec = .vp9
            }
                == "max-frame-qp is for h264, not vp9")
        #expect(
            fault {
                $0.protectsFaces = true; $0.codec = .av1
            } == "protect-face is for h264 and hevc, not av1")
        #expect(
            fault {
                $0.protectsFaces = false; $0.codec = .av1
            } == nil)
    }

    @Test func rulesNameExistingSettings() {
        for key in SettingKey.all {
            for rule in key.rules {
                switch rule {
                case .excludes(let name), .needs(let name, _), .notBelow(let name), .isShortFor(let name):
                    #expect(SettingKey.named(name)?.table == key.table, "\(key.name)")
                case .yields(let name), .idle(let name, _): #expect(SettingKey.named(name) != nil, "\(key.name)")
                case .codecs, .isCodecsOwn, .atMost, .isPreset, .isPixelFormat: break
                }
            }
        }
    }

    @Test func lockedTablesCoverLearnedGestures() throws {
        var settings = Settings()
        let system = try document("locked = [\"bindings\"]\n[bindings]\nwave = \"rain\"")
        try settings.apply(system, place: .systemFile)
        try settings.lock(by: system)
        for name in ["bindings.wave", "bindings.nod"] {
            #expect(throws: FlourishError.self) { try settings.set(name, to: .text("heart")) }
        }
        #expect(settings["bindings.wave"]?.value == .text("rain"))
        // Beside the other bindings, as in a file.
        let tables = settings.entries.map(\.key.table)
        #expect(tables.firstIndex(of: "bindings")! + 10 == tables.lastIndex(of: "bindings")! + 1)
    }

    @Test func sensitivitiesMatchTheStateMachine() throws {
        let document = try SettingsDocument(
            path: "a.toml",
            bytes: Array(
                "[recognition]\nsensitivity = \"low\"\n[sensitivity]\nthumbsUp = \"high\"\nwave = \"normal\"".utf8))
        var settings = Settings()
        try settings.apply(document, place: .userFile)
        #expect(settings.warnings.isEmpty)
        // Beside the others, as in a file.
        let tables = settings.entries.map(\.key.table)
        #expect(tables.firstIndex(of: "sensitivity")! + 9 == tables.lastIndex(of: "sensitivity")! + 1)

        var configuration = Configuration()
        for entry in settings.entries { try entry.key.write(entry.value, &configuration) }
        #expect(configuration.sensitivity == .low)
        let wave = try #require(ReactionGesture(rawValue: "wave"))
        #expect(configuration.sensitivities == [.thumbsUp: .high, wave: .normal])

        // The setting reaches the state machine.
        func changes(_ change: (inout Configuration) -> Void) -> Bool {
            var other = Configuration()
            change(&other)
            return other.rules(learned: []) != Configuration().rules(learned: [])
        }
        #expect(changes { $0.sensitivity = .high })
        #expect(changes { $0.sensitivities[.heart] = .low })
        #expect(!changes { $0.sensitivities[wave] = .low }, "it was never learned")

        #expect(throws: FlourishError.self) { try settings.set("sensitivity.victory", to: .text("highest")) }
    }

    @Test func invalidConfigurationsAreRefused() async {
        func refused(_ change: (inout Configuration) -> Void) -> Bool {
            var configuration = Configuration()
            change(&configuration)
            do { try configuration.validate() } catch { return error.code == .usage }
            return false
        }
        for hold in [.nan, -1, .infinity, 10.5] { #expect(refused { $0.hold = hold }) }
        for cooldown in [.nan, -0.1, .infinity] { #expect(refused { $0.cooldown = cooldown }) }
        #expect(refused { $0.encoding.crf = .nan })
        #expect(refused { $0.encoding.bitrate = -5 })
        #expect(refused { $0.scheduledReactions = [ScheduledReaction(.heart, at: .nan)] })
        #expect(refused { $0.scheduledReactions = [ScheduledReaction(.heart, origin: PicturePoint(x: 2, y: .nan))] })
        #expect(!refused { $0.hold = 0 })

        var configuration = Configuration()
        configuration.hold = .nan
        await #expect(throws: FlourishError.self) {
            try await ReactionSession(configuration: configuration).detect("none.mp4")
        }
        await #expect(throws: FlourishError.self) {
            try await Inspector(configuration: configuration).inspect("none.mp4") { _ in }
        }
    }

    @Test func configurationPathsFollowXDG() {
        let plain = SettingsPlaces.located(environment: ["HOME": "/home/me"])
        #expect(plain.userFile == "/home/me/.config/flourish/config.toml")
        #expect(plain.systemFiles == ["/etc/xdg/flourish/config.toml"])
        let moved = SettingsPlaces.located(
            environment: ["HOME": "/home/me", "XDG_CONFIG_HOME": "/c", "XDG_CONFIG_DIRS": "/a:relative:/b"])
        #expect(moved.userFile == "/c/flourish/config.toml")
        #expect(moved.systemFiles == ["/a/flourish/config.toml", "/b/flourish/config.toml"])
        #expect(SettingsPlaces.located(environment: ["XDG_CONFIG_HOME": "relative"]).userFile == nil)
    }

    @Test func keysReportTheirLines() {
        let lines = KeyLines("a = 1\n[t]\r\n b.c = 2\n# d = 3\n[ t . \"u\" ]\ne= {f = 4}\n")
        #expect(lines.line(of: ["a"]) == 1 && lines.line(of: ["t", "b", "c"]) == 3)
        #expect(lines.line(of: ["t", "u", "e", "f"]) == 6 && lines.line(of: ["d"]) == nil)
    }
}
