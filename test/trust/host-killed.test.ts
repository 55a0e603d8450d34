import { expect, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/index.ts';
import { killHost, type RunningHost, startHost } from '../support/host-killed.ts';
import { ORPHAN_LOADS, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';
import { tally } from './tally.ts';

const isGone = tally(['H-1', 'H-2', 'H-3'], 'deaths of a host', 'with something left after 10 s');
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const;

/** What the agent is at when its host dies. Each resolves when it is. */
const WORK: Record<string, () => Promise<RunningHost>> = {
  async nothing() {
    const place = await makePlace([]);
    return startHost(place, '');
  },
  async 'an answer of the model'() {
    const place = await makePlace([hang()]);
    const host = startHost(place, 'go');
    await eventually(() => place.api.requests.length > 0, 10_000);
    return host;
  },
  async 'a command that says nothing'() {
    const place = await makePlace([toolUse('Bash', { command: ORPHAN_LOADS.foreground })]);
    const host = startHost(place, 'go');
    expect(isAlive(await pidOfLoad(place.cwd, 'foreground'))).toBe(true);
    return host;
  },
  async 'a command that ignores signals'() {
    const place = await makePlace([toolUse('Bash', { command: ORPHAN_LOADS.deaf })]);
    const host = startHost(place, 'go');
    expect(isAlive(await pidOfLoad(place.cwd, 'deaf'))).toBe(true);
    return host;
  },
  async 'a command in the background'() {
    const call = toolUse('Bash', { command: ORPHAN_LOADS.foreground, run_in_background: true });
    const place = await makePlace([call, 'Started.']);
    const host = startHost(place, 'go');
    expect(isAlive(await pidOfLoad(place.cwd, 'foreground'))).toBe(true);
    await eventually(() => host.said().includes('result'), 10_000);
    return host;
  },
};

test.each(signals.flatMap((signal) => Object.entries(WORK).map(([work, begin]) => ({ signal, work, begin }))))(
  '[H-1, H-2, H-3] a host that dies of $signal leaves nothing within 10 s, while its agent is at: $work',
  async ({ signal, begin }) => {
    const host = await begin();
    await eventually(() => host.said().includes('ready'), 10_000);
    expect(descendantsOf(host.pid).length).toBeGreaterThan(0);
    const left = await killHost(host, signal, 10_000).then(
      () => [],
      (error: unknown) => [error],
    );
    isGone(left);
  },
);
