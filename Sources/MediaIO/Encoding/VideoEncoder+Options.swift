extension VideoEncoder {
    /// The encoder's options by FFmpeg's names.
    ///
    /// - Parameter width: The coded pictures' width.
    func encoderOptions(_ encoder: String, width: Int) -> [String: String] {
        var options: [String: String]
        switch encoder {
        case _ where settings.transparency != nil:
            options = settings.transparency!.options
        case "libx264":
            options = ["preset": settings.preset ?? "veryfast", "forced-idr": "1"]
            options["crf"] = quality
            // Regions need adaptive quantisation, which the quickest preset leaves out.
            if settings.usesRegions, settings.preset == "ultrafast" { options["aq-mode"] = "1" }
        case "libx265":
            // Its log would go to stderr past FFmpeg's.
            options = ["preset": settings.preset ?? "veryfast", "forced-idr": "1"]
            var parameters = "log-level=none"
            if settings.threads > 0 { parameters += ":pools=\(settings.threads)" }
            if settings.usesRegions, settings.preset == "ultrafast" { parameters += ":aq-mode=1" }
            // Its vector code for this writes past the end of the rows of smaller pictures, and the program dies
            // (measured with 3.5, at widths from 34 to 48).
            if width < 64 { parameters += ":cutree=0" }
            options["x265-params"] = parameters
            options["crf"] = quality
        case "libvpx-vp9":
            options = ["deadline": "good", "cpu-used": settings.preset ?? "6", "row-mt": "1"]
            options["crf"] = quality
            if settings.bitRate == nil { options["b"] = "0" }
        case "libsvtav1":
            options = ["preset": settings.preset ?? "10"]
            options["crf"] = quality
        case "libaom-av1":
            // Presets beyond the encoder's own are SVT-AV1's, for which it stands in.
            let speed = min(8, settings.preset.flatMap { Int($0) } ?? 8)
            options = ["cpu-used": String(speed), "row-mt": "1", "usage": speed == 8 ? "realtime" : "good"]
            options["crf"] = quality
            if settings.bitRate == nil { options["b"] = "0" }
        default:
            options = [:]
        }
        if settings.embedsMessages, encoder == "libx264" || encoder == "libx265" { options["udu_sei"] = "1" }
        if settings.isLowLatency { options.merge(Self.lowLatency(encoder)) { $1 } }
        settings.spliced?.add(to: &options, encoder: encoder, crf: settings.usedCRF)
        options.merge(settings.extraOptions) { $1 }
        return options
    }

    /// The presets that an encoder knows: checked here because the encoders complain to stderr by themselves.
    static func presets(of encoder: String) -> [String] {
        switch encoder {
        case "libx264", "libx265":
            ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"]
        case "libvpx-vp9": (0...8).map(String.init)
        case "libsvtav1": (0...13).map(String.init)
        case "libaom-av1": (0...13).map(String.init)
        default: []
        }
    }

    /// What makes an encoder give each picture back at once.
    private static func lowLatency(_ encoder: String) -> [String: String] {
        switch encoder {
        case "libx264", "libx265": ["tune": "zerolatency"]
        case "libvpx-vp9": ["deadline": "realtime", "lag-in-frames": "0"]
        case "libaom-av1": ["usage": "realtime", "lag-in-frames": "0"]
        case "libsvtav1": ["svtav1-params": "pred-struct=1"]
        default: [:]
        }
    }

    private var quality: String? {
        settings.crf != nil || settings.bitRate == nil ? Self.plain(settings.usedCRF) : nil
    }

    /// Without ".0", since some encoders take whole numbers only.
    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : String(value)
    }
}
