// A command that is run to its end, with all that it says.
import { spawn } from 'node:child_process';

/**
 * Resolves with the exit code (null when the command could not be started, or was killed) and its output; never rejects.
 * With `limitMs` it runs in a process group of its own, so that nothing of it outlives the time limit.
 */
export function runCommand(command, args, { cwd, limitMs, env = process.env }) {
  return new Promise((resolve) => {
    const hasLimit = limitMs !== undefined;
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: hasLimit });
    const timer = hasLimit ? setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs) : undefined;
    let output = '';
    const finish = (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    };
    const take = (data) => {
      output += data;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      take(error.message);
      finish(null);
    });
    child.on('close', finish);
  });
}
