// Runs a command and says what it cost. See README.md for why it is done this way.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

/** Descriptor 3 carries what the shell has to say: the process id at once, the times at the end. */
const SCRIPT = `exec 4>&2 2>&3
TIMEFORMAT='time %3R %3U %3S'
time { "$@" 2>&4 3>&- 4>&- & echo "pid $!" >&3; wait "$!"; }`;
const POLL_MS = 4;

/**
 * Resolves with `{ wallMs, cpuMs, rssMiB, stdout, stderr, code }`. CPU is user + system time of the process and of every
 * child that was waited for; peak RSS is of the process alone, null where there is no /proc.
 */
export function measure([command, ...args], { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', SCRIPT, 'measure', command, ...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [stdout, stderr, notes] = child.stdio.slice(1).map(collect);
    let peakKiB = null;
    const timer = setInterval(() => {
      const pid = /^pid (\d+)/.exec(notes.text)?.[1];
      if (pid) peakKiB = highWaterMark(pid) ?? peakKiB;
    }, POLL_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const [wall, user, system] = /^time ([\d.]+) ([\d.]+) ([\d.]+)$/m.exec(notes.text).slice(1).map(Number);
      resolve({
        wallMs: wall * 1000,
        cpuMs: (user + system) * 1000,
        rssMiB: peakKiB === null ? null : peakKiB / 1024,
        stdout: stdout.text,
        stderr: stderr.text,
        code,
      });
    });
  });
}

function collect(stream) {
  const sink = { text: '' };
  stream.setEncoding('utf8').on('data', (data) => {
    sink.text += data;
  });
  return sink;
}

/** The largest size that the process has had so far; the kernel keeps it, so the last look before the end is enough. */
function highWaterMark(pid) {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    const found = /^VmHWM:\s+(\d+) kB/m.exec(status);
    return found ? Number(found[1]) : null;
  } catch {
    return null;
  }
}
