extension Settings {
    /// A session's configuration with these settings.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where they contradict each other.
    public func configuration() throws(FlourishError) -> Configuration {
        let (configuration, faults) = checked()
        if let fault = faults.first { throw fault }
        return configuration
    }

    /// The configuration, and everything for which ``configuration()`` refuses it.
    func checked() -> (configuration: Configuration, faults: [FlourishError]) {
        var configuration = Configuration()
        var faults: [FlourishError] = []
        for entry in entries {
            do {
                try entry.key.write(entry.value, &configuration)
            } catch {
                // What options say speaks for itself.
                faults.append(entry.origin.place.isFile ? error.said(at: entry.origin) : error)
            }
        }
        configuration.encoding.namesCodec = namesCodec
        configuration.locks = locks
        for fault in configuration.faults {
            // What files say is named with its line.
            let origins = fault.names.compactMap { self[$0]?.origin }.filter(\.place.isFile)
            let error = FlourishError(.usage, fault.message)
            faults.append(origins.last.map(error.said) ?? error)
        }
        return (
            configuration, faults + idleFaults + gestureFaults(of: configuration) + bindingFaults(of: configuration)
        )
    }

    /// Options that have no effect beside another option: each is given for a purpose. What files set they may repeat.
    private var idleFaults: [FlourishError] {
        entries.filter { $0.origin.place == .option }.flatMap { entry in
            entry.key.rules.compactMap { rule -> FlourishError? in
                guard case .idle(let name, let value) = rule, let other = self[name], other.value == value,
                    other.origin.place == .option
                else { return nil }
                return FlourishError(
                    .usage, "\(entry.origin.text) has no effect beside \(other.origin.text); leave one out")
            }
        }
    }

    /// A file's bindings to reactions that there are not; a session would refuse them, too, but could not name the
    /// file.
    private func bindingFaults(of configuration: Configuration) -> [FlourishError] {
        let bound = entries.filter { $0.key.table == SettingKey.bindingsTable && $0.origin.place.isFile }
        guard !bound.isEmpty,
            let catalog = try? EffectCatalog(resources: configuration.resources ?? .located())
        else { return [] }
        return bound.compactMap { entry -> FlourishError? in
            guard case .text(let name)? = entry.value else { return nil }
            do throws(FlourishError) { try catalog.check([ReactionType(rawValue: name)]) } catch {
                return error.said(at: entry.origin)
            }
            return nil
        }
    }
}

extension FlourishError {
    /// The same, with where it was said.
    func said(at origin: SettingOrigin) -> FlourishError {
        FlourishError(code, "\(origin.text): \(problem)", remedy: remedy)
    }
}
