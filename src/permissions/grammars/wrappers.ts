import { plainArgv } from '../shell/plain-words.ts';
import {
  ANY_TEXT,
  ANYTHING,
  type Assignment,
  argvOf,
  type OpenWord,
  type SimpleCommand,
  type Word,
} from '../shell/shell-script.ts';
import { optionTable, readArgv } from './argv.ts';
import { type Argv, type Findings, type Grammar, neverKnown, type TableGrammar } from './grammar.ts';

/** A program that starts the command which its words name. */
function wrapper(names: string, options = '', operands: TableGrammar['operands'] = 'argv'): Grammar {
  return { names, options, operands, optionsFirst: true };
}

/** The first operand belongs to the wrapper where it is a number. */
const numberThenCommand = ({ operands: [first] }: Argv) =>
  typeof first === 'string' && /^\d+$/.test(first) ? 'text argv' : 'argv';
const pidsOrCommand = (letters: string, otherwise: TableGrammar['operands']) => (argv: Argv) => {
  if (argv.has(...letters.split(''))) return 'text*';
  return typeof otherwise === 'function' ? otherwise(argv) : (otherwise ?? 'argv');
};

const LIMITS = 'core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack cpu nproc as locks rttime';

/** Programs that start the command which their words name. */
export const WRAPPERS: readonly Grammar[] = [
  wrapper('nohup builtin catchsegv eatmydata chronic ifne dumb-init aoss padsp fakeroot-ng'),
  wrapper('exec', 'c l a=text'),
  { names: 'command', read: commandBuiltin },
  { names: 'coproc', read: (command, found) => found.starts(command.words) },
  wrapper('time gtime', 'a,append p,portability q,quiet v,verbose f,format=text o,output=out'),
  wrapper('timeout gtimeout', 'f,foreground p,preserve-status v,verbose k,kill-after=text s,signal=text', 'text argv'),
  { ...wrapper('nice', 'n,adjustment=text'), counts: '-' } as Grammar,
  wrapper(
    'ionice',
    't,ignore c,class=text n,classdata=text p,pid=text P,pgid=text u,uid=text',
    pidsOrCommand('pPu', 'argv'),
  ),
  wrapper('stdbuf', 'i,input=text o,output=text e,error=text'),
  wrapper('setsid', 'c,ctty f,fork w,wait'),
  wrapper(
    'chrt',
    'b,batch f,fifo i,idle o,other r,rr d,deadline a,all-tasks m,max p,pid R,reset-on-fork v,verbose T,sched-runtime=text P,sched-period=text D,sched-deadline=text',
    pidsOrCommand('p', numberThenCommand),
  ),
  wrapper('taskset', 'a,all-tasks c,cpu-list p,pid', pidsOrCommand('p', 'text argv')),
  wrapper(
    'numactl',
    'a,all l,localalloc H,hardware s,show i,interleave=text m,membind=text p,preferred=text N,cpunodebind=text C,physcpubind=text',
  ),
  wrapper(
    'prlimit',
    `p,pid=text o,output=text noheadings raw verbose ${LIMITS.split(' ')
      .map((name) => `${name}=?text`)
      .join(' ')}`,
  ),
  wrapper(
    'unshare',
    'm u i n p U C T f,fork r,map-root-user c,map-current-user mount=?text uts=?text ipc=?text net=?text pid=?text user=?text cgroup=?text time=?text mount-proc=?text kill-child=?text propagation=text setgroups=text keep-caps S,setuid=text G,setgid=text',
  ),
  wrapper(
    'setpriv',
    'nnp,no-new-privs clear-groups keep-groups init-groups reset-env reuid=text regid=text ruid=text euid=text rgid=text egid=text groups=text inh-caps=text ambient-caps=text bounding-set=text securebits=text pdeathsig=text',
  ),
  wrapper('choom', 'n,adjust=text p,pid=text', pidsOrCommand('p', 'argv')),
  wrapper('runcon', 'c,compute t,type=text u,user=text r,role=text l,range=text', (argv) =>
    argv.given.length > 0 ? 'argv' : 'text argv',
  ),
  wrapper('gosu su-exec setuidgid', '', 'text argv'),
  wrapper('tini', 's v g w p=text e=text'),
  wrapper('cgexec', 'g=text sticky'),
  wrapper('dbus-run-session', ''),
  wrapper('ld.so', '', ({ operands: [first] }) => (typeof first === 'string' ? 'argv' : 'never')),
  { names: 'busybox toybox', read: ownPrograms },
  { names: 'sudo', read: sudo },
  wrapper('doas', 'n L u=text'),
  { names: 'chroot', read: otherRoot },
  { names: 'strace', read: strace },
  wrapper(
    'ltrace',
    'c C f h i L r S t T V b a=text A=text e=text D=text n=text p=text s=text u=text w=text x=text o=out',
    pidsOrCommand('p', 'argv'),
  ),
  { names: 'env genv', read: env },
  wrapper('cross-env cross-env-shell', '', 'never*'),
  { names: 'xargs gxargs', read: xargs },
  { names: 'watch', read: watch },
  { names: 'flock', read: flock },
  {
    names: 'script',
    options:
      'a,append c,command=sh e,return f,flush force q,quiet t,timing=?out T,log-timing=out I,log-in=out O,log-out=out B,log-io=out E,echo=text o,output-limit=text m,logging-format=text',
    operands: 'out',
    more: (argv, found) => {
      if (!argv.has('c')) found.doubt('it starts a shell');
    },
  },
  neverKnown(
    'parallel sem rush xjobs concurrently npm-run-all run-p run-s wireit lage nodemon watchexec entr watchman chokidar onchange hyperfine',
    'it makes commands of its words, its input or its files',
  ),
  neverKnown('run-parts', 'it runs what it finds in a directory'),
  neverKnown(
    'at batch atd crontab cron anacron systemd-run systemctl launchctl schtasks start-stop-daemon daemonize daemon s6-svscan runsv sv supervisord supervisorctl pm2 forever',
    'it starts commands later, or outside of this one',
  ),
  neverKnown(
    'tmux screen dtach abduco zellij byobu mosh expect autoexpect rlwrap reptyr socat nsenter setarch linux32 linux64 i386 x86_64 uname26 firejail bwrap proot fakechroot fakeroot faketime xvfb-run ssh-agent gpg-agent dbus-launch proxychains proxychains4 torsocks tsocks pkexec gksu kdesu chpst softlimit envdir cpulimit schedtool distrobox toolbox flatpak snap nix nix-shell nix-env guix direnv asdf mise rtx dotenv dotenvx env-cmd op doppler aws-vault chamber teller infisical consul-template lckdo logsave memusage niceload mispipe pee zrun parcat parset parsort env_parallel uclampset rtcwake kibitz xkibitz dislocate autopasswd passmass multixterm timed-run timed-read rlogin-cwd unbuffer cryptdir tknewsbiff fakeroot-sysv fakeroot-tcp faked-sysv faked-tcp systemd-inhibit systemd-cat systemd-socket-activate systemd-mount systemd-umount systemd-nspawn scriptlive sotruss pidstat luit vigr msgexec msgfilter make-first-existing-target pg_virtualenv pg_ctl pg_ctlcluster pgbench sql ssh-argv0 gapplication gio gdbus dbus-send dbus-daemon deb-systemd-invoke deb-systemd-helper debconf debconf-communicate debconf-apt-progress dpkg-reconfigure dpkg-preconfigure dpkg-buildpackage dpkg-source dpkg-deb dpkg-divert run-mailcap see compose not lli opt llc bugpoint llvm-reduce llvm-lit',
    'it starts what its words, its files or its input say',
  ),
  neverKnown(
    'gdb gdbtui gdb-add-index gcore gdb-multiarch lldb rr valgrind perf bpftrace bcc dtrace systemtap stap trace-cmd uftrace heaptrack gdbserver frida frida-trace r2 radare2 rizin cgdb ddd',
    'it runs commands of its own, and programs under them',
  ),
];

