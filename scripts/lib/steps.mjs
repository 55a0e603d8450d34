// Steps of a check: named commands whose output is shown only when they fail.
import { spawn } from 'node:child_process';
import { root } from './tree.mjs';

/**
 * Runs a command of this repository. A step is `{ name, command: [script, ...args] }`; the script is a JavaScript file,
 * run with this Node. Never rejects: a command that cannot be started is a failed step.
 */
export function runStep({ name, command }) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const finish = (ok) => resolve({ name, ok, output: output.trimEnd(), ms: performance.now() - started });
    const take = (data) => {
      output += data;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      take(error.message);
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}

/** Says how a step ended, with its output if it failed. */
export function reportStep({ name, ok, output, ms }) {
  const seconds = (ms / 1000).toFixed(1);
  if (ok) return console.log(`ok      ${name} (${seconds} s)`);
  console.log(`FAILED  ${name} (${seconds} s)`);
  console.log(output.replace(/^/gm, '    '));
}

/** Runs steps side by side and reports each as it ends. */
export function runSteps(steps) {
  return Promise.all(
    steps.map(async (step) => {
      const result = await runStep(step);
      reportStep(result);
      return result;
    }),
  );
}
