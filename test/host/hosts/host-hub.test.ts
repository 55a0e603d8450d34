import { describe, expect, test } from 'vitest';
import { HostHub } from '../../../src/host/hosts/host-hub.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { hostRequests } from '../../../src/wire/control/host-requests.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import type { Transport } from '../../../src/wire/link/transport.ts';
import { HostsChangedMessage, QuestionAnsweredMessage } from '../../../src/wire/messages/index.ts';
import { Client, createHouse } from '../support.ts';
import { share } from './support.ts';

const WRITE = () => toolUse('Write', { file_path: 'made', content: 'x' });
const seqs = (client: Client): number[] => client.lines.flatMap(({ seq }) => (typeof seq === 'number' ? seq : []));
const questions = (client: Client) => client.of('control_request/can_use_tool');

describe('lines', () => {
  test('[TUI-72] go to all hosts, numbered without a gap, with the same numbers', async () => {
    const { owner, attach } = share(createHouse(['one', 'two']));
    await owner.ask('first');
    const guest = await attach({ role: 'watch', name: 'guest' });
    expect(hostRequests.attach.response.safeParse(guest.attached).success).toBe(true);
    await owner.ask('second');
    await guest.result(0);
    const all = seqs(owner);
    expect(all).toEqual(all.map((_, at) => at + 1));
    expect(seqs(guest)).toEqual(all.slice(Number(guest.attached.seq)));
    const [joined] = owner.of('system/hosts_changed');
    expect(HostsChangedMessage.safeParse(joined).success).toBe(true);
    expect(joined).toMatchObject({ joined: 'h2', hosts: [{ name: 'owner' }, { name: 'guest', role: 'watch' }] });
  });

  test('[TUI-72] a host that comes late gets the lines from the number that it names', async () => {
    const { owner, attach } = share(createHouse(['one', 'two']));
    await owner.ask('first');
    const before = [...owner.lines];
    const guest = await attach({ from_seq: 1 });
    await guest.until(() => guest.lines.length > before.length);
    expect(guest.lines.slice(1, before.length + 1)).toEqual(before);
    expect(guest.attached).toMatchObject({ seq: before.length, oldest_seq: 1, role: 'drive' });
    expect(guest.attached.has_gap).toBeUndefined();
  });

  test('forgotten lines are said to be gone', async () => {
    const hub = new HostHub({ newId: () => 'id', now: () => 0, limits: { lines: 3 } });
    for (let n = 1; n <= 10; n++) hub.write({ type: 'system', subtype: 'x', n });
    const { near, far } = memoryPair();
    void hub.join(far);
    const guest = new Client(near);
    const { response } = await guest.control({ subtype: 'attach', from_seq: 2 });
    expect(response).toMatchObject({ seq: 10, oldest_seq: 8, has_gap: true });
    await guest.until(() => guest.of('system/hosts_changed').length > 0);
    expect(seqs(guest)).toEqual([8, 9, 10, 11]);
    await hub.close();
  });

  test('[TUI-72] a host that does not read is sent away, and the others miss nothing', async () => {
    const hub = new HostHub({ newId: () => 'id', now: () => 0, patience: 5000 });
    const stuck = memoryPair();
    const slow: Transport = { ...methodsOf(stuck.far), write: () => new Promise<void>(() => {}) };
    void hub.join(slow);
    await stuck.near.write({ type: 'control_request', request_id: '1', request: { subtype: 'attach', name: 'slow' } });
    const { near, far } = memoryPair();
    void hub.join(far);
    const other = new Client(near);
    await other.control({ subtype: 'attach', name: 'quick' });
    for (let n = 0; n < 200; n++)
      expect(hub.write({ type: 'system', subtype: 'x', text: 'a'.repeat(100) })).toBeUndefined();
    await other.until(() => other.of('system/x').length === 200);
    expect(other.of('system/hosts_changed').at(-1)).toMatchObject({
      left: 'h1',
      reason: 'It read too slowly; it can attach again',
    });
    await hub.close();
  });
});

