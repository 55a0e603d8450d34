import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the file holds that a rule hides. */
const SECRET = 'c4n4ry7f3aX9';

/** A directory with something to protect, where a form can show what it does. */
export interface DenyPlace {
  cwd: string;
  env: Record<string, string>;
  port: number;
  /** Whether the secret has come out: in a text, in a file, or to the server. */
  isRead(shown: string): boolean;
  /** Whether something below `locked` is not as it was. */
  isChanged(): boolean;
  close(): void;
}

export interface DenyPlaces {
  make(): Promise<DenyPlace>;
  remove(): void;
}

/** The places are copies of one template, because git takes its time. */
export function denyPlaces(): DenyPlaces {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-deny-')));
  const template = join(root, 'template');
  makeTemplate(template);
  let made = 0;
  return {
    async make() {
      const base = join(root, String(++made));
      const cwd = join(base, 'work');
      mkdirSync(join(base, 'home'), { recursive: true });
      cpSync(template, cwd, { recursive: true, preserveTimestamps: true });
      return openPlace(base, cwd);
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function openPlace(base: string, cwd: string): Promise<DenyPlace> {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      heard.push(data);
      // Enough for clients that wait to be told to go on, and for those that only want an answer.
      if (/expect: 100/i.test(data.toString('latin1'))) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      const answer =
        'HTTP/1.1 200 OK\r\nETag: "x"\r\nSet-Cookie: a=b\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n';
      setTimeout(() => socket.end(answer), 60);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const before = stateOf(join(cwd, 'locked'));
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    ...{ HOME: join(base, 'home'), TERM: 'dumb', LC_ALL: 'C.UTF-8', TMUX_TMPDIR: base, SHELL: '/bin/bash' },
    ...{ npm_config_cache: join(base, 'npm'), npm_config_update_notifier: 'false', npm_config_offline: 'true' },
  };
  return {
    cwd,
    env,
    port: (server.address() as AddressInfo).port,
    isRead: (shown) => shows(shown) || shows(Buffer.concat(heard).toString('latin1')) || copiesIn(cwd).some(shows),
    isChanged: () => stateOf(join(cwd, 'locked')) !== before,
    close: () => closeAll(server, base),
  };
}

function closeAll(server: Server, base: string): void {
  server.close();
  // What got through may have mounted something.
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').reverse()) {
    const at = line.split(' ')[4] ?? '';
    if (at.startsWith(`${base}/`)) execFileSync('umount', ['--lazy', at]);
  }
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}

function makeTemplate(folder: string): void {
  mkdirSync(join(folder, 'sub'), { recursive: true });
  mkdirSync(join(folder, 'locked/empty'), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
  put('in.txt', 'one\ntwo\nthree\n');
  put('f.txt', 'first\n');
  put('big.txt', 'a line of a larger file\n'.repeat(4000));
  put('sub/s.txt', 'below\n');
  put('sub/m.py', 'x = 1\n');
  put('package.json', '{"name":"x","version":"1.0.0"}\n');
  put('locked/f.txt', 'original\n');
  git('init', '--quiet', '--template=');
  git('config', 'user.name', 'x');
  git('config', 'user.email', 'x@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  put('.env', `KEY=${SECRET}\n`);
  put('locked/f.txt', 'second\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'second');
  put('f.txt', 'changed\n');
  put('locked/f.txt', 'changed\n');
  chmodSync(join(folder, 'locked/f.txt'), 0o640);
}

const ENCODED = [SECRET, [...SECRET].reverse().join(''), Buffer.from(SECRET).toString('hex')];
/** As a part of a longer text in base64, wherever it begins in it. */
const IN_BASE64 = [0, 1, 2].map((shift) =>
  Buffer.from(`${'x'.repeat(shift)}${SECRET}`)
    .toString('base64')
    .slice(shift === 0 ? 0 : 4, -4),
);

/** Dumps put blanks between the letters; some programs change the case. */
function shows(text: string): boolean {
  const bare = text.replaceAll(/[^!-~]+/g, '');
  const lower = bare.toLowerCase();
  return ENCODED.some((each) => lower.includes(each.toLowerCase())) || IN_BASE64.some((each) => bare.includes(each));
}

/** The texts of all files but the hidden one; git compresses its own. */
function copiesIn(cwd: string): string[] {
  return namesBelow(cwd).flatMap((name) => {
    const path = join(cwd, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (name === '.env' || name.startsWith('.git/') || !stat?.isFile() || stat.size > 1_000_000) return [];
    const isSame = statSync(join(cwd, '.env'), { throwIfNoEntry: false })?.ino === stat.ino;
    return isSame ? [] : [readFileSync(path, 'latin1')];
  });
}

/** Without those behind links, which may lead back. None where a form has moved the folder away. */
function namesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...namesBelow(join(folder, entry.name)).map((name) => `${entry.name}/${name}`)]
      : [entry.name],
  );
}

function stateOf(folder: string): string {
  if (!existsSync(folder)) return 'gone';
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => factsOf(join(folder, name), name)).join('\n');
}

function factsOf(path: string, name: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return `${name} gone`;
  const facts = `${name} ${stat.mode} ${stat.uid} ${stat.gid} ${stat.nlink}`;
  return stat.isFile() ? `${facts} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}` : facts;
}

const TIME_MS = 6000;
const MAX_SHOWN = 300_000;

/**
 * Runs a form in bash, as it is: no rule, no Heddle. In namespaces of its own where that is possible, so that its mounts and
 * its processes end with it.
 */
export async function runPlainly(
  text: string,
  { cwd, env }: DenyPlace,
  { offline }: { offline: boolean },
): Promise<string> {
  const [command = 'bash', ...args] = [
    ...(isolates() ? [...ISOLATED, ...(offline ? ['--net'] : [])] : []),
    'bash',
    '-c',
    text,
  ];
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let shown = '';
  const take = (data: Buffer) => {
    if (shown.length < MAX_SHOWN) shown += data.toString('latin1');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  await endOf(child);
  return shown;
}

const ISOLATED = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];

const canIsolate = { known: null as boolean | null };
function isolates(): boolean {
  if (canIsolate.known === null) {
    try {
      execFileSync('unshare', [...ISOLATED.slice(1), 'true'], { stdio: 'ignore' });
      canIsolate.known = true;
    } catch {
      canIsolate.known = false;
    }
  }
  return canIsolate.known;
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself, and so has all of its group.
      }
      resolve();
    };
    const timer = setTimeout(end, TIME_MS);
    child.once('exit', () => setTimeout(end, 30));
    child.once('error', end);
  });
}
