// The packed package in an empty folder, as a step of `npm run test:rest`.
import { runCommand } from './run-command.mjs';
import { reportStep } from './steps.mjs';
import { root } from './tree.mjs';

const NAME = 'the packed package installs and works (tarball)';
const NO_REGISTRY = 3;

/**
 * Begins once the package is built; most of its time is spent on the installation, beside the tests. The function that is
 * returned waits for it. Without a registry only the tarball itself was looked at, which is said aloud and is no failure.
 */
export function startTarball() {
  const started = performance.now();
  const running = runCommand(process.execPath, ['scripts/tarball.mjs'], { cwd: root });
  return async () => {
    const { code, output } = await running;
    if (code === NO_REGISTRY) console.log(`\n${output.trimEnd()}`);
    const step = { name: NAME, ok: code === 0 || code === NO_REGISTRY, output, ms: performance.now() - started };
    reportStep(step);
    return [step];
  };
}
