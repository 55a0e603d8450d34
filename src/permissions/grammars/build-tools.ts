import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown } from './grammar.ts';
import { isRunnableFile } from './inner-code.ts';

const MAKE =
  'B,always-make C,directory=at d debug=?text e,environment-overrides f,file,makefile=script i,ignore-errors j,jobs=?text k,keep-going l,load-average=?text n,just-print,dry-run,recon o,old-file=text O,output-sync=?text p,print-data-base q,question r,no-builtin-rules R,no-builtin-variables s,silent,quiet no-silent S,no-keep-going,stop trace v,version w,print-directory no-print-directory W,what-if,new-file,assume-new=text warn-undefined-variables I,include-dir=text !E !eval !t !touch shuffle=?text';
const CARGO =
  'release profile=text p,package=text workspace all exclude=text lib bin=text bins example=text examples test=text tests bench=text benches all-targets F,features=text all-features no-default-features target=text target-dir=out manifest-path=script j,jobs=text keep-going v,verbose q,quiet color=text message-format=text locked offline frozen no-run no-fail-fast doc open^ no-deps document-private-items fix allow-dirty allow-staged allow-no-vcs check dev build d,dev-only vers=text version=text git=text branch=text tag=text rev=text path=text root=out f,force list lib-only edition=text name=text vcs=text registry=text dry-run no-verify e,edges=text i,invert=text prefix=text depth=text format-version=text filter-platform=text no-dedupe duplicates aggressive precise=text recursive optional default-features rename=text all-fmt !config !Z !C';
const CARGO_COMMANDS =
  /^(?:b|build|c|check|t|test|r|run|bench|clippy|fmt|doc|d|clean|update|add|remove|rm|tree|metadata|fetch|install|uninstall|new|init|search|publish|package|generate-lockfile|locate-project|pkgid|verify-project|vendor|version|help|login|owner|yank|nextest|audit|outdated|expand|llvm-cov|tarpaulin|deny|machete|udeps|sort)$/;
const GO =
  'a n v x race msan asan cover json short failfast u d t i m work trimpath benchmem list=text compiler=text buildmode=text buildvcs=text mod=text modcacherw p=text pkgdir=out tags=text o=out run=text skip=text bench=text benchtime=text count=text timeout=text parallel=text cpu=text covermode=text coverpkg=text coverprofile=out cpuprofile=out memprofile=out blockprofile=out mutexprofile=out trace=out outputdir=out vet=text fuzz=text fuzztime=text f=text e deps find test export compiled json changed go=text require=text replace=text droprequire=text dropreplace=text fmt print module=text versions retracted shuffle=text fullpath ldflags=text C=at l w s r=text cache testcache modcache i !exec !toolexec !overlay !modfile !gcflags !asmflags !gccgoflags !vettool';
const GO_COMMANDS = /^(?:build|test|run|vet|fmt|mod|get|install|list|version|generate|clean|doc|work|env|help|fix)$/;

