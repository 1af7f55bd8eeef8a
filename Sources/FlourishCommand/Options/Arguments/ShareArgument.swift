import ArgumentParser
import Flourish

/// `2/4`
struct ShareArgument: ExpressibleByArgument {
    let share: ScanShare

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], let share = ScanShare(number, of: count)
        else { return nil }
        self.share = share
    }
}
