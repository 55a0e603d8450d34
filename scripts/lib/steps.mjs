// Steps of a check: named commands whose output is shown only when they fail.
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

/**
 * Runs a command of this repository. A step is `{ name, command: [script, ...args] }`; the script is a JavaScript file,
 * run with this Node. Never rejects: a command that cannot be started is a failed step.
 */
export async function runStep({ name, command }) {
  const started = performance.now();
  const { code, output } = await runCommand(process.execPath, command, { cwd: root });
  return { name, ok: code === 0, output: output.trimEnd(), ms: performance.now() - started };
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