describe('questions', () => {
  test('[TUI-72] go to all that drive; the first well-formed answer counts, the others are withdrawn and told who', async () => {
    const house = createHouse([WRITE(), 'done']);
    const { owner, attach } = share(house);
    const guest = await attach({ name: 'guest' });
    const watcher = await attach({ role: 'watch' });
    owner.say('go');
    for (const each of [owner, guest]) await each.until(() => questions(each).length > 0);
    const { request_id } = questions(guest)[0] as JsonObject;
    expect(questions(owner)[0]?.request_id).toBe(request_id);
    const say = (client: Client, response: JsonObject) =>
      client.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    say(owner, { behavior: 'perhaps' });
    say(guest, { behavior: 'deny', message: 'not today' });
    say(owner, { behavior: 'allow' });
    const result = await owner.result(0);
    expect(result.permission_denials).toHaveLength(1);
    expect(JSON.stringify(house.model.requests[1])).toContain('not today');
    const [told] = watcher.of('system/question_answered');
    expect(QuestionAnsweredMessage.safeParse(told).success).toBe(true);
    expect(told).toMatchObject({ request_id, host_id: 'h2', host_name: 'guest', answer: 'deny' });
    expect(questions(watcher)).toEqual([]);
    expect(guest.of('control_cancel_request')).toEqual([]);
  });

  test('[TUI-72] the one who was slower is told that its answer is not needed', async () => {
    const { owner, attach } = share(createHouse([WRITE(), 'done']), {}, ({ subtype }) =>
      subtype === 'can_use_tool' ? { behavior: 'deny', message: 'no' } : {},
    );
    const guest = await attach({ name: 'guest' });
    await owner.ask('go');
    await guest.result(0);
    const [{ request_id } = {}] = questions(guest);
    const [by] = guest.of('system/question_answered').map(({ host_name }) => host_name);
    expect(typeof by).toBe('string');
    expect(guest.of('control_cancel_request')).toEqual([
      { type: 'control_cancel_request', request_id, answered_by: by },
    ]);
  });

  test('an answer that is not well-formed counts when nobody is left to give another', async () => {
    const { owner } = share(createHouse([WRITE(), 'done']), {}, () => ({ behavior: 'perhaps' }));
    expect((await owner.ask('go')).permission_denials).toHaveLength(1);
  });

  test('[TUI-72] a question waits for the host that comes late, and survives the one that had it', async () => {
    const { owner, attach } = share(createHouse([WRITE(), 'done']));
    const first = await attach({ name: 'first' });
    owner.say('go');
    await first.until(() => questions(first).length > 0);
    await first.control({ subtype: 'detach' });
    await owner.control({ subtype: 'detach' });
    const late = await attach({ name: 'late' }, ({ subtype }) =>
      subtype === 'can_use_tool' ? { behavior: 'deny', message: 'late' } : {},
    );
    expect((await late.result(0)).permission_denials).toHaveLength(1);
  });
});