/** It has programs of its own under the usual names, which read their words in other ways. */
function ownPrograms({ words }: SimpleCommand, found: Findings) {
  found.changes();
  if (words.length === 0) return;
  found.starts(words);
  found.doubt('it has programs of its own, which read their words in other ways');
}

/** With `-v` or `-V` it only prints what a name means. */
function commandBuiltin({ words }: SimpleCommand, found: Findings) {
  const [first, ...rest] = words;
  if (typeof first === 'string' && /^-p?[vV]$/.test(first)) {
    if (!rest.every((word) => typeof word === 'string')) found.changes();
    return;
  }
  found.changes();
  const after = first === '-p' ? rest : words;
  const command = after[0] === '--' ? after.slice(1) : after;
  if (typeof command[0] === 'string' && command[0].startsWith('-')) found.doubt('its options are not known');
  found.starts(command);
}

const BEFORE_ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** `NAME=value` before a command, and the command. */
function assignments(words: readonly Word[]): { assigns: Assignment[]; command: readonly Word[] } {
  const assigns: Assignment[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const start = typeof word === 'string' ? word : word.many ? '' : word.parts[0];
    const [whole, name] = typeof start === 'string' ? (BEFORE_ASSIGNMENT.exec(start) ?? []) : [];
    if (whole === undefined || name === undefined) return { assigns, command: words.slice(at) };
    const value: Word =
      typeof word === 'string'
        ? word.slice(whole.length)
        : {
            parts: [(start as string).slice(whole.length), ...word.parts.slice(1)].filter((part) => part !== ''),
            many: false,
          };
    assigns.push({ name, value });
  }
  return { assigns, command: [] };
}

