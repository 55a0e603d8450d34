import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown, type TableGrammar } from './grammar.ts';
import { filesOfCode, isHarmlessCode } from './inner-code.ts';

/** A program that runs a file, and hands the words after it on. Options of others end where the file begins. */
function runner(names: string, options: string, more: Partial<TableGrammar> = {}): TableGrammar {
  return { names, options, operands: 'script any*', optionsFirst: true, exact: true, more: needsFile, ...more };
}

/** Without a file or code they take their code from the input. */
function needsFile(argv: Argv, found: Findings) {
  const { input } = found.command;
  const isQuestion = argv.given.some(({ name }) => /^(?:V|v|version|h|help)$/.test(name));
  if (argv.operands.length > 0 || isQuestion) return;
  if (argv.given.some(({ role }) => role === 'lang' || role === 'script')) return;
  if (input === undefined || !isHarmlessCode(input, found.program)) found.doubt('it takes code from its input');
}

const NODE =
  'c,check h,help v,version e,eval=lang p,print=lang r,require=script import=script C,conditions=text test test-only watch watch-path=text watch-preserve-output test-name-pattern=text test-skip-pattern=text test-reporter=text test-reporter-destination=out test-concurrency=text test-timeout=text test-coverage-include=text test-coverage-exclude=text experimental-test-coverage test-force-exit test-isolation=text test-shard=text test-update-snapshots test-global-setup=script no-warnings no-deprecation trace-warnings trace-deprecation trace-uncaught throw-deprecation pending-deprecation enable-source-maps unhandled-rejections=text max-old-space-size=text max-semi-space-size=text stack-size=text stack-trace-limit=text expose-gc preserve-symlinks preserve-symlinks-main experimental-vm-modules experimental-strip-types experimental-transform-types no-experimental-strip-types experimental-specifier-resolution=text experimental-sqlite experimental-websocket experimental-json-modules input-type=text title=text tls-min-v1.2 dns-result-order=text use-openssl-ca openssl-legacy-provider icu-data-dir=text run=text';

/** Modules of Python itself that run code, commands or files by their words, or read code from the input. */
const PYTHON_MODULES =
  /^(?:timeit|pdb|profile|cProfile|trace|code|codeop|runpy|doctest|zipapp|zipfile|tarfile|sqlite3|dis|ast|tokenize|idlelib|webbrowser|antigravity|pydoc|pickle|pickletools|base64|gzip|quopri|uu|asyncio|sysconfig|telnetlib|smtpd|imaplib|ftplib|mailcap|mimetypes|inspect|modulefinder|symtable|filecmp|fileinput|shutil|ctypes|cgi|cgitb|test|lib2to3|random|encodings|bdb|IPython|ipykernel|jupyter.*|ptpython|bpython|xonsh|invoke|fabric|nox|shell|turtle.*|turtledemo|tkinter|curses.*|ensurepip|http\.server|wsgiref.*|xmlrpc.*|pyclbr|compileall|py_compile|tabnanny|smtplib|poplib|nntplib|this|cmd|os|subprocess|pty)$/;

/** Interpreters: code in a word, in a file, or in the input. */
export const INTERPRETERS: readonly Grammar[] = [
  runner('node nodejs', NODE, {
    operands: (argv) => (argv.has('e', 'p', 'test', 'run') ? 'any*' : 'script any*'),
    more: (argv, found) => {
      const [first] = argv.operands;
      if (first === 'inspect' || first === 'debug') found.doubt('it starts a debugger');
      if (!argv.has('test', 'run')) needsFile(argv, found);
    },
  }),
  { names: 'python pypy', read: python },
  runner('perl', 'c w W X t T v V=?text e=lang E=lang'),
  runner('ruby jruby truffleruby', 'c w W=?text v version e=lang y help'),
  runner('php', 'l,syntax-check v,version i,info m,modules q n r,run=lang f,file=script S=text t=text ini h'),
  runner('lua luajit luac', 'v e=lang W E'),
  runner('tsx', 'watch no-warnings tsconfig=in', {
    operands: (argv) => (argv.operands[0] === 'watch' ? 'text script any*' : 'script any*'),
  }),
  runner('ts-node ts-node-esm', 'T,transpile-only P,project=in files esm v,version swc e,eval=lang p,print=lang'),
  runner('Rscript rscript', 'vanilla no-save no-restore verbose e=lang', { exact: true }),
  runner('julia', 'project=?text O=?text t,threads=text q,quiet v,version e,eval=lang startup-file=text'),
  runner('elixir iex', 'v,version', { operands: 'script any*' }),
  runner(
    'tclsh wish guile racket sbcl octave gnuplot raku qjs ocaml groovy scala runghc runhaskell crystal nim dart swift escript',
    '',
  ),
  { names: 'java', read: java },
  { names: 'deno', read: deno },
  { names: 'bun', read: bun },
  neverKnown(
    'irb pry ghci jshell psysh ipython jupyter bpython ptpython erl osascript r R maxima gp mathematica matlab swipl prolog gforth erb rdbg slsh jed-script jdb jrunscript jexec pdb pydoc idle prove perldoc perlbug perlthanks cpanp instmodsh phar phpdbg php-fpm hhvm wolframscript scilab yacas coqtop ghc runhugs hugs ciao clojure clj bb planck lumo lein-exec fsi csi dotnet-script fsharpi scriptcs io picolisp newlisp janet fennel moon terra rep red rebol',
    'it takes code from its words or its input',
  ),
  {
    names: 'bc dc',
    options: 'h,help i,interactive l,mathlib q,quiet s,standard w,warn e,expression=never f,file=never',
    operands: 'never*',
    more: (_argv, found) => {
      // `dc` starts a shell for `!`; what comes through a pipe cannot be seen.
      const { input } = found.command;
      if (found.program === 'dc' && (typeof input !== 'string' || input.includes('!')))
        found.doubt('it takes code from its input');
    },
  },
  {
    names: 'm4',
    options: 'never=never',
    operands: 'never*',
    more: (_argv, found) => found.doubt('its input may run commands'),
  },
];

