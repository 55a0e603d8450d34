import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backgroundPort } from '../../../src/tools/background/background-port.ts';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import { shellPort } from '../../../src/tools/shell/shell-port.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { eventually } from '../../support/processes.ts';
import { describeSandboxed, type SandboxRig, sandboxRig } from '../../support/sandbox.ts';
import { withService } from '../../support/tool-services.ts';

let rig: SandboxRig;
beforeEach(async () => {
  rig = await sandboxRig();
});
afterEach(() => rig.dispose());

/** Processes on the machine whose command line holds the mark. */
function running(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A number of seconds that nobody else sleeps. */
const uniqueSeconds = () => `6${Math.floor(Math.random() * 1e6)}.${Math.floor(Math.random() * 1e6)}`;

describeSandboxed('processes in the sandbox', () => {
  test.each([
    ['echo out; echo err >&2; exit 3', 'Exit code 3\nerr\n\nout'],
    ['false', 'Exit code 1'],
    ['kill -9 $$', 'Exit code 137'],
    ['no-such-program-here', 'Exit code 127\n/bin/bash: line 1: no-such-program-here: command not found'],
  ])('exit codes and outputs come through: %s', async (command, text) => {
    expect(await rig.sh(command)).toBe(text);
  });

  test('stdin is empty, arguments and quotes arrive as they are', async () => {
    expect(await rig.sh('cat; echo "$0" \'a  "b"\' $((1+1)); printf "%s|" "x y" z')).toBe('/bin/bash a  "b" 2\nx y|z|');
  });

  test('[TOOL-02] the directory is kept from call to call', async () => {
    mkdirSync(join(rig.bench.dir, 'a b/c'), { recursive: true });
    expect(await rig.sh('cd "a b/c"')).toBe('');
    expect(await rig.sh('pwd; touch here')).toBe(join(rig.bench.dir, 'a b/c'));
    expect(existsSync(join(rig.bench.dir, 'a b/c/here'))).toBe(true);
    expect(await rig.sh('cd /usr')).toContain('outside the directories of this session');
    expect(await rig.sh('pwd')).toBe(rig.bench.dir);
  });

  test('[H-4] a time-out ends everything inside, whatever it has done to hide', async () => {
    const seconds = uniqueSeconds();
    const hide = `setsid nohup sleep ${seconds} >/dev/null 2>&1 & (env -i setsid sleep ${seconds} &) ; trap "" TERM; sleep ${seconds}`;
    const started = rig.sh(hide, { timeout: 700 });
    await eventually(() => running(`sleep\0${seconds}`).length === 3);
    expect(await started).toMatch(/ended after 0\.7 s \(timeout\)/);
    await eventually(() => running(seconds).length === 0, 1000);
  });

  test('an interrupt ends everything inside', async () => {
    const seconds = uniqueSeconds();
    const controller = new AbortController();
    const bash = createBashTool({ isReadOnly: () => false });
    const service = withService(rig.bench.context.service, shellPort, { sandbox: rig.sandbox.shell });
    const input = { command: `echo early; setsid sleep ${seconds} & sleep ${seconds}` };
    const run = rig.bench.run(bash, input, { service, signal: controller.signal });
    await eventually(() => running(`sleep\0${seconds}`).length === 2);
    controller.abort(new Aborted('interrupt'));
    await expect(run).rejects.toThrow('The command was interrupted.\nearly');
    expect(running(seconds)).toEqual([]);
  });

  test('what is left in the background ends with the command, and does not hold it', async () => {
    const seconds = uniqueSeconds();
    expect(await rig.sh(`echo started; sleep ${seconds} &`)).toBe('started');
    await eventually(() => running(seconds).length === 0, 1000);
  });

  test('[H-3] a command in the background is confined, and ends with the session', async () => {
    const seconds = uniqueSeconds();
    const text = await rig.sh(`touch ../out; touch in; exec sleep ${seconds}`, { run_in_background: true });
    const file = /goes to (\S+);/.exec(text)?.[1] ?? '';
    await eventually(() => existsSync(join(rig.bench.dir, 'in')) && running(`sleep\0${seconds}`).length > 0);
    await eventually(() => readFileSync(file, 'utf8').includes('Read-only file system')); // it is written a moment later
    expect(existsSync(join(rig.bench.dir, '../out'))).toBe(false);
    await rig.bench.context.service(backgroundPort).tasks.close();
    expect(running(seconds)).toEqual([]);
  });

  test('processes outside are not seen', async () => {
    const text = await rig.sh(`ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid}; cat /proc/${process.pid}/environ`);
    expect(Number(text.split('\n').find((line) => /^\d+$/.test(line)))).toBeLessThan(8);
    expect(text).toMatch(/No such process[\s\S]*No such file/);
  });

  test('[TOOL-02] long output is spilled as ever', async () => {
    const text = await rig.sh('head -c 200000 /dev/zero | tr "\\0" x');
    expect(text.length).toBeLessThan(40_000);
    const file = /(\S+toolu_1-stdout\S*)/.exec(text)?.[1]?.replace(/[.,;:\]]+$/, '') ?? '';
    expect(readFileSync(file, 'utf8')).toHaveLength(200_000);
  });

  test('commands run side by side', async () => {
    writeFileSync(join(rig.bench.dir, 'x'), '');
    const outputs = await Promise.all([1, 2, 3].map((n) => rig.sh(`sleep 0.1; echo ${n}; ls`)));
    expect(outputs.map((text) => text[0])).toEqual(['1', '2', '3']);
  });
});

describeSandboxed('[SBX-11] the weaker sandbox', () => {
  test('works without a /proc of its own, and keeps the rest', async () => {
    const weak = await sandboxRig({ enableWeakerNestedSandbox: true }, { bench: rig.bench });
    expect(weak.sandbox.info()).toMatchObject({ weaker: true });
    const text = await weak.sh(
      'echo hi > in; cat in; test -d /proc/self/fd && echo proc; touch ../out; echo x > /proc/self/comm',
    );
    expect(text).toMatch(/^Exit code 1[\s\S]*Read-only[\s\S]*Read-only[\s\S]*hi\nproc/);
    await weak.sandbox.close();
  });
});
