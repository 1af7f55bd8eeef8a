import Platform

/// File names that announce a video.
enum RecordingName {
    /// Extensions of cameras, phones, recorders and encoders, in lower case.
    private static let extensions: Set<String> = [
        "3g2", "3gp", "asf", "avi", "divx", "dv", "f4v", "flv", "h264", "h265", "hevc", "insv",
        "ivf", "lrv", "m2ts", "m2v", "m4v", "mjpeg", "mjpg", "mk3d", "mkv", "mov", "mp4", "mpeg",
        "mpg", "mts", "mxf", "nut", "ogv", "qt", "rmvb", "ts", "vob", "webm", "wmv", "wtv",
        "y4m",
    ]

    /// Returns whether the extension of a name is that of a video.
    static func isVideo(_ name: [UInt8]) -> Bool {
        guard let dot = name.lastIndex(of: RawFile.dot), dot > 0,
            let ending = String(validating: name[(dot + 1)...], as: UTF8.self)
        else { return false }
        return extensions.contains(ending.lowercased())
    }
}
