import ArgumentParser

/// The completion scripts of ArgumentParser with an extension: a first argument that is no command is the input of
/// `filter`.
enum CompletionScripts {
    /// Returns the script that the arguments request; `nil` if they request none.
    static func script(for arguments: some Collection<String>) -> String? {
        var words = arguments.makeIterator()
        guard words.next() == "--generate-completion-script", let shell = words.next().flatMap(CompletionShell.init)
        else { return nil }
        let script = FlourishCommand.completionScript(for: shell)
        return switch shell {
        case .bash: bash(script)
        case .zsh: zsh(script)
        case .fish: fish(script)
        default: script
        }
    }

    private static var commands: String {
        (FlourishCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
            .joined(separator: " ")
    }

    private static func bash(_ script: String) -> String {
        """
        \(script)

        # The command is optional; the default is filter.
        _flourish_or_filter() {
            local word="${COMP_WORDS[1]}"
            if [[ "${COMP_CWORD}" -eq 1 && "${word}" != -* ]]; then
                _flourish "${@}"
                local file
                while IFS='' read -r file; do
                    COMPREPLY+=("${file}")
                done < <(compgen -f -- "${2}")
                return
            fi
            if [[ " \(commands) " != *" ${word} "* ]]; then
                COMP_WORDS=("${COMP_WORDS[0]}" filter "${COMP_WORDS[@]:1}")
                COMP_CWORD=$((COMP_CWORD + 1))
            fi
            _flourish "${@}"
        }

        complete -o filenames -F _flourish_or_filter flourish

        """
    }

    private static func zsh(_ script: String) -> String {
        let function = "\n_flourish() {"
        guard let place = script.firstRange(of: function) else { return script }
        let wrapper = """

            # The command is optional; the default is filter.
            _flourish() {
                local -i ret=1
                if (( CURRENT == 2 )) && [[ "${words[2]}" != -* ]]; then
                    _flourish_commands "${@}" && ret=0
                    _files && ret=0
                    return ret
                fi
                if [[ " \(commands) " != *" ${words[2]} "* ]]; then
                    words=("${words[1]}" filter "${(@)words[2,-1]}")
                    (( CURRENT++ ))
                fi
                _flourish_commands "${@}"
            }

            """
        var complete = script
        complete.replaceSubrange(place, with: wrapper + "\n_flourish_commands() {")
        return complete
    }

    private static func fish(_ script: String) -> String {
        let (options, choice) = (
            "        __flourish_parse_subcommand 0 'version' 'h/help'\n", "        switch $unparsed_tokens[1]\n"
        )
        // The first match is in the part for the program itself, which precedes the parts for its commands.
        guard let place = script.firstRange(of: options + choice) else { return script }
        let choosing = """
                    # The command is optional; the default is filter.
                    if test (count $unparsed_tokens) -gt 0; and not contains -- "$unparsed_tokens[1]" \(commands)
                        set -p unparsed_tokens filter
                    end

            """
        var complete = script
        complete.replaceSubrange(place, with: options + choosing + choice)
        // Fish 3 knows the position of the cursor in a word only in interactive shells, but the text before it in all.
        complete = complete.replacing("(__flourish_tokens -tC)", with: "(string length -- \"$(commandline -ct)\")")
        return complete + """

            complete -c 'flourish' -n '__flourish_should_offer_completions_for_positional "flourish" -eq 1' -F

            """
    }
}
