import type { Word } from './shell-script.ts';

/**
 * Whether setting a variable can change what programs run, or the value itself may be run. Variables are distinguished by
 * the family of programs that act on them; any other is a plain one, unless its value is more than plain words.
 */
export function isActedOn(name: string, value: Word): boolean {
  if (holdsCommand(name) || isHarmlessChoice(name, value)) return false;
  return FAMILIES.some((family) => family.test(name)) || !isPlainValue(value);
}

/** Variables whose value is a command: it is read like one. */
export function holdsCommand(name: string): boolean {
  return /^(?:CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|FC|F77|YACC|LEX|HOSTCC|HOSTCXX)$/.test(name);
}

/** Values that switch something off. */
function isHarmlessChoice(name: string, value: Word): boolean {
  return typeof value === 'string' && HARMLESS_CHOICES.test(`${name}=${value}`);
}

const HARMLESS_CHOICES =
  /^(?:(?:GIT_|MAN|SYSTEMD_)?PAGER=(?:cat)?|(?:GIT_|GIT_SEQUENCE_)?EDITOR=(?:true|:)|VISUAL=(?:true|:)|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS)=0|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|UTF8|FAULTHANDLER)=[01]|PIP_(?:NO_INPUT|DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR)=1|NPM_CONFIG_(?:LOGLEVEL|FUND|AUDIT|PROGRESS)=\w+|npm_config_(?:loglevel|fund|audit|progress)=\w+|NODE_NO_WARNINGS=1|GOFLAGS=-mod=(?:mod|vendor|readonly)|CGO_ENABLED=[01]|GO(?:OS|ARCH)=\w+|RUSTFLAGS=-D ?warnings|CARGO_(?:NET_OFFLINE|INCREMENTAL)=\w+|DOTNET_CLI_TELEMETRY_OPTOUT=1|COMPOSE_PROJECT_NAME=[\w-]+|KUBE_NAMESPACE=[\w-]+|MAKEFLAGS=-j ?\d+|(?:C|CXX|LD)FLAGS=(?:-[OgWD][\w=+-]*(?: |$))*|LESS=-?[FRXSi]*)$/;