/** Compilers, and programs that build by a file of the project. */
export const BUILD_TOOLS: readonly Grammar[] = [
  { names: 'make gmake bmake mingw32-make', options: MAKE, operands: 'text*', more: makeVariables },
  {
    names: 'ninja ninja-build samu',
    options: 'v n h C=at f=script j=text k=text l=text d=text w=text quiet verbose version !t',
    operands: 'text*',
    exact: true,
  },
  { names: 'cmake', read: cmake },
  {
    names: 'ctest',
    options:
      'V,verbose VV,extra-verbose output-on-failure N,show-only=?text j,parallel=text R,tests-regex=text E,exclude-regex=text L,label-regex=text LE,label-exclude=text C,build-config=text test-dir=at rerun-failed stop-on-failure timeout=text repeat=text Q,quiet progress',
    operands: 'never*',
    oneDash: true,
    more: (_argv, found) => found.file('Testing', 'taken'),
  },
  {
    names: 'meson',
    options: 'version',
    operands: 'text any*',
    optionsFirst: true,
    more: (argv, found) => verbs(argv, /^(?:setup|configure|compile|test|install|dist|introspect)$/, found),
  },
  { names: 'cargo', read: cargo },
  { names: 'go', read: go },
  { names: 'cpp', options: 'P C', operands: 'script out', exact: true },
  { names: 'gcc g++ cc c++ c89 c99 clang clang++ gfortran tcc', read: compiler },
  {
    names: 'rustc',
    options:
      'o=out edition=text crate-type=text crate-name=text O g test L=text l=text cfg=text check-cfg=text emit=text print=text target=text W=text A=text D=text F=text cap-lints=text v,verbose V,version h,help explain=text out-dir=out !C !codegen !Z',
    operands: 'in*',
    exact: true,
  },
  {
    names: 'javac',
    options:
      'd=out cp=text classpath=text sourcepath=text source=text target=text release=text encoding=text g nowarn verbose deprecation Werror version parameters',
    operands: 'in*',
    oneDash: true,
    more: (argv, found) =>
      argv.operands.some((word) => typeof word !== 'string' || word.startsWith('@'))
        ? found.doubt('its words may be in another file')
        : undefined,
  },
  { names: 'mvn mvnw mvnd', read: (command, found) => properties(command, MAVEN, found) },
  { names: 'gradle gradlew', read: (command, found) => properties(command, GRADLE, found) },
  neverKnown(
    'ld ld.bfd ld.gold ld.lld gold lld mold as llvm-mc llvm-ml objcopy llvm-objcopy ranlib gcc-ar gcc-nm gcc-ranlib llvm-ar llvm-ranlib llvm-lib nvcc cpack pkgdata mvndebug libtool distcc ccache sccache icecc bear scan-build intercept-build compiledb buck buck2 bazel bazelisk pants please waf scons ant sbt mill lein boot rebar3 stack cabal',
    'its words can name programs and plugins',
  ),
  {
    names: 'rake',
    options:
      'T,tasks=?text A,all D,describe=?text P,prereqs W,where=?text n,dry-run m,multitask j,jobs=?text q,quiet s,silent t,trace=?text v,verbose f,rakefile=script G,no-system N,no-search X,no-deprecation-warnings V,version H,help !e !execute !p !execute-print !E !execute-continue !r !require !I !libdir !R !rakelibdir !C !directory',
    operands: 'any*',
    exact: true,
  },
  // They run what their file has under these names, as make does.
  { names: 'just task mage invoke inv doit', read: ({ words }, found) => plainNames(words, /^(?!)/, found) },
  { names: 'tox nox', read: ({ words }, found) => plainNames(words, /^-(?:e|p|q|v+|r|s)$/, found) },
  {
    names: 'pre-commit',
    read: ({ words }, found) => {
      const isRun =
        words.length === 0 || (typeof words[0] === 'string' && /^(?:run|install|autoupdate|clean)$/.test(words[0]));
      if (isRun) plainNames(words, /^--?(?:a|all-files|verbose|v|show-diff-on-failure)$/, found);
      else found.doubt('its subcommand can run other programs');
    },
  },
  {
    names: 'nx turbo lerna',
    read: ({ words }, found) => {
      const starts = words.some(
        (word) => typeof word === 'string' && /^(?:exec|x|login|link|generate|g|gen|create|init|import)$/.test(word),
      );
      if (starts) found.doubt('its subcommand can run other programs');
      else plainNames(words, /^--(?:all|parallel|no-cache|skip-nx-cache|force|verbose)$/, found);
    },
  },
  neverKnown(
    'fab earthly dagger act lefthook husky lint-staged commitizen semantic-release',
    'it runs commands of its files and words',
  ),
];

/** Names of tasks, which it finds in a file of the project; they might also be names of programs. */
function plainNames(words: readonly Word[], options: RegExp, found: Findings) {
  found.changes();
  const isPlain = (word: Word) => typeof word === 'string' && (/^[\w@][\w@:./-]*$/.test(word) || options.test(word));
  if (!words.every(isPlain)) return found.doubt('a word of it is not the name of a task');
  found.passes(words);
}

/** `NAME=value`: what it holds becomes a part of the commands. */
function makeVariables(argv: Argv, found: Findings) {
  for (const word of argv.operands) {
    const text = typeof word === 'string' ? word : '';
    const [, name, operator, value] = /^([^=]*?)(!|\?|\+|:{0,3})=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) continue;
    const isActedOn = /^(?:SHELL|MAKE.*|\.SHELLFLAGS|MFLAGS|GNUMAKEFLAGS|VPATH|\.\w+)$/.test(name.trim());
    if (isActedOn || operator === '!' || value.includes('$')) found.doubt('a variable of it can run commands');
    else if (value.trim() !== '') found.code(value);
  }
}

