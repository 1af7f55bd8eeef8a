import Effects

extension BatchRequest {
    /// A hash of everything beside the recording that an output depends on.
    ///
    /// - Parameters:
    ///   - text: ``settingsText``, which takes some milliseconds.
    ///   - plan: the plan's text, where there is one.
    ///   - style: how it looks.
    static func settingsHash(_ text: String, plan: [UInt8]? = nil, style: ReactionPlan.Style? = nil) -> String {
        var hash = ContentHash()
        hash.add(text.utf8)
        if let plan {
            hash.add(plan)
            hash.add("\(style?.look ?? ReactionStyle()) \(style?.seed ?? 0)".utf8)
        }
        return hash.text
    }

    /// Everything beside the recording and its plan that an output depends on, the same in every process.
    var settingsText: String { "product = \(product.rawValue)\n" + configuration.settingsText }
}
