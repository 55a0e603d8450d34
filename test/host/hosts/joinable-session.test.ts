import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { joinSession } from '../../../src/admin/running/join-session.ts';
import { type RunningSession, whyNotJoined } from '../../../src/admin/running/running-sessions.ts';
import { type AttachPolicy, openToOthers } from '../../../src/host/hosts/joinable-session.ts';
import { readRunRecord } from '../../../src/sessions/running/run-record.ts';
import { makeDirectory } from '../../../src/util/files/make-directory.ts';
import { socketPath } from '../../../src/util/process/private-folder.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Answer, Client, createHouse, tempDir } from '../support.ts';
import { share } from './support.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });

/** A session with a terminal that others may want to join. */
function joinable(policy: AttachPolicy, answer?: Answer, times: { lingerMs?: number; askMs?: number } = {}) {
  const home = tempDir();
  makeDirectory(join(home, 'locks'), 0o700);
  const shared = share(createHouse([]), {}, answer);
  const { hub } = shared.session;
  const made = openToOthers({
    hub,
    home,
    sessionId: ID,
    cwd: '/',
    policy: async () => policy,
    log: () => {},
    ...times,
  });
  afterTest(() => made.close());
  const session: RunningSession = {
    ...{ sessionId: ID, pid: process.pid, host: 'here', since: '', state: 'idle', record: null, isHere: true },
  };
  const knock = async () => {
    const options = { home, role: 'drive' as const, name: 'a neighbour', patienceMs: 15_000 };
    const { transport, pass } = await joinSession(session, options);
    const client = new Client(transport);
    afterTest(() => client.close());
    await client.control({ subtype: 'attach', pass });
    return client;
  };
  return { ...shared, home, made, knock };
}

test('[TUI-71] the terminal is asked who may come in, by the name that the other one has given', async () => {
  const asked: unknown[] = [];
  const { knock, home, session } = joinable('ask', (request) => {
    asked.push(request);
    return { action: 'accept' };
  });
  await knock();
  expect(asked).toMatchObject([{ subtype: 'elicitation', mcp_server_name: 'heddle' }]);
  expect(JSON.stringify(asked)).toContain('a neighbour wants to join this session');
  expect(session.hub.hosts.map(({ details }) => details.name)).toEqual(['owner', 'a neighbour']);
  expect(statSync(join(home, 'run', `${ID}.sock`)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, 'locks'))).toEqual([]);
});

test('[TUI-71] the terminal refuses, or does not answer', async () => {
  await expect(joinable('ask', () => ({ action: 'decline' })).knock()).rejects.toThrow('Its terminal has refused');
  const silent = joinable('ask', undefined, { askMs: 20 });
  await expect(silent.knock()).rejects.toThrow('has not answered within');
  expect(silent.owner.of('control_cancel_request')).toHaveLength(1);
  expect(readdirSync(join(silent.home, 'run'))).not.toContain(`${ID}.sock`);
});

test('[TUI-71] the socket is gone a while after the last one has left', async () => {
  const { knock, home } = joinable('own', undefined, { lingerMs: 300 });
  const neighbour = await knock();
  expect(readdirSync(join(home, 'run'))).toContain(`${ID}.sock`);
  await neighbour.close();
  await eventually(() => expect(readdirSync(join(home, 'run'))).not.toContain(`${ID}.sock`));
  await knock();
});

test('the record tells the state, and goes with the session', async () => {
  const { made, home, session } = joinable('own');
  await eventually(() => expect(readRunRecord(home, ID)).toMatchObject({ state: 'idle', terminal: true, hosts: 1 }));
  session.hub.write({ type: 'system', subtype: 'init' });
  await eventually(() => expect(readRunRecord(home, ID)).toMatchObject({ state: 'busy' }));
  await made.close();
  expect(readdirSync(join(home, 'run'))).toEqual([]);
});

test('what a killed process has left is removed; other files stay', () => {
  const home = tempDir();
  makeDirectory(join(home, 'locks'));
  makeDirectory(join(home, 'run'));
  const other = '11111111-0000-4000-8000-000000000000';
  for (const name of [`${other}.json`, `${other}.sock`, 'notes.txt']) writeFileSync(join(home, 'run', name), '');
  const { hub } = share(createHouse([])).session;
  const made = openToOthers({ hub, home, sessionId: ID, cwd: '/', policy: async () => 'own', log: () => {} });
  afterTest(() => made.close());
  expect(readdirSync(join(home, 'run'))).not.toContain(`${other}.json`);
  expect(readdirSync(join(home, 'run'))).not.toContain(`${other}.sock`);
  expect(readdirSync(join(home, 'run'))).toContain('notes.txt');
});

test('a directory that others may enter holds no socket', async () => {
  const { knock, home } = joinable('own');
  await eventually(() => expect(readRunRecord(home, ID)).not.toBeNull());
  chmodSync(join(home, 'run'), 0o755);
  await expect(knock()).rejects.toThrow('can be entered by others');
});

test.runIf(process.platform === 'linux')('a socket may lie in a directory with a long path', () => {
  const folder = join(tempDir(), 'a'.repeat(60), 'b'.repeat(60));
  makeDirectory(folder);
  const { path, release } = socketPath(folder, 's.sock');
  expect(path.length).toBeLessThan(100);
  release();
});

test('a session elsewhere, and one of another program, say how to get there', () => {
  const base: RunningSession = {
    ...{ sessionId: ID, pid: 7, host: 'far', since: '', state: 'running', record: null, isHere: false },
  };
  expect(whyNotJoined(base)).toContain('heddle attach far:00000000');
  expect(whyNotJoined({ ...base, isHere: true })).toContain('heddle attach --watch 00000000');
});
