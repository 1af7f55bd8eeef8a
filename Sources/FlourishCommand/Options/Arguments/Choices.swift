/// What shells offer for options that take more than that.
enum Choices {
    /// Those of x264 and x265; the other encoders' are numbers.
    static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]
    static let pixelFormats = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "nv12"]
    static let inputFormats = ["nut", "matroska", "mpegts", "flv", "yuv4mpegpipe", "rawvideo", "mp4"]
    static let outputFormats = ["nut", "matroska", "mpegts", "flv", "yuv4mpegpipe", "rawvideo", "webm", "mp4", "mov"]
}
