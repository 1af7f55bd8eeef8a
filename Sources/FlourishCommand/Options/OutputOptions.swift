import ArgumentParser
import Flourish

/// How outputs are treated.
struct OutputOptions: ParsableArguments {
    @Flag(
        name: [.long, .customShort("y")], inversion: .prefixedNo,
        help: .setting("output.overwrite"))
    var overwrite: Bool?

    func apply(to settings: inout Settings) throws(FlourishError) {
        try settings.set("output.overwrite", overwrite.map { .flag($0) })
    }
}