const CMAKE_FLAGS =
  /^(?:-(?:S|B|G|A|T)|--(?:build|install|target|config|parallel|prefix|preset|component|log-level|fresh|verbose|clean-first|strip|use-stderr|list-presets|no-warn-unused-cli|version|help)|-[jv]|-W(?:no-)?(?:dev|error=dev|deprecated)|-t)$/;
const CMAKE_VARIABLES =
  /^-D(?:CMAKE_(?:BUILD_TYPE|INSTALL_PREFIX|EXPORT_COMPILE_COMMANDS|CXX_STANDARD|C_STANDARD|VERBOSE_MAKEFILE|POSITION_INDEPENDENT_CODE|BUILD_PARALLEL_LEVEL)|(?:BUILD|ENABLE|WITH|USE)_\w+|\w+_(?:BUILD|ENABLE|WITH|TESTS|TESTING)\w*)(?::\w+)?=[\w./+-]*$/;

function cmake({ words }: SimpleCommand, found: Findings) {
  found.changes();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word !== 'string') return found.doubt('a word that is not known beforehand may be one of its options');
    if (word === '--') {
      const isPlain = (each: Word) =>
        typeof each === 'string' && /^(?:-[jks]\d*|VERBOSE=1|[\w.-]*[\w.])$/.test(each) && !/^-.*[Ef]/.test(each);
      if (!words.slice(at + 1).every(isPlain)) found.doubt('words of it go to another program');
      return;
    }
    const [, written] = /^-(?:B|-(?:build|install|prefix)=?)(.*)$/s.exec(word) ?? [];
    if (written !== undefined) found.file(written === '' ? (words[at + 1] ?? '') : written, 'taken');
    if (word === '-D') at++;
    const setting = word === '-D' ? `-D${String(words[at])}` : word;
    const name = word.replace(/=.*/s, '').replace(/^(-[jSBGAT])(?=.)/, '$1');
    const isKnown = setting.startsWith('-D')
      ? CMAKE_VARIABLES.test(setting)
      : CMAKE_FLAGS.test(name) || /^-(?:j\d+|[SBGAT].+)$/.test(word);
    if (word.startsWith('-') && !isKnown)
      return found.doubt(`${word.slice(0, 40)} is not among the options that are known`);
  }
}

