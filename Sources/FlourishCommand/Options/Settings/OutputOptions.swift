import ArgumentParser
import Flourish

/// How outputs are treated.
struct OutputOptions: SettingArguments {
    @Flag(setting: "output.overwrite")
    var overwrite: Bool?

    var values: KeyValuePairs<String, SettingValue?> { ["output.overwrite": overwrite.map { .flag($0) }] }
}
