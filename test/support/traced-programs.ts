import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readShell } from '../../src/permissions/commands/read-shell.ts';
import { createGrammars } from '../../src/permissions/grammars/all-grammars.ts';
import { patternsMeet, programName } from '../../src/permissions/shell/program-patterns.ts';
import {
  everyCommand,
  type ParseShell,
  type ShellScript,
  whyUnknown,
} from '../../src/permissions/shell/shell-script.ts';
import { shellWord } from '../../src/util/text/shell-word.ts';
import { seededRandom } from './fuzz.ts';

/** Why a program of the tables is not run. */
const LEFT_OUT: readonly [RegExp, string][] = [
  [
    /^(?:date|hwclock|dmesg|sysctl|timedatectl|localectl|hostnamectl|hostname|renice|ulimit|logger|wall|write|mesg|stty|fuser|losetup|umount|swapon|swapoff|adjtimex|dnsdomainname|domainname|nisdomainname|ypdomainname)$/,
    'it changes the machine',
  ],
  [/^(?:kill|killall|killall5|pkill|skill|snice|pidwait)$/, 'it ends other processes'],
  [
    /^(?:chroot|unshare|setpriv|runcon|doas|sudo|su|runuser|sg|newgrp|mknod|shred|chattr|numactl|ltrace|strace)$/,
    'it needs rights, or takes them away',
  ],
  [
    /^(?:yes|watch|tail|sleep|usleep|vmstat|iostat|mpstat|top|uptime|w|lsof|script|busybox|toybox|ld\.so.*|ld-linux.*|ping.*|nc.*|netcat|ncat|ssh|sftp|scp|traceroute|tracepath|lslogins|last.*)$/,
    'it waits, or asks the network or the whole machine',
  ],
  [
    /^(?:lsattr|sync|df|mktemp|tempfile|rename|prename|file-rename|patch|rsync)$/,
    'what it does depends on more than its words',
  ],
];

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/usr/local/bin'];

/** All programs of this machine that a grammar reads, by their names. */
export function installedPrograms(): { tried: string[]; leftOut: { name: string; why: string }[] } {
  const grammars = createGrammars();
  const names = new Set(FOLDERS.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : [])));
  const listed = [...names].sort().filter((name) => grammars.find(name) !== undefined);
  const whyNot = (name: string) =>
    LEFT_OUT.find(([pattern]) => pattern.test(name))?.[1] ??
    (isNeverKnown(name) ? 'it is never known with any words' : null);
  return {
    tried: listed.filter((name) => whyNot(name) === null),
    leftOut: listed.flatMap((name) => {
      const why = whyNot(name);
      return why === null ? [] : [{ name, why }];
    }),
  };
}

function isNeverKnown(name: string): boolean {
  return [name, `${name} in.txt`, `${name} -v in.txt`, `${name} true`, `${name} build`, `${name} 1 in.txt`].every(
    (text) => whyUnknown(readShell(text, null)) !== null,
  );
}

/** The options that a program tells of when it is asked for help; nothing of them comes from the grammars. */
function optionsInHelp(name: string, cwd: string): string[] {
  const { stdout, stderr } = spawnSync('timeout', ['2', name, '--help'], {
    cwd,
    input: '',
    encoding: 'utf8',
    env: ENV,
  });
  const text = `${stdout}\n${stderr}`.slice(0, 40_000);
  const options = [...text.matchAll(/(?<![\w-])(-{1,2}[A-Za-z0-9][\w-]*)(=\w*|\[=)?/g)].map(([, option = '', value]) =>
    value ? `${option}=` : option,
  );
  return [...new Set(options)].filter((option) => !NEVER_ENDS.test(option));
}

const NEVER_ENDS = /^-{1,2}(?:f|F|follow|retry|watch|interactive|i|daemon|pid|wait|server|serve|s|T)$/;
const ENV = { PATH: '/usr/bin:/bin:/usr/sbin', LC_ALL: 'C', HOME: '/nonexistent', TERM: 'dumb', COLUMNS: '200' };
const WORDS = [
  'in.txt',
  'in2.txt',
  'sub',
  'sub/a',
  'out.txt',
  'sub/out',
  '1',
  'a',
  '1,2',
  'x=y',
  '.',
  'true',
  'cat',
  '-',
];

/** A command with options of its help and words of all kinds. */
function drawFromHelp(name: string, options: readonly string[], random: () => number): string[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const some = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) });
  const given =
    options.length === 0
      ? []
      : some(2).flatMap(() => {
          const option = pick(options);
          if (option.endsWith('=')) return [option + pick(WORDS)];
          return random() < 0.3 ? [option, pick(WORDS)] : [option];
        });
  const operands = some(3).map(() => pick(WORDS));
  return [name, ...(random() < 0.3 ? [...operands, ...given] : [...given, ...operands])];
}

