import FoundationEssentials

/// What somebody changes of a plan: some reactions, or the style. Fields that are not named stay.
///
/// As JSON it is a merge patch (RFC 7396) of the style and of each reaction, which is named by its id.
package struct PlanPatch: Sendable, Hashable, Codable {
    /// By id: the fields to change, where `null` removes one; a whole reaction where the id is new; `null` to remove it.
    package var reactions: [String: JSONValue]?
    /// The fields of the style to change.
    package var style: JSONValue?

    package init(reactions: [String: JSONValue]? = nil, style: JSONValue? = nil) {
        self.reactions = reactions
        self.style = style
    }

    /// Reads a patch.
    /// - Throws: ``FlourishError/Code/inputUnusable`` for what is none, with the place of the first fault.
    package init(json: [UInt8]) throws(FlourishError) {
        do { self = try JSONFault.decode(PlanPatch.self, from: json) } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(.inputUnusable, "\(place)\(error.message)")
        }
    }
}

extension ReactionPlan {
    /// The plan with what somebody changed.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` where it would make no sense.
    package func patched(by patch: PlanPatch) throws(FlourishError) -> ReactionPlan {
        guard case .object(var tree) = tree else { return self }
        if let style = patch.style { tree["style"] = (tree["style"] ?? .null).merged(with: style) }
        if let changes = patch.reactions, case .array(var reactions)? = tree["reactions"] {
            for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
                guard let id = Int64(name) else {
                    throw FlourishError(
                        .inputUnusable, "reactions.\(name.prefix(40)): reactions are named by their ids")
                }
                let index = reactions.firstIndex { $0["id"] == .integer(id) }
                switch (change, index) {
                case (.null, let index?): reactions.remove(at: index)
                case (.null, nil): break
                case (.object, let index?): reactions[index] = reactions[index].merged(with: change)
                case (.object, nil):
                    reactions.append(change.merged(with: .object(["id": .integer(id)])))
                default: throw FlourishError(.inputUnusable, "reactions.\(name): must be an object or null")
                }
            }
            tree["reactions"] = .array(reactions)
        }
        return try ReactionPlan(json: Array(JSONLine.encode(JSONValue.object(tree)).utf8), name: name)
    }

    /// The plan in which each reaction can be named: those without an id get one that is free.
    package var numbered: ReactionPlan {
        var plan = self
        var taken = Set(reactions.compactMap(\.id))
        // Above all others, unless the greatest number there is was given.
        let greatest = taken.max() ?? 0
        var next = greatest < .max - reactions.count ? greatest + 1 : 1
        for index in plan.reactions.indices where plan.reactions[index].id == nil {
            while !taken.insert(next).inserted { next += 1 }
            plan.reactions[index].id = next
        }
        return plan
    }

    private var tree: JSONValue {
        (try? JSONDecoder().decode(JSONValue.self, from: Data(JSONLine.encode(self).utf8))) ?? .null
    }
}

extension JSONValue {
    /// A field of an object.
    package subscript(key: String) -> JSONValue? {
        if case .object(let fields) = self { fields[key] } else { nil }
    }

    /// The value with a merge patch applied: https://www.rfc-editor.org/rfc/rfc7396
    package func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var fields: [String: JSONValue] = if case .object(let fields) = self { fields } else { [:] }
        for (key, change) in changes {
            fields[key] = change == .null ? nil : (fields[key] ?? .null).merged(with: change)
        }
        return .object(fields)
    }
}
