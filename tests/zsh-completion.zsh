# Completes a line for real: a shell on a terminal of its own, which shows its line after the tabulator.
# zsh -f zsh-completion.zsh SCRIPT LINE COMMAND
zmodload zsh/zpty
zpty z TERM=dumb zsh -f -i
zpty -w z "unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; $3; source $1; bindkey '^I' complete-word; show() { print -r -- \"<<\$BUFFER>>\"; }; zle -N show; bindkey '^X' show; echo SET''UP"
zpty -r z out '*SETUP*'
zpty -n -w z "$2"$'\t\x18'
zpty -r z out '*<<*>>*'
print -r -- "${${out##*<<}%%>>*}"
zpty -d z