function python({ words }: SimpleCommand, found: Findings) {
  found.changes();
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word !== 'string') return found.doubt('a word that is not known beforehand may be one of its options');
    if (word === '-V' || word === '--version' || word === '-h' || word === '--help' || word === '-VV') return;
    if (/^-[BdEIOPqRsSuvx]+$/.test(word)) continue;
    if (word === '-W' || word === '-X') {
      at++;
      continue;
    }
    if (/^-[BdEIOPqRsSuvx]*c$/.test(word)) {
      const code = words[at + 1];
      if (code === undefined || !isHarmlessCode(code, found.program))
        found.doubt('it is given code in a language that is not read');
      for (const { name, role } of code === undefined ? [] : filesOfCode(code, found.program)) found.file(name, role);
      return found.passes(words.slice(at + 2));
    }
    if (/^-[BdEIOPqRsSuvx]*m$/.test(word)) return pythonModule(words.slice(at + 1), found);
    if (word.startsWith('-') && word !== '-')
      return found.doubt(`${word.slice(0, 40)} is not among the options that are known`);
    break;
  }
  found.readBy({ names: '', operands: 'script any*', optionsFirst: true }, ['--', ...words.slice(at)]);
  if (at >= words.length) found.doubt('it takes code from its input');
}

function pythonModule([module, ...words]: readonly Word[], found: Findings) {
  if (typeof module !== 'string' || PYTHON_MODULES.test(module))
    return found.doubt('which module it would run cannot be told');
  if (module === 'json.tool') {
    const isPlain = (word: Word) =>
      typeof word === 'string' &&
      /^--(?:sort-keys|no-ensure-ascii|json-lines|indent|tab|no-indent|compact)$/.test(word);
    const files = words.filter((word) => !isPlain(word));
    for (const [index, file] of files.entries()) found.file(file, index === 0 ? 'in' : 'out');
    return;
  }
  // A module of the project is known by its name and words.
  found.file(`${module.replaceAll('.', '/')}.py`, 'script');
  found.file(module.replaceAll('.', '/'), 'script');
  if (module === 'pip') return found.starts(['pip', ...words]);
  if (module === 'pytest') return found.starts(['pytest', ...words]);
  if (module === 'venv') {
    for (const word of words) if (typeof word !== 'string' || !word.startsWith('-')) found.file(word, 'out');
    return;
  }
  found.passes(words);
}

const JAVA_FLAGS =
  /^-(?:X(?:m[sxn]|ss)\w+|XX:[+-]?[\w]+(?:=[\w.]+)?|ea|da|esa|dsa|server|client|version|-version|showversion|D(?!java\.|sun\.|jdk\.)[\w.-]+(?:=[\w.,:/@+-]*)?)$/;

function java({ words }: SimpleCommand, found: Findings) {
  found.changes();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (typeof word !== 'string' || word.startsWith('@'))
      return found.doubt('a word that is not known beforehand may be one of its options');
    if (/^-XX:.*(?:Command|Error|OutOfMemory|Flags|File|Path)/.test(word))
      return found.doubt('an option of it can run commands');
    if (JAVA_FLAGS.test(word)) continue;
    if (word === '-cp' || word === '-classpath' || word === '--class-path') at++;
    else if (word === '-jar')
      return found.readBy({ names: '', operands: 'script any*', optionsFirst: true }, ['--', ...words.slice(at + 1)]);
    else if (word.startsWith('-')) return found.doubt(`${word.slice(0, 40)} is not among the options that are known`);
    else return found.passes(words.slice(at + 1));
  }
}

const DENO_FLAGS =
  /^(?:-[ARWNES]|--(?:allow-(?:all|read|write|net|env|run|ffi|sys)(?:=.*)?|no-check|check|watch|quiet|unstable[\w-]*|no-lock|lock|frozen|cached-only|fail-fast|parallel|fix|config=.*))$/;

function deno({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [name, ...rest] = words;
  const operand = rest.findIndex((word) => typeof word !== 'string' || !DENO_FLAGS.test(word));
  const after = operand === -1 ? [] : rest.slice(operand);
  const isOption = typeof after[0] === 'string' && after[0].startsWith('-');
  if (name === '--version' || name === undefined) return;
  if (isOption) return found.doubt('its options are not known');
  if (name === 'run' && after.length > 0)
    return found.readBy({ names: '', operands: 'script any*', optionsFirst: true }, ['--', ...after]);
  if (
    typeof name === 'string' &&
    /^(?:test|fmt|lint|check|task|cache|info|doc|bench|types|add|install|remove|outdated)$/.test(name)
  )
    return found.passes(after);
  found.doubt('its subcommand is not known');
}

function bun({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [name, ...rest] = words;
  if (name === '--version' || name === '-v') return;
  if (typeof name !== 'string' || name.startsWith('-')) return found.doubt('its options are not known');
  if (/^(?:x|exec|repl|create|c|upgrade|link|init)$/.test(name)) return found.doubt('it starts what its words say');
  if (
    rest.some(
      (word) =>
        typeof word === 'string' &&
        /^(?:-e|--eval|-p|--print|-r|--preload|--import|--shell|--config|-c)(?:=|$)/.test(word),
    )
  )
    return found.doubt('an option of it can run code');
  if (/^(?:run|test|install|add|remove|build|update|outdated|pm|i|rm|a)$/.test(name)) return found.passes(rest);
  found.readBy({ names: '', operands: 'script any*', optionsFirst: true }, ['--', ...words]);
}