/** Programs that are scripts, or have parts of their own, and start those whatever they are given. */
const WITH_PARTS: readonly [RegExp, RegExp][] = [
  [
    /^(?:.*-)?(?:c89|c99|cc|gcc|g\+\+|c\+\+|cpp|clang|clang\+\+|gfortran)(?:-(?:gcc|\d+))*$/,
    /(?:^|\/)(?:gcc|cc1\w*|collect2|ld|as|clang(?:-\d+)?|[\w-]*-gcc(?:-\d+)?)$/,
  ],
  [/^(?:c89|c99|dpkg|locale)$/, /\/(?:basename|dpkg-query|gzip|bzip2)$/],
  [/^(?:r?(?:ba|da)?sh|fish)$/, /\/(?:id|locale|dircolors|mesg|tput|groups)$/],
  [/^split$/, /\/sh$/],
  [/^man$/, /\/(?:preconv|tbl|groff|troff|grotty|nroff|less|pager|sed|col|zsoelim|gzip|locale)$/],
  [/^(?:gunzip|uncompress|zcat|bunzip2|unxz|lzma|unlzma)$/, /\/(?:gzip|bzip2|xz)$/],
  [
    /^(?:mvn|java|javac|jar|lsb_release|dbus-run-session|gradle|zsh5?|npm|npx|corepack)$/,
    /^\/(?:usr\/)?(?:bin|lib)\/(?:uname|ls|expr|dirname|java|getopt|cut|tr|cat|sed|basename|dbus-daemon|zsh5?|node|sh|git|ssh|git-core\/git[\w-]*)$/,
  ],
];

interface Trace {
  started: string[];
  written: string[];
  read: string[];
}

const ISOLATED = ['unshare', '--mount', '--net', '--pid', '--fork', '--mount-proc', '--kill-child'];
const canIsolate = () =>
  spawnSync(ISOLATED[0] as string, [...ISOLATED.slice(1), 'true'], { stdio: 'ignore' }).status === 0;

