// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

const bashCompletion = `# bash completion for schedconf
_schedconf() {
  local cur="${COMP_WORDS[COMP_CWORD]}" words=("${COMP_WORDS[@]:0:COMP_CWORD}")
  [[ "$cur" == -* ]] && words+=("$cur")
  COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
}
complete -o bashdefault -o default -F _schedconf schedconf
`

const zshCompletion = `#compdef schedconf
_schedconf() {
  local cur="${words[CURRENT]}"
  local -a call opts
  call=("${words[@]:0:$((CURRENT-1))}")
  [[ "$cur" == -* ]] && call+=("$cur")
  opts=("${(@f)$("${call[@]}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n "${opts[1]}" ]]; then _describe 'values' opts; else _files; fi
}
compdef _schedconf schedconf
`

// kubectlCompletion speaks to kubectl as the plugin's own completion would: a line for each choice, and last
// what else may be completed; 0 is files, where there is no choice, and 4 is none.
const kubectlCompletion = `#!/bin/sh
# Completion of "kubectl schedconf": an executable kubectl_complete-schedconf in $PATH.
for word; do :; done
case "$word" in
-*) ;;
*) # The word that is being typed is no flag: the program completes what stands before it.
	count=$#
	for arg; do
		[ "$count" -gt 1 ] && set -- "$@" "$arg"
		shift
		count=$((count - 1))
	done ;;
esac
kubectl-schedconf "$@" --generate-bash-completion 2>/dev/null | while IFS= read -r choice; do
	case "$choice" in "$word"*) printf '%s\n' "$choice" ;; esac
done
echo :0
`

func (p *program) completion() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and flags in a shell",
		ArgsUsage: "bash|zsh|fish|kubectl",
		Description: `Load it with "source <(schedconf completion bash)", or with the shell's own folder for such scripts.
For kubectl it is an executable kubectl_complete-schedconf in $PATH, beside kubectl-schedconf.

EXAMPLES:
   schedconf completion bash > schedconf.bash
   schedconf completion fish > schedconf.fish
`,
		Action: func(c *cli.Context) error {
			script := ""
			switch shell := c.Args().First(); {
			case c.NArg() != 1:
				return usage(c, "name one shell: bash, zsh, fish or kubectl")
			case shell == "bash":
				script = bashCompletion
			case shell == "zsh":
				script = zshCompletion
			case shell == "fish":
				var err error
				if script, err = c.App.ToFishCompletion(); err != nil {
					return fmt.Errorf("completion for fish: %w", err)
				}
			case shell == "kubectl":
				script = kubectlCompletion
			default:
				return usage(c, "no completion for %q: the choices are bash, zsh, fish, kubectl", shell)
			}
			_, err := fmt.Fprint(p.stdout, script)
			return err
		},
	}
}
