import ArgumentParser
import Flourish

/// How much time a frame may take, and what is told of it.
struct LiveOptions: ParsableArguments {
    @Flag(
        help:
            "Put latency first: look for gestures beside the frames' way, encode without looking ahead, and lower quality where the machine is too slow."
    )
    var live = false

    @Flag(
        help:
            "Measure how long frames take: in an event every five seconds, and in a table on the standard error at the end."
    )
    var stats = false

    func apply(to configuration: inout Configuration) {
        configuration.isLive = live
        configuration.measuresLatency = stats
    }
}