describe('what hosts may do', () => {
  test('[TUI-72] each prompt has an origin', async () => {
    const house = createHouse(['one', 'two']);
    const { owner, attach } = share(house);
    const guest = await attach({ name: 'guest' });
    await owner.ask('first', { uuid: '00000000-0000-4000-8000-000000000001' });
    guest.say('second', { uuid: '00000000-0000-4000-8000-000000000002' });
    await owner.result(1);
    const origins = owner
      .of('user')
      .filter(({ isReplay }) => isReplay)
      .map(({ origin }) => origin);
    expect(origins).toEqual([
      { kind: 'human', host_id: 'h1', host_name: 'owner' },
      { kind: 'human', host_id: 'h2', host_name: 'guest' },
    ]);
  });

  test('[TUI-72] a watcher reads; it neither prompts nor changes anything', async () => {
    const house = createHouse(['one']);
    const { owner, attach } = share(house);
    const watcher = await attach({ role: 'watch' });
    expect(await watcher.control({ subtype: 'set_permission_mode', mode: 'plan' })).toMatchObject({
      ...{ subtype: 'error', error_code: 'watching' },
    });
    expect(await watcher.control({ subtype: 'interrupt' })).toMatchObject({ error_code: 'watching' });
    expect(await watcher.control({ subtype: 'get_usage' })).toMatchObject({ subtype: 'success' });
    watcher.say('a prompt');
    await watcher.until(() => watcher.of('system/input_error').length > 0);
    await owner.ask('first');
    expect(house.model.requests).toHaveLength(1);
    expect(owner.of('system/input_error')).toEqual([]);
  });

  test('answers find the host that asked, although both chose the same id', async () => {
    const { owner, attach } = share(createHouse([]));
    const guest = await attach();
    const id = 'same';
    owner.send({ type: 'control_request', request_id: id, request: { subtype: 'set_permission_mode', mode: 'plan' } });
    guest.send({ type: 'control_request', request_id: id, request: { subtype: 'no_such_thing' } });
    const answers = (client: Client) =>
      client
        .of('control_response')
        .map(({ response }) => response as JsonObject)
        .filter((each) => each.request_id === id);
    for (const each of [owner, guest]) await each.until(() => answers(each).length > 0);
    expect(answers(owner)).toMatchObject([{ subtype: 'success' }]);
    expect(answers(guest)).toMatchObject([{ subtype: 'error', error_code: 'unsupported_request' }]);
  });

  test('[TUI-70] the owner detaches in the middle of a turn, which goes on; a guest sees its end', async () => {
    const { session, owner, attach } = share(createHouse([WRITE(), 'done']));
    owner.say('go');
    await owner.until(() => questions(owner).length > 0);
    expect(await owner.control({ subtype: 'detach' })).toMatchObject({ subtype: 'success' });
    expect(session.hub.isDriven).toBe(false);
    const guest = await attach({}, () => ({ behavior: 'deny', message: 'no' }));
    await guest.result(0);
    expect(await guest.control({ subtype: 'end_input' })).toMatchObject({ subtype: 'success' });
    expect(await session.ended).toMatchObject({ exitCode: 0 });
  });

  test('the end of a guest is its own; the end of the owner is the end of the session', async () => {
    const { session, owner, attach } = share(createHouse(['one', 'two']));
    const guest = await attach();
    await guest.end();
    expect((await owner.ask('first')).is_error).toBe(false);
    expect(await owner.end()).toMatchObject({ code: 0 });
    expect(await session.ended).toMatchObject({ exitCode: 0 });
  });

  test('nothing is served before `attach`, and sessions that can be shared say so', async () => {
    const { owner, session } = share(createHouse([]));
    const { near, far } = memoryPair();
    void session.join(far);
    const stranger = new Client(near);
    expect(await stranger.control({ subtype: 'initialize' })).toMatchObject({ error_code: 'not_attached' });
    expect(await stranger.control({ subtype: 'attach', role: 'king' })).toMatchObject({
      error_code: 'invalid_request',
    });
    const { response } = await owner.control({ subtype: 'initialize' });
    expect((response as JsonObject).capabilities).toContain('attach');
    await near.close();
  });

  test('a stop ends the turn with a result for all', async () => {
    const { session, owner, attach } = share(createHouse([hang()]));
    const guest = await attach();
    owner.say('go');
    await guest.until(() => guest.of('system/init').length > 0);
    session.stop();
    await session.ended;
    expect(guest.results).toHaveLength(1);
    expect(owner.results).toHaveLength(1);
  });
});

function methodsOf(transport: Transport): Transport {
  return {
    connect: () => transport.connect(),
    write: (line) => transport.write(line),
    readMessages: () => transport.readMessages(),
    endInput: () => transport.endInput(),
    close: () => transport.close(),
    isReady: () => transport.isReady(),
    exit: transport.exit,
  };
}
