// A program in a pseudo terminal (util-linux `script`): what it writes, what it costs in /proc, and keys for it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const PATIENCE_MS = 30_000;
const END_OF_FRAME = '\u001b[?2026l';

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts `command` in a window of 120 x 40. */
export function openPseudoTerminal(command) {
  const pidFile = `${process.cwd()}/terminal-${process.pid}.pid`;
  const words = command.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols 120 rows 40; echo $$ > ${pidFile}; exec ${words}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  process.on('SIGTERM', () => process.exit(1));
  let seen = '';
  let bytes = 0;
  let pid = 0;
  let wake = () => {};
  child.stdout.on('data', (data) => {
    bytes += data.length;
    seen = (seen + data.toString('latin1')).slice(-100_000);
    wake();
  });
  process.on('exit', () => {
    fs.rmSync(pidFile, { force: true });
    if (child.exitCode === null) end(pid);
  });

  async function until(isSo) {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while (!isSo()) {
      if (patience.aborted || child.exitCode !== null)
        throw new Error(`The terminal never showed it: ${JSON.stringify(seen.slice(-500))}`);
      await Promise.race([new Promise((resolve) => (wake = resolve)), pause(50)]);
    }
  }

  const type = (keys) => child.stdin.write(keys);
  return {
    get bytes() {
      return bytes;
    },
    get pid() {
      pid ||= Number(fs.readFileSync(pidFile, 'utf8'));
      return pid;
    },
    /** CPU of all threads so far, in milliseconds; the kernel counts nanoseconds here. */
    cpuMs() {
      const threads = fs.readdirSync(`/proc/${this.pid}/task`);
      const spent = threads.map((each) =>
        Number(fs.readFileSync(`/proc/${this.pid}/task/${each}/schedstat`, 'utf8').split(' ')[0]),
      );
      return spent.reduce((sum, each) => sum + each, 0) / 1e6;
    },
    rssMiB: () => rssMiB(pid),
    type,
    /** Waits until this was written; what was written before the last call of `forget` does not count. */
    sees: (text) => until(() => seen.includes(Buffer.from(text).toString('latin1'))),
    forget() {
      seen = '';
    },
    /** Resolves when nothing has been written for a moment. */
    async quiet() {
      for (let last = -1; last !== bytes; ) {
        last = bytes;
        await pause(200);
      }
    },
    /** Types a key, and waits for what it writes: a whole frame, or anything. Resolves with the milliseconds. */
    async typed(key, { wholeFrame = true } = {}) {
      const wanted = bytes;
      seen = '';
      const from = performance.now();
      type(key);
      await until(() => bytes > wanted && (!wholeFrame || seen.endsWith(END_OF_FRAME)));
      return performance.now() - from;
    },
    async leave() {
      type('\u0003');
      await this.quiet();
      type('\u0004');
      await this.quiet();
      type('\u0004');
      await closed;
    },
    closed,
  };
}

/** The program of a benchmark that has failed. */
function end(pid) {
  if (pid === 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export function rssMiB(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** The value below which `share` of the values are. */
export function share(values, part) {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
}