/** Runs commands, each in a directory of its own, and tells which programs they start and which files there they open. */
export function createTracer(root: string): (argv: readonly string[]) => Trace {
  const before = canIsolate() ? ISOLATED : [];
  let runs = 0;
  return (argv) => {
    const cwd = join(root, `${runs++}`);
    mkdirSync(join(cwd, 'sub'), { recursive: true });
    for (const name of ['in.txt', 'in2.txt', 'sub/a']) writeFileSync(join(cwd, name), 'b 2\na 1\n');
    const log = join(root, `${runs}.trace`);
    const calls =
      'execve,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,truncate';
    const [command = '', ...args] = [...before, 'strace', '-f', '-qq', '-o', log, '-e', `trace=${calls}`, ...argv];
    spawnSync(command, args, {
      cwd,
      input: '',
      timeout: 4000,
      killSignal: 'SIGKILL',
      env: ENV,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    return traceIn(existsSync(log) ? readFileSync(log, 'utf8') : '', cwd);
  };
}

function traceIn(log: string, cwd: string): Trace {
  // Names of other processes are relative to /proc, or to a folder for numbers.
  const done = log.split('\n').filter((line) => !/= -1 E|unfinished|at2?\(\d|"\d+(?:\/\w+)?"/.test(line));
  const isWriting = (line: string) =>
    /O_WRONLY|O_RDWR|O_CREAT|(?:creat|mkdir|rename|link|rmdir|truncate)\w*\(/.test(line) && !line.includes('execve(');
  const below = (lines: readonly string[]) =>
    lines
      .flatMap((line) => [...line.matchAll(/"([^"]+)"/g)].map(([, path = '']) => resolve(cwd, path)))
      .filter((path) => path.startsWith(`${cwd}/`))
      .map((path) => path.slice(cwd.length + 1));
  return {
    started: done.flatMap((line) => /execve\("([^"]+)"/.exec(line)?.[1] ?? []).slice(1),
    written: below(done.filter(isWriting)),
    read: below(done.filter((line) => /^\d+\s+open/.test(line) && !isWriting(line) && !line.includes('O_DIRECTORY'))),
  };
}

/** What the program did, and our reading does not tell. */
export function surprises(script: ShellScript, { started, written, read }: Trace): string[] {
  const commands = everyCommand(script);
  const names = commands.flatMap(({ words: [name] }) => (typeof name === 'string' ? [programName(name)] : []));
  const files = commands.flatMap(({ meaning, words }) => [
    ...(meaning?.files ?? []),
    // Of any other program each word counts as a path.
    ...(meaning === null ? words.slice(1) : meaning.passes).map((word) => ({
      word,
      access: 'write' as const,
      reach: 'taken' as const,
    })),
  ]);
  const isTold = (path: string, access: 'read' | 'write') =>
    files
      .filter((file) => file.access === access || access === 'read')
      .some(({ word, reach }) => {
        const parts = typeof word === 'string' ? [resolve('/', word).slice(1)] : word.parts;
        // A directory on the way, a backup beside the file, or what lies below.
        return (
          [parts, [...parts, { any: 'text' as const }]].some((each) => patternsMeet(each, [path])) ||
          reach === 'taken' ||
          word === '.' ||
          String(word).startsWith(path) ||
          // Taken from a directory that the program changed to.
          String(word).endsWith(`/${path}`)
        );
      });
  // A file that is called `-` is none that people name in a rule.
  return [
    ...started.filter((path) => !names.includes(basename(path))).map((path) => `starts ${path}`),
    ...written.filter((path) => path !== '-' && !isTold(path, 'write')).map((path) => `writes ${path}`),
    ...read.filter((path) => !isTold(path, 'read')).map((path) => `reads ${path}`),
  ];
}

/** Draws commands for programs, runs those that count as known, and tells what they did beyond what their grammar tells. */
export function tryPrograms(
  names: readonly string[],
  { draws, seed, root, parse }: { draws: number; seed: number; root: string; parse: ParseShell },
) {
  mkdirSync(root, { recursive: true });
  const trace = createTracer(root);
  const wrong: string[] = [];
  const known = new Map<string, number>();
  for (const name of names) {
    const random = seededRandom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), seed + 6) % 2 ** 31);
    const options = optionsInHelp(name, root);
    for (let draw = 0; draw < draws; draw++) {
      const argv = drawFromHelp(name, options, random);
      const script = readShell(argv.map(shellWord).join(' '), parse);
      if (whyUnknown(script) !== null) continue;
      known.set(name, (known.get(name) ?? 0) + 1);
      const { started, ...files } = trace(argv);
      const parts = WITH_PARTS.filter(([program]) => program.test(name)).map(([, part]) => part);
      const others = started.filter((path) => !parts.some((part) => part.test(path)));
      wrong.push(...surprises(script, { ...files, started: others }).map((what) => `${argv.join(' ')}: ${what}`));
    }
  }
  return { wrong, known };
}