/** The variables that a family of programs acts on. */
const FAMILIES: readonly RegExp[] = [
  // shells
  /^(?:PATH|IFS|CDPATH|ENV|FPATH|PS\d|PROMPT_COMMAND|PROMPT_DIRTRIM|SHELL|SHELLOPTS|GLOBIGNORE|EXECIGNORE|FIGNORE|HOME|PWD|OLDPWD|TMPDIR|TERMINFO.*|TERMCAP|FUNCNEST|COMP_\w+|READLINE_\w+|INPUTRC|HISTFILE|MAIL\w*|ZDOTDIR|KSH\w*|POSIXLY_CORRECT|TIMEFORMAT|auto_resume|histchars|DIRSTACK|BASHPID|RANDOM|SECONDS|OPTARG|OPTIND|REPLY)$/,
  /^(?:BASH|ZSH|FISH)/,
  // loaders
  /^(?:LD_|DYLD_|_RLD|LIBPATH$|SHLIB_PATH$|GCONV_PATH$|NLSPATH$|LOCPATH$|GETCONF_DIR$|MALLOC_|GLIBC_TUNABLES$|RES_OPTIONS$|HOSTALIASES$|LOCALDOMAIN$|TZDIR$|ASAN_|UBSAN_|LSAN_|TSAN_)/,
  // interpreters
  /^(?:NODE_(?!ENV$)|NPM_|npm_|YARN_|PNPM_|BUN_|DENO_|TS_NODE_|TSX_|COREPACK_|BABEL_|JITI_|ESM_)/,
  /^(?:PYTHON|PYENV|PIP_|VIRTUAL_ENV|CONDA|UV_|POETRY_|PDM_|PIPENV|PYTEST_|IPYTHON|JUPYTER|DJANGO_SETTINGS)/,
  /^(?:PERL|RUBY|GEM_|BUNDLE_|RBENV|RAKE|RAILS_TEMPLATE|PHP|COMPOSER|LUA|TCL|GUILE|JULIA_|R_|RSCRIPT|OCAML|ERL_|ELIXIR_|MIX_|ELM_|GHC|STACK_|CABAL_|AWK|GAWK|SED_)/,
  /^(?:JAVA|JDK_|_JAVA|CLASSPATH$|MAVEN_|MVN|GRADLE_|SBT_|ANT_|KOTLIN|SCALA|GROOVY|DOTNET_|CORECLR_|COR_|COMPlus_|MONO_)/i,
  // pagers, editors, browsers, questions
  /(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|COMMAND|WRAPPER|RUNNER|LAUNCHER|SHELL|_RSH|_SSH|_EXEC|_PROG|_CMD|OPTS?|OPTIONS|FLAGS|HOOKS?|PLUGINS?|PRELOAD|_RC|_BIN|_HOME|_CONFIG_GLOBAL|_CONFIG_FILE)$/i,
  /^(?:LESS|MORE|MANPATH$|MAN|GROFF|BAT_|DELTA_|EXINIT$|VIM|NVIM|EMACS|XDG_|DISPLAY$|WAYLAND_|DBUS_)/,
  // git, ssh, network
  /^(?:GIT|SSH|SVN_|HG|CVS|BZR|GH_|GITHUB_(?:PATH|ENV)$|RSYNC|CURL|WGET|OPENSSL|SSL_|GNUPG|GPG|KRB5|PKCS11|P11_|NETRC$|SUDO|DOAS|SYSTEMD_|TMUX|STY$|SCREEN)/i,
  // compilers and build tools
  /^(?:CPATH|LIBRARY_PATH|COMPILER_PATH|GCC\w*|C_INCLUDE_PATH|CPLUS_INCLUDE_PATH|MAKE\w*|MFLAGS|GNUMAKEFLAGS|CMAKE\w*|NINJA\w*|CTEST\w*|PKG_CONFIG\w*|ACLOCAL\w*|AUTO\w*|M4\w*|LIBTOOL\w*|INSTALL|CCACHE\w*|SCCACHE\w*|DISTCC\w*|BAZEL\w*|MESON\w*|SCONS\w*|TAR_\w*|TAPE|GZIP|BZIP2?|XZ_\w*|ZIPOPT|UNZIP|ZSTD_\w*|QUILT_\w*|PATCH_\w*|VERSION_CONTROL|SIMPLE_BACKUP_SUFFIX)$/,
  /^(?:GO(?:FLAGS|ENV|TOOLCHAIN|TOOLDIR|ROOT|PATH|BIN|PROXY|PRIVATE|SUMDB|NOSUMCHECK|VCS|EXPERIMENT|_EXTLINK_ENABLED|CACHE|WORK)$|CGO_|RUST(?!_BACKTRACE$|_LOG$)|CARGO(?!_TERM_)|SWIFT|ZIG|NIM)/,
  // containers, clusters, clouds
  /^(?:DOCKER_(?!BUILDKIT$)|BUILDX?_|COMPOSE_|CONTAINER|PODMAN|KUBE|HELM|MINIKUBE|VAGRANT|ANSIBLE|TF_CLI|TERRAFORM|PULUMI|AWS_(?!REGION$|DEFAULT_REGION$|PROFILE$)|GCLOUD|CLOUDSDK|AZURE_|FZF|RIPGREP|EXA_|LS_COLORS$|GREP_|JQ_|PGSERVICE|PGPASS|PGSYSCONF|PSQL|MYSQL|SQLITE|REDISCLI)/,
];

/** One path or plain words, in which a shell would see nothing else. A list of URLs may have more. */
function isPlainValue(value: Word): boolean {
  // To its reader a value that is filled in is text; the families hold the names of those who would run it.
  if (typeof value !== 'string') return true;
  return /^[\w@%+=:,./ ^-]*$/.test(value) || /^[a-z][a-z0-9+.-]*:\/\/[^\s;|$()`'"<>\\{}*[\]]*$/i.test(value);
}

/** Variables that change how a program prints, not what it runs. */
const HARMLESS_VARIABLES = /^(?:CI|NODE_ENV|TZ|LC_ALL|LANG|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|TERM|RUST_BACKTRACE)$/;

export function isHarmlessVariable(name: string, value: Word): boolean {
  return HARMLESS_VARIABLES.test(name) && typeof value === 'string' && /^[\w.@:+-]*$/.test(value);
}