function cargo({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [first] = words;
  const rest = typeof first === 'string' && first.startsWith('+') ? words.slice(1) : words;
  const at = rest.findIndex(
    (word) =>
      typeof word !== 'string' ||
      !/^(?:-[qv]+|--(?:quiet|verbose|locked|offline|frozen|color=\w+|list|version))$/.test(word),
  );
  const name = rest[at];
  if (at === -1) return;
  if (name === '-V') return;
  if (typeof name !== 'string' || !CARGO_COMMANDS.test(name)) return found.doubt('its subcommand is not known');
  const after = rest.slice(at + 1);
  const dashes = after.indexOf('--');
  if (dashes !== -1) found.passes(after.slice(dashes + 1));
  found.readBy(
    { names: '', options: CARGO, operands: 'any*', exact: true },
    dashes === -1 ? after : after.slice(0, dashes),
  );
}

function go({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [name, ...rest] = words;
  if (typeof name !== 'string' || !GO_COMMANDS.test(name)) return found.doubt('its subcommand is not known');
  if (name === 'env' && rest.some((word) => word === '-w' || word === '-u' || typeof word !== 'string'))
    return found.doubt('it changes its settings');
  const isRun = name === 'run';
  found.readBy(
    {
      names: '',
      options: GO,
      operands: isRun ? 'script any*' : 'any*',
      oneDash: true,
      ...(isRun && { optionsFirst: true as const }),
      more: (argv, inner) => {
        const flags = argv.value('ldflags');
        if (flags !== undefined && (typeof flags !== 'string' || /extld|linkmode|tmpdir|plugin/.test(flags)))
          inner.doubt('the linker is given options');
      },
    },
    rest,
  );
}

const COMPILER_FLAGS =
  /^-(?:c|S|E|M|MM|MD|MMD|MP|MG|w|v|s|P|C|g[\w-]*|O\w*|std=[\w+]+|ansi|pedantic(?:-errors)?|pthread|pipe|shared|static(?:-[\w+]+)?|rdynamic|nostd\w+|fuse-ld=(?:lld|gold|bfd|mold)|W(?!l,|p,|a,|rapper)[\w=+-]*|f(?!plugin|use-ld|sanitize-blacklist|uild-pch|rontend|modules?-file|module-map)[\w=+-]+|m(?!llvm)[\w=.,+-]+|[DU][\w]+(?:=.*)?|[IL].+|l[\w.+-]+|Wl,(?:-rpath,[\w./$:-]+|-z,\w+|--as-needed|--no-as-needed|--gc-sections|-s|-soname,[\w.-]+|-Bstatic|-Bdynamic|--export-dynamic)|x|isystem|iquote|idirafter|include|MF|MT|MQ|o|I|L|D|U|l|arch|framework|version|-version|dumpversion|dumpmachine|print-[\w-]+)$/s;

/** Options are known by their shape; a plugin, a wrapper or a file of options is not. */
function compiler({ words }: SimpleCommand, found: Findings) {
  found.changes();
  if (!words.some((word) => word === '-o' || word === '-c' || word === '-E')) found.file('a.out', 'out');
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const text = typeof word === 'string' ? word : typeof word.parts[0] === 'string' ? word.parts[0] : '-';
    if (text.startsWith('@')) return found.doubt('its words may be in another file');
    if (!text.startsWith('-')) {
      if (!isRunnableFile(word)) return found.doubt('which file it would read cannot be told');
      found.file(word, 'script');
      continue;
    }
    if (text === '-') return found.doubt('its source comes from its input');
    if (typeof word !== 'string' || !COMPILER_FLAGS.test(word))
      return found.doubt(`${text.slice(0, 40)} is not among the options that are known`);
    if (word === '-o' || word === '-MF') found.file(words[++at] ?? '', 'out');
    else if (word === '-include') found.file(words[++at] ?? '', 'in');
    else if (/^-(?:x|isystem|iquote|idirafter|MT|MQ|I|L|D|U|l|arch|framework)$/.test(word)) at++;
  }
}

const MAVEN = {
  flags:
    /^(?:-[BUoqXeNV]|-(?:ntp|am|amd|ff|fae|fn)|--(?:batch-mode|offline|quiet|errors|debug|update-snapshots|no-transfer-progress|also-make|fail-at-end|version))$/,
  valued: /^(?:-P|-pl|--projects|-T|--threads|--activate-profiles)$/,
  words: /^(?!exec:|.*:exec|antrun:|groovy|.*script)[\w.:-]+$/,
};
const GRADLE = {
  flags:
    /^(?:-[qidsSam]|--(?:quiet|info|debug|stacktrace|full-stacktrace|offline|no-daemon|daemon|parallel|no-parallel|build-cache|no-build-cache|continue|dry-run|rerun-tasks|refresh-dependencies|scan|no-scan|configuration-cache|console=\w+|warning-mode=\w+|version|stop|status))$/,
  valued: /^(?:-x|--exclude-task|--tests|--max-workers|--console|--warning-mode)$/,
  words: /^[\w.:*-]+$/,
};

/** Properties are plain texts; those that name programs are not known. */
function properties({ words }: SimpleCommand, known: typeof MAVEN, found: Findings) {
  found.changes();
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const isProperty =
      typeof word === 'string' &&
      /^-[DP](?!exec\.|java\.|jvm|.*(?:agent|argLine|script|command|executable|exec|jvmargs))[\w.-]+(?:=[\w.,:/+ *#-]*)?$/i.test(
        word,
      );
    if (typeof word === 'string' && known.valued.test(word)) at++;
    else if (
      typeof word !== 'string' ||
      !(known.flags.test(word) || isProperty || (known.words.test(word) && !word.startsWith('-')))
    ) {
      return found.doubt('a word of it is not known');
    }
  }
}

function verbs(argv: Argv, known: RegExp, found: Findings) {
  const [name, ...rest] = argv.operands;
  const isOption = (word: Word) =>
    typeof word !== 'string' ||
    (word.startsWith('-') && !/^-(?:C|j|v|-(?:buildtype|prefix|verbose|suite|reconfigure|wipe))/.test(word));
  if (typeof name !== 'string' || !known.test(name) || rest.some(isOption) || !isRunnableFile(name))
    found.doubt('its subcommand or an option of it is not known');
}
