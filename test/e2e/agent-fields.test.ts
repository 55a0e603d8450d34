import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FakeApiRequest, reply, text, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line, textsOf } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

const agent = (fields: object) => ({ description: 'd', prompt: 'You are X.', ...fields });

describe('initialPrompt of the agent that the main thread runs as', () => {
  test('is a turn of its own, before what the host says', async () => {
    const place = await makePlace(() => 'ok');
    const agents = { x: agent({ initialPrompt: 'Look around first.' }) };
    const options = { cwd: place.cwd, env: place.env, agents, agent: 'x' };
    const results: unknown[] = [];
    for await (const message of sdk.query({ prompt: 'hello', options })) {
      if (message.type === 'result') results.push(message.subtype);
    }
    expect(results).toEqual(['success', 'success']);
    const prompts = (bodyOf(place.api.requests[1]).messages as Line['message'][]).map(
      (message) => textsOf(message).filter((said) => !said.startsWith('<system-reminder>'))[0],
    );
    expect(prompts).toEqual(['Look around first.', 'ok', 'hello']);
  });

  test('it begins by itself, may be a command, and is not said again in a resume', async () => {
    const place = await makePlace(() => 'ok');
    put(join(place.cwd, '.claude', 'commands', 'tour.md'), 'Take a tour.');
    const cli = startCli([...STREAM_BOTH, '--agent', 'x'], { place });
    await cli.control({ subtype: 'initialize', agents: { x: agent({ initialPrompt: '/tour' }) } });
    const { session_id } = await cli.nextResult();
    expect(conversationText(place.api.requests[0])).toContain('Take a tour.');
    cli.endInput();
    await cli.finished;
    expect(place.api.requests).toHaveLength(1);
    const agents = JSON.stringify({ x: agent({ initialPrompt: '/tour' }) });
    const resumed = ['--resume', String(session_id), '--agent', 'x', '--agents', agents];
    const { lines } = await runCli([...STREAM_OUT, 'go on', ...resumed], { place });
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
  });

  test('a subagent of that kind is not concerned', async () => {
    const isAgent = (request: FakeApiRequest) => JSON.stringify(bodyOf(request).system).includes('You are X.');
    const call = toolUse('Task', { description: 'd', prompt: 'do it', subagent_type: 'x' });
    let asked = 0;
    const place = await makePlace((request) => (isAgent(request) ? 'done' : asked++ === 0 ? call : 'all done'));
    const agents = JSON.stringify({ x: agent({ initialPrompt: 'Look around first.' }) });
    await runCli([...STREAM_OUT, 'hi', '--agents', agents], { place });
    expect(place.api.requests.map(conversationText).join()).not.toContain('Look around first.');
  });
});

describe('fields of subagents', () => {
  test('omitClaudeMd: it is told nothing of memory files; others are', async () => {
    for (const [omitClaudeMd, isTold] of [
      [undefined, true],
      [true, false],
    ] as const) {
      const { agentRequests } = await delegated({ omitClaudeMd }, (place) =>
        put(join(place, 'CLAUDE.md'), 'The weft is blue.'),
      );
      expect(conversationText(agentRequests[0]).includes('The weft is blue.')).toBe(isTold);
    }
  });

  test('autoCompactWindow: it compacts its own conversation sooner', async () => {
    const { lines, agentRequests } = await delegated({ autoCompactWindow: 5000 });
    expect(agentRequests.map(conversationText).join()).toContain('A long way.');
    expect(lines.some((line) => kindOf(line) === 'system/compact_boundary')).toBe(false);
    const plain = await delegated({});
    expect(plain.agentRequests.map(conversationText).join()).not.toContain('A long way.');
  });
});

/** Has a subagent read a file, which fills its window by 6000 tokens, and answer. */
async function delegated(fields: object, prepare: (cwd: string) => void = () => {}) {
  const isAgent = (request: FakeApiRequest) => JSON.stringify(bodyOf(request).system).includes('You are X.');
  const isSummary = (request: FakeApiRequest) => /summar/i.test(JSON.stringify(bodyOf(request).messages.at(-1)));
  const call = toolUse('Task', { description: 'd', prompt: 'do it', subagent_type: 'x' });
  const read = reply([toolUse('Read', { file_path: 'a.txt' })], { usage: { input_tokens: 6000 } });
  const seen = { agent: 0, main: 0 };
  const place = await makePlace((request) => {
    if (!isAgent(request)) return seen.main++ === 0 ? call : 'all done';
    if (isSummary(request)) return '<summary>A long way.</summary>';
    return seen.agent++ === 0 ? read : [text('done')];
  });
  put(join(place.cwd, 'a.txt'), 'one\n');
  prepare(place.cwd);
  const agents = JSON.stringify({ x: agent(fields) });
  const { lines } = await runCli([...STREAM_OUT, 'hi', '--agents', agents], { place });
  return { lines, agentRequests: place.api.requests.filter(isAgent) };
}
