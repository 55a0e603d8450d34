import { describe, expect, onTestFinished, test } from 'vitest';
import { query, type SDKMessage, startup, type WarmQuery } from '../../src/sdk/index.ts';
import { userMessage } from '../../src/sdk/user-message.ts';
import { eventually } from '../support/processes.ts';
import { type Script, scriptedAgent } from '../support/scripted-agent.ts';

/** A warm query over an agent that the test writes. */
async function warmed(script: Script = {}): Promise<{ warm: WarmQuery; agent: ReturnType<typeof scriptedAgent> }> {
  const agent = scriptedAgent(script);
  const warm = await startup({ options: { transport: agent.connect } });
  onTestFinished(() => warm[Symbol.asyncDispose]());
  return { warm, agent };
}

async function typesOf(messages: AsyncIterable<SDKMessage>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of messages) types.push(type);
  return types;
}

const users = ({ lines }: ReturnType<typeof scriptedAgent>) => lines.filter(({ type }) => type === 'user');

describe('startup', () => {
  test('[B-109] the agent is initialized before there is a prompt, which is then the first it hears', async () => {
    const { warm, agent } = await warmed();
    expect(agent.requests).toMatchObject([{ subtype: 'initialize' }]);
    expect(users(agent)).toEqual([]);
    expect(await typesOf(warm.query('What is here?'))).toEqual(['result']);
    expect(users(agent)).toHaveLength(1);
    expect(agent.launches).toHaveLength(1);
  });

  test('[B-109] the prompt may be a stream', async () => {
    const { warm, agent } = await warmed();
    async function* prompts() {
      yield userMessage('one');
      yield userMessage('two');
    }
    expect(await typesOf(warm.query(prompts()))).toEqual(['result', 'result']);
    expect(users(agent)).toHaveLength(2);
  });

  test('[B-109] runs one prompt; one that was closed runs none, and its agent is gone', async () => {
    const { warm } = await warmed();
    const run = warm.query('one');
    expect(() => warm.query('two')).toThrow(/already/);
    warm.close(); // the query goes on
    expect(await typesOf(run)).toEqual(['result']);
    const unused = await warmed();
    unused.warm.close();
    expect(() => unused.warm.query('one')).toThrow(/closed/);
    await eventually(() => unused.agent.deeds.includes('close'));
  });

  test('[B-109] an agent that does not answer in time is an error, and is not left behind', async () => {
    const agent = scriptedAgent({ isDeaf: true });
    const started = startup({ options: { transport: agent.connect }, initializeTimeoutMs: 30 });
    await expect(started).rejects.toMatchObject({ code: 'control_timeout' });
    expect(agent.deeds).toContain('close');
    await expect(startup({ options: { maxTurns: -1 } })).rejects.toMatchObject({ code: 'invalid_option' });
  });

  test('[B-109] an agent that dies while it waits is told by the query', async () => {
    const { warm, agent } = await warmed();
    agent.exit(3);
    await expect(typesOf(warm.query('one'))).rejects.toMatchObject({ exitCode: 3 });
  });
});

describe('reinitialize', () => {
  const question = (request_id: string) => ({
    type: 'control_request',
    request_id,
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: `toolu_${request_id}` },
  });

  test('[B-084] asks again what is still open, but for what is being answered', async () => {
    const pending_permission_requests = [question('held'), question('lost'), 'odd', null];
    const agent = scriptedAgent({
      answer: ({ subtype }) => ({ of: subtype }),
      beside: () => ({ pending_permission_requests }),
      onUser: () => {},
    });
    const asked: string[] = [];
    let allow = () => {};
    const held = new Promise<void>((resolve) => {
      allow = resolve;
    });
    const run = query({
      prompt: 'go',
      options: {
        transport: agent.connect,
        canUseTool: async (_tool, _input, { requestId }) => {
          asked.push(requestId);
          if (requestId === 'held') await held;
          return { behavior: 'allow' };
        },
      },
    });
    onTestFinished(async () => void (await run.close()));
    await run.initializationResult();
    agent.say(question('held'));
    await eventually(() => asked.length === 1);
    expect(await run.reinitialize()).toEqual({ of: 'initialize' });
    await eventually(() => answered(agent).includes('lost'));
    expect(asked).toEqual(['held', 'lost']);
    allow();
    await eventually(() => answered(agent).includes('held'));
    expect(agent.requests.filter(({ subtype }) => subtype === 'initialize')).toHaveLength(2);
  });
});

function answered({ lines }: ReturnType<typeof scriptedAgent>): unknown[] {
  return lines.flatMap(({ type, response }) =>
    type === 'control_response' ? (response as { request_id?: unknown } | undefined)?.request_id : [],
  );
}
