/** The shells that `heddle completion` knows. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const isShell = (name: string): name is Shell => (SHELLS as readonly string[]).includes(name);

/**
 * The script for a shell. It holds no list: it asks `heddle completion words` for each word, which answers with lines of
 * `VALUE<TAB>DESCRIPTION`, or with `:files` or `:directories`, so that an upgrade needs no new script.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of heddle for bash: eval "$(heddle completion bash)"
_heddle() {
  # bash splits words at = and :, so they are put together again where no blank stands between.
  local line=$COMP_LINE piece at word=
  local -a words=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    piece=\${COMP_WORDS[at]}
    if [[ $at -gt 0 && $line != [[:space:]]* && -n $piece ]]; then
      word+=$piece
    else
      ((at > 0)) && words+=("$word")
      word=$piece
    fi
    line=\${line#"\${line%%[![:space:]]*}"}
    line=\${line#"$piece"}
  done
  words+=("$word")
  local last=\${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  local lead=\${word%"$last"} value text
  local -a texts=()
  COMPREPLY=()
  while IFS=$'\\t' read -r value text; do
    case $value in
      :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$last"); return ;;
      :directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$last"); return ;;
    esac
    [[ $value == "$word"* ]] || continue
    [[ $value == */ ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("\${value#"$lead"}")
    texts+=("$text")
  done < <("\${words[0]}" completion words -- "\${words[@]:1}" 2>/dev/null)
  compopt -o nosort 2>/dev/null
  # Only a list can show descriptions: what is listed is not inserted.
  if ((COMP_TYPE == 63 && \${#COMPREPLY[@]} > 1)); then
    for at in "\${!COMPREPLY[@]}"; do
      [[ -n \${texts[at]} ]] && COMPREPLY[at]+="  (\${texts[at]})"
    done
  fi
}
complete -F _heddle heddle
`,
  zsh: `#compdef heddle
# Completion of heddle for zsh: source <(heddle completion zsh), after compinit
_heddle() {
  local line value text
  local -a values shown
  while IFS=$'\\t' read -r value text; do
    case $value in
      :files) _files; return ;;
      :directories) _files -/; return ;;
    esac
    values+=("$value")
    shown+=("\${value}\${text:+  -- $text}")
  done < <("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)words[CURRENT]}" 2>/dev/null)
  ((\${#values})) || return 1
  local -a open=(\${(M)values:#*/})
  if ((\${#open})) && [[ $PREFIX != */* ]]; then
    compadd -l -V heddle-open -S '' -d open -a open
    local -a whole=(\${values:#*/}) wholeShown=(\${shown:#*/  -- *})
    compadd -l -V heddle -d wholeShown -a whole
  else
    compadd -l -V heddle -d shown -a values
  fi
}
# From a directory of fpath this file is the function itself.
if [[ \${funcstack[1]} == _heddle ]]; then _heddle; else compdef _heddle heddle; fi
`,
  fish: `# Completion of heddle for fish: heddle completion fish | source
function __heddle_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] completion words -- $words[2..-1] $word 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $word
            case ':directories'
                __fish_complete_directories $word ''
            case '*'
                echo $line
        end
    end
end
complete -c heddle -f -k -a '(__heddle_complete)'
`,
};
