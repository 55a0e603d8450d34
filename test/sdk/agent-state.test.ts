import { expect, test } from 'vitest';
import { query } from '../../src/sdk/query.ts';
import type { SDKMessage } from '../../src/wire/messages/sdk.ts';
import type { Line } from '../support/lines.ts';
import { RESULT, type ScriptedAgent, scriptedAgent } from '../support/scripted-agent.ts';

const state = (name: string, more: object = { sdk_host_only: true }) => ({
  type: 'system',
  subtype: 'session_state_changed',
  state: name,
  session_id: 's',
  uuid: 'u',
  ...more,
});

const question = {
  type: 'control_request',
  request_id: 'q1',
  request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'toolu_1' },
};

/** An agent of another make: it knows no `end_input`, and works on behind its first result. */
function agentThatTells(): ScriptedAgent {
  return scriptedAgent({
    onUser(_line, self) {
      self.say(state('running'));
      self.say(RESULT);
    },
  });
}

async function read(run: AsyncIterable<SDKMessage>, onMessage: (message: Line) => void = () => {}): Promise<Line[]> {
  const seen: Line[] = [];
  for await (const message of run) {
    seen.push(message as unknown as Line);
    onMessage(message as unknown as Line);
  }
  return seen;
}

test('[K49, K2] with an agent that tells its state, control stays open behind the first result until it is idle', async () => {
  const asked: string[] = [];
  const agent = agentThatTells();
  const run = query({
    prompt: 'go',
    options: {
      transport: agent.connect,
      async canUseTool(name) {
        asked.push(name);
        agent.say(RESULT);
        agent.say(state('idle'));
        return { behavior: 'allow', updatedInput: {} };
      },
    },
  });
  let results = 0;
  const seen = await read(run, ({ type }) => {
    if (type === 'result' && ++results === 1) agent.say(question);
  });
  expect(asked).toEqual(['Bash']);
  expect(agent.lines.filter(({ type }) => type === 'control_response')).toHaveLength(1);
  expect(seen.map(({ type }) => type)).toEqual(['result', 'result']);
});

test('[K49] an input that ends while the agent is idle is over at once', async () => {
  const agent = agentThatTells();
  async function* prompts() {
    yield 'go';
    await first;
  }
  let release = () => {};
  const first = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = query({ prompt: prompts(), options: { transport: agent.connect } });
  const seen = await read(run, () => {
    agent.say(state('idle'));
    release();
  });
  expect(seen).toHaveLength(1);
  expect(agent.deeds).toContain('endInput');
});

test('[K49] the lines that are for the SDK alone do not reach its user, others do', async () => {
  const agent = scriptedAgent({
    onUser(_line, self) {
      self.say(state('running'));
      self.say(state('running', {}));
      self.say(RESULT);
      self.say(state('idle'));
    },
  });
  const seen = await read(query({ prompt: 'go', options: { transport: agent.connect } }));
  expect(seen.map(({ type, subtype }) => [type, subtype])).toEqual([
    ['system', 'session_state_changed'],
    ['result', 'success'],
  ]);
});

test('[K2] an agent that tells nothing has its input ended with its result', async () => {
  const agent = scriptedAgent();
  const seen = await read(query({ prompt: 'go', options: { transport: agent.connect } }));
  expect(seen).toHaveLength(1);
});