const SUDO: TableGrammar = {
  names: 'sudo',
  options:
    'A,askpass b,background E H,set-home k,reset-timestamp K,remove-timestamp n,non-interactive N,no-update P,preserve-groups S,stdin v,validate l,list preserve-env=?text u,user=text g,group=text p,prompt=text h,host=text r,role=text t,type=text U,other-user=text C,close-from=text T,command-timeout=text D,chdir=at',
  optionsFirst: true,
};
const SUDO_OPTIONS = optionTable(SUDO.options ?? '');

function sudo({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const argv = readArgv(words, SUDO, SUDO_OPTIONS);
  if (typeof argv === 'string') return found.doubt(argv);
  if (argv.open.length > 0) return found.doubt('a word that is not known beforehand may be one of its options');
  const { assigns, command } = assignments(argv.operands);
  const directory = argv.value('D');
  if (directory !== undefined) found.file(directory, 'taken');
  found.starts(command, { assigns, ...(directory !== undefined && { elsewhere: true as const }) });
}

/** Without a command it starts a shell. */
function otherRoot({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const after = words.filter(
    (word) => !(typeof word === 'string' && /^--(?:skip-chdir|userspec=.*|groups=.*)$/.test(word)),
  );
  const [directory, ...command] = after;
  const isPlain = typeof directory === 'string' && !directory.startsWith('-') && command.length > 0;
  if (isPlain) found.starts(command, { elsewhere: true });
  else found.doubt('what it would run cannot be told');
}

const STRACE: TableGrammar = {
  names: 'strace',
  options:
    'c C d f F i k n q r t T v w x y Y z Z D A A,output-append-mode a=text b=text e,trace=text I=text o,output=out O=text p,attach=text P,trace-path=text s,string-limit=text S=text U=text u,user=text X=text follow-forks seccomp-bpf',
  optionsFirst: true,
};
const STRACE_OPTIONS = optionTable(STRACE.options ?? '');

/** Its output may go to a command: `-o '|code'`. */
function strace({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const argv = readArgv(words, STRACE, STRACE_OPTIONS);
  if (typeof argv === 'string') return found.doubt(argv);
  if (argv.open.length > 0) return found.doubt('a word that is not known beforehand may be one of its options');
  for (const { name, value } of argv.given) {
    if (name !== 'o' || value === undefined) continue;
    if (typeof value !== 'string' || /^[|!]/.test(value)) return found.doubt('its output may go to a command');
    found.file(value, 'out');
  }
  found.starts(argv.operands);
}

const ENV: TableGrammar = {
  names: 'env',
  options:
    'i,ignore-environment 0,null v,debug u,unset=text C,chdir=at S,split-string=text ignore-signal=?text default-signal=?text block-signal=?text list-signal-handling',
  optionsFirst: true,
};
const ENV_OPTIONS = optionTable(ENV.options ?? '');

function env({ words }: SimpleCommand, found: Findings) {
  const argv = readArgv(words, ENV, ENV_OPTIONS);
  if (typeof argv === 'string') {
    found.changes();
    return found.doubt(argv);
  }
  if (argv.open.length > 0) return found.doubt('a word that is not known beforehand may be one of its options');
  const split = argv.given.findIndex(({ name }) => name === 'S');
  const { operands } = argv;
  if (split !== -1) return envSplit(argv, split, found);
  const { assigns, command } = assignments(operands[0] === '-' ? operands.slice(1) : operands);
  // Alone it prints the environment.
  found.changes();
  const directory = argv.value('C');
  if (directory !== undefined) found.file(directory, 'taken');
  found.starts(command, { assigns, ...(directory !== undefined && { elsewhere: true as const }) });
}

/** `-S 'rm x'` stands for the words in it, by env's own rules; they are those of a shell in which nothing is special. */
function envSplit(argv: Argv, split: number, found: Findings) {
  const text = argv.given[split]?.value;
  const words = typeof text === 'string' && !/[\\$#]/.test(text) ? plainArgv(text) : null;
  const isLast = split === argv.given.length - 1;
  if (words === null || !isLast) return found.doubt('how it splits its words cannot be told');
  const moves = argv.has('C') ? (['-C', '/'] as const) : [];
  env({ words: [...moves, ...words, ...argv.operands], assigns: [] }, found);
}

const XARGS: TableGrammar = {
  names: 'xargs',
  options:
    '0,null r,no-run-if-empty t,verbose p,interactive x,exit o,open-tty a,arg-file=in d,delimiter=text E=text e,eof=?text I=text i,replace=?text L=text l,max-lines=?text n,max-args=text P,max-procs=text s,max-chars=text process-slot-var=never show-limits',
  optionsFirst: true,
};
const XARGS_OPTIONS = optionTable(XARGS.options ?? '');

/** xargs appends the items it reads to the words of the command, or inserts them at a mark. */
function xargs({ words }: SimpleCommand, found: Findings) {
  const argv = readArgv(words, XARGS, XARGS_OPTIONS);
  if (typeof argv === 'string') return found.doubt(argv);
  if (argv.open.length > 0 || argv.has('process-slot-var')) {
    return found.doubt('a word that is not known beforehand may be one of its options');
  }
  for (const { role, value } of argv.given) if (value !== undefined) found.file(value, role);
  const command = argv.operands.length === 0 ? ['echo'] : argv.operands;
  const isPlain = !argv.has('a', 'd', 'e', 'E');
  const listing = isPlain ? { listed: argv.has('0') ? ('whole' as const) : ('split' as const) } : {};
  // The mark of the last of these options counts, and one without a value means the usual mark.
  const replace = argv.given.findLast(
    ({ name }) => name === 'I' || name === 'i' || name === 'L' || name === 'l' || name === 'n',
  );
  if (replace?.name !== 'I' && replace?.name !== 'i') {
    const marks = argv.given.filter(({ name }) => name === 'I' || name === 'i');
    if (marks.length > 0) return found.doubt('how it fills in what it reads cannot be told');
    return found.starts([...command, { ...ANYTHING, made: true, ...listing }]);
  }
  const mark = replace.value ?? '{}';
  if (typeof mark !== 'string' || mark === '') return found.doubt('how it fills in what it reads cannot be told');
  found.starts(command.map((word) => (word === mark ? { ...ITEM, ...listing } : filledIn(word, mark))));
}

/** One word from the output of another command. */
const ITEM: OpenWord = { parts: [ANY_TEXT], many: false, made: true };

/** A word in which a mark is replaced by unknown text. */
export function filledIn(word: Word, mark: string): Word {
  if (typeof word !== 'string' || !word.includes(mark)) return word;
  const parts = word.split(mark).flatMap((text, at) => (at === 0 ? [text] : [ANY_TEXT, text]));
  return { parts: parts.filter((part) => part !== ''), many: false, made: true };
}

const WATCH: TableGrammar = {
  names: 'watch',
  options:
    'b,beep c,color C,no-color d,differences=?text e,errexit g,chgexit p,precise r,no-rerun t,no-title w,no-wrap x,exec n,interval=text q,equexit=text',
  optionsFirst: true,
};
const WATCH_OPTIONS = optionTable(WATCH.options ?? '');

function watch({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const argv = readArgv(words, WATCH, WATCH_OPTIONS);
  if (typeof argv === 'string') return found.doubt(argv);
  if (argv.has('x')) return found.starts(argv.operands);
  const texts = argvOf({ words: argv.operands });
  if (texts === null) return found.doubt('it runs code that is not known beforehand');
  if (texts.length > 0) found.starts(['sh', '-c', texts.join(' ')]);
}

const FLOCK: TableGrammar = {
  names: 'flock',
  options:
    's,shared x,e,exclusive u,unlock n,nb,nonblock o,close F,no-fork v,verbose w,wait,timeout=text E,conflict-exit-code=text fcntl',
  optionsFirst: true,
};
const FLOCK_OPTIONS = optionTable(FLOCK.options ?? '');

function flock({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const argv = readArgv(words, FLOCK, FLOCK_OPTIONS);
  if (typeof argv === 'string') return found.doubt(argv);
  const [file, ...command] = argv.operands;
  if (file === undefined) return;
  if (typeof file === 'object' && (file.many || argv.open.length > 0)) {
    return found.doubt('a word that is not known beforehand may be one of its options');
  }
  found.file(file, 'out');
  const isCode = command[0] === '-c' || command[0] === '--command';
  if (isCode && command.length === 2) return found.starts(['sh', '-c', command[1] as Word]);
  if (typeof command[0] === 'string' && command[0].startsWith('-')) return found.doubt('its options are not known');
  found.starts(command);
}
