/** Shells whose language is close enough to bash to be read as such. */
export const BASH_LIKE: ReadonlySet<string> = words('sh bash dash ash rbash');
export const SHELLS: ReadonlySet<string> = words('sh bash dash ash rbash zsh ksh mksh fish csh tcsh pwsh elvish nu');

/**
 * Programs that run a script, or code in one word. The name is without a version such as the `3.11` of `python3.11`.
 */
export const INTERPRETERS: ReadonlySet<string> = words(
  'python pypy perl ruby irb node nodejs deno bun tsx ts-node php lua luajit awk gawk mawk nawk sed tclsh wish expect ' +
    'osascript rscript r julia groovy scala ghc runghc guile racket sbcl octave gnuplot elixir erl raku qjs jshell ocaml',
);

/** Programs that may run code, or a whole command line, from one word; shells are analyzed instead. */
export const CODE_RUNNERS: ReadonlySet<string> = new Set([
  ...INTERPRETERS,
  ...words(
    'ssh parallel fd tar git make gmake vim vi nvim ex ed emacs gdb lldb tmux screen systemd-run npx npm pnpm yarn bunx ' +
      'crontab docker podman kubectl nix-shell entr nodemon concurrently hyperfine just task psql mysql sqlite3 rsync ' +
      'split man m4 zip scp sftp dc socat apt apt-get',
  ),
]);

/** Programs whose first word is a subcommand. It does not start a program of the same name. */
export const SUBCOMMAND_PROGRAMS: ReadonlySet<string> = words('git docker podman kubectl npm cargo brew svn hg gh');

/** Programs and builtins that start no other program, whatever words they are given. */
export const DATA_PROGRAMS: ReadonlySet<string> = words(
  '[ test : true false echo printf cat tac head tail wc ls dir pwd cd pushd popd dirs whoami id groups uname basename ' +
    'dirname which whereis tr du df realpath readlink stat file cmp uniq cut nl rev grep egrep fgrep sleep date mkdir ' +
    'rmdir rm touch chmod chown chgrp tee kill pkill killall jq seq expr yes diff comm join paste fold fmt md5sum ' +
    'sha1sum sha256sum sha512sum b2sum cksum sum base64 base32 od xxd hexdump strings column printenv hostname ps ' +
    'pgrep exit return break continue shift export unset readonly local declare typeset umask ulimit wait jobs read ' +
    'getopts truncate mktemp sync arch nproc free uptime tput clear logger shred unlink mkfifo lsof bc',
);

/** Variables whose content a shell eventually runs as code. */
export const CODE_VARIABLES = /^(?:PS\d|PROMPT_COMMAND|BASH_ENV|ENV|SHELLOPTS|BASHOPTS)$/;
/** Variables that tell programs what to run. */
export const COMMAND_VARIABLES =
  /PAGER|EDITOR|VISUAL|BROWSER|COMMAND|SHELL|ASKPASS|WRAPPER|RUNNER|_RSH$|^GIT_|^LD_|^DYLD_|^LESS|OPT$|OPTIONS$|^PYTHON|^PERL5|^MAKEFLAGS$/i;

export function programBase(name: string): string {
  return name.replace(/(?<=[a-z])[\d.]+$/, '');
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
