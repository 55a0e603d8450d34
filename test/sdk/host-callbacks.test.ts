import { describe, expect, onTestFinished, test } from 'vitest';
import { createSession, type Options, type SDKMessage } from '../../src/sdk/index.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { Line } from '../support/lines.ts';
import { eventually } from '../support/processes.ts';
import { type Script, scriptedAgent } from '../support/scripted-agent.ts';

const CAPABLE: Script = { answer: () => ({ capabilities: ['session_store'] }) };

/** A host with these options; `ask` puts a control request to it and resolves with the response. */
async function host(options: Options, script: Script = {}) {
  const agent = scriptedAgent(script);
  const session = createSession({ ...options, transport: agent.connect });
  onTestFinished(async () => void (await session.close()));
  await session.initializationResult();
  let count = 0;
  const ask = async (request: JsonObject) => {
    const request_id = `r${++count}`;
    agent.say({ type: 'control_request', request_id, request });
    const find = () => agent.lines.find(({ response }) => (response as JsonObject)?.request_id === request_id);
    await eventually(() => find() !== undefined);
    return find()?.response as JsonObject;
  };
  return { agent, session, ask };
}

describe('hooks', () => {
  test('[OPT-16, HK-16, CTL-13] callbacks are announced by ids and found by them', async () => {
    const heard: unknown[] = [];
    const { agent, ask } = await host({
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({}), async () => ({})], timeout: 5, onFailure: 'block' }],
        Stop: [
          {
            hooks: [
              async (input, toolUseID, { signal }) => {
                heard.push(input, toolUseID, signal.aborted);
                return { continue: false };
              },
            ],
          },
        ],
      },
    });
    expect(agent.requests[0]?.hooks).toEqual({
      PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0', 'hook_1'], timeout: 5, onFailure: 'block' }],
      Stop: [{ hookCallbackIds: ['hook_2'] }],
    });
    const input = { hook_event_name: 'Stop' };
    const request = { subtype: 'hook_callback', callback_id: 'hook_2', input, tool_use_id: 't' };
    expect(await ask(request)).toMatchObject({ subtype: 'success', response: { continue: false } });
    expect(heard).toEqual([input, 't', false]);
  });

  test('[CTL-19, B-015] what callbacks answer is on the wire key by key as they wrote it', async () => {
    const output = {
      ...{ continue: false, suppressOutput: true, stopReason: 's', systemMessage: 'm' },
      hookSpecificOutput: {
        hookEventName: 'PreToolUse' as const,
        permissionDecision: 'allow' as const,
        permissionDecisionReason: 'r',
        updatedInput: { a: 1 },
        additionalContext: 'c',
      },
    };
    const permission = {
      behavior: 'allow' as const,
      updatedInput: { a: 2 },
      toolUseID: 'toolu_1',
      updatedPermissions: [
        {
          type: 'addRules' as const,
          rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
          behavior: 'allow' as const,
          destination: 'session' as const,
        },
      ],
    };
    const { ask } = await host({
      hooks: { PreToolUse: [{ hooks: [async () => output] }] },
      canUseTool: async () => permission,
    });
    const hook = await ask({ subtype: 'hook_callback', callback_id: 'hook_0', input: {} });
    expect(hook.response).toEqual(output);
    const asked = await ask({ subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'toolu_1' });
    expect(asked.response).toEqual(permission);
  });

  test('[CTL-17] one that throws, and one that is not there, are error responses', async () => {
    const fail = async () => {
      throw new Error('no idea');
    };
    const { ask } = await host({ hooks: { Stop: [{ hooks: [fail] }] } });
    const request = { subtype: 'hook_callback', input: {} };
    expect(await ask({ ...request, callback_id: 'hook_0' })).toMatchObject({ subtype: 'error', error: 'no idea' });
    expect(await ask({ ...request, callback_id: 'hook_9' })).toMatchObject({ subtype: 'error' });
    expect(await ask({ subtype: 'no_such_request' })).toMatchObject({ subtype: 'error' });
  });
});

describe('canUseTool', () => {
  test('[B-015] its answer says which call it is for', async () => {
    const { ask } = await host({ canUseTool: async () => ({ behavior: 'deny', message: 'no' }) });
    const answer = await ask({ subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 'toolu_7' });
    expect(answer.response).toEqual({ behavior: 'deny', message: 'no', toolUseID: 'toolu_7' });
  });

  test('[B-194, B-195, B-196] hears all that the agent says', async () => {
    const heard: unknown[] = [];
    const { ask } = await host({
      canUseTool: async (toolName, input, { signal: _signal, ...rest }) => {
        heard.push(toolName, input, rest);
        return { behavior: 'deny', message: 'no' };
      },
    });
    const answer = await ask({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'ls' },
      tool_use_id: 't',
      permission_suggestions: [{ type: 'setMode' }],
      blocked_path: '/p',
      decision_reason: 'r',
      agent_id: 'a',
      title: 'T',
      display_name: 'D',
      description: 'd',
      default_to_no: true,
      suppress_always_allow_rule: true,
      matched_ask_rule: { source: 'userSettings', tool_name: 'Bash', rule_content: 'ls:*' },
      mcp_server: { name: 'calc', source: 'project' },
    });
    expect(answer).toMatchObject({ subtype: 'success', response: { behavior: 'deny', message: 'no' } });
    expect(heard).toEqual([
      'Bash',
      { command: 'ls' },
      {
        toolUseID: 't',
        suggestions: [{ type: 'setMode' }],
        blockedPath: '/p',
        decisionReason: 'r',
        agentID: 'a',
        title: 'T',
        displayName: 'D',
        description: 'd',
        defaultToNo: true,
        suppressAlwaysAllowRule: true,
        matchedAskRule: { source: 'userSettings', toolName: 'Bash', ruleContent: 'ls:*' },
        mcpServer: { name: 'calc', source: 'project' },
        requestId: 'r1',
      },
    ]);
  });

  test('[B-014, CTL-12] what the agent does not say is not there', async () => {
    const heard: unknown[] = [];
    const { ask } = await host({
      canUseTool: async (toolName, input, { signal: _signal, ...rest }) => {
        heard.push(toolName, input, rest);
        return { behavior: 'allow' };
      },
    });
    await ask({ subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't', matched_ask_rule: 'odd' });
    expect(heard).toEqual(['Bash', {}, { toolUseID: 't', requestId: 'r1' }]);
  });

  test('[B-197] null sends nothing: the answer goes another way, under the id that was told', async () => {
    const ids: string[] = [];
    const { agent } = await host({
      canUseTool: async (_name, _input, { requestId }) => {
        ids.push(requestId);
        return ids.length === 1 ? null : { behavior: 'allow' };
      },
      onElicitation: async (_request, { requestId }) => {
        ids.push(requestId);
        return null;
      },
    });
    const question = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' };
    agent.say({ type: 'control_request', request_id: 'left', request: question });
    const elicitation = { subtype: 'elicitation', mcp_server_name: 's', message: 'name?' };
    agent.say({ type: 'control_request', request_id: 'left too', request: elicitation });
    agent.say({ type: 'control_request', request_id: 'answered', request: question });
    await eventually(() => responses(agent).length > 0);
    expect(ids).toEqual(['left', 'left too', 'answered']);
    expect(responses(agent)).toEqual(['answered']);
  });

  test('[CTL-16, K11] a question that is withdrawn aborts its signal, and gets no answer', async () => {
    let withdrawn = false;
    const { agent } = await host({
      canUseTool: (_name, _input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            withdrawn = true;
            resolve({ behavior: 'allow' });
          });
        }),
    });
    agent.say({ type: 'control_request', request_id: 'q', request: { subtype: 'can_use_tool', tool_name: 'Bash' } });
    agent.say({ type: 'control_cancel_request', request_id: 'q' });
    await eventually(() => withdrawn);
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.lines.filter(({ type }) => type === 'control_response')).toEqual([]);
  });
});

describe('onElicitation', () => {
  const request = {
    subtype: 'elicitation',
    mcp_server_name: 's',
    message: 'name?',
    requested_schema: { type: 'object' },
  };

  test('[B-058] answers for the user', async () => {
    const heard: unknown[] = [];
    const { ask } = await host({
      onElicitation: async (asked) => {
        heard.push(asked);
        return { action: 'accept', content: { name: 'n' } };
      },
    });
    expect((await ask(request)).response).toEqual({ action: 'accept', content: { name: 'n' } });
    expect(heard).toEqual([{ serverName: 's', message: 'name?', requestedSchema: { type: 'object' } }]);
  });

  test('[B-058] without it the server is declined', async () => {
    const { ask } = await host({});
    expect((await ask(request)).response).toEqual({ action: 'decline' });
  });
});

describe('sessionStore', () => {
  const key = { project: '/p', session_id: 's' };
  const entry = { type: 'user', uuid: 'u', message: { role: 'user', content: 'hi' } };

  test('[B-053, K42] the agent appends, loads and lists by requests', async () => {
    const sessionStore = createMemoryStore();
    const { agent, ask } = await host({ sessionStore }, CAPABLE);
    expect(agent.launches[0]?.config).toMatchObject({ sessionStore: 'host' });
    expect(await ask({ subtype: 'store_append', key, entries: [entry] })).toMatchObject({ subtype: 'success' });
    expect(await sessionStore.exists({ project: '/p', sessionId: 's' })).toBe(true);
    expect((await ask({ subtype: 'store_load', key })).response).toEqual({ entries: [entry] });
    expect((await ask({ subtype: 'store_list', project: '/p' })).response).toMatchObject({
      sessions: [{ session_id: 's', last_modified: expect.any(Number) }],
    });
    expect(await ask({ subtype: 'store_append', key: {}, entries: [] })).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_request',
    });
  });

  test('[B-055] what has taken too long is not read on, and a list has the same limit', async () => {
    let given = 0;
    let isLetGo = false;
    const sessionStore: SessionStore = {
      ...createMemoryStore(),
      async *load() {
        try {
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            yield { entry, line: ++given };
          }
        } finally {
          isLetGo = true;
        }
      },
      list: () => new Promise(() => {}),
    };
    const { ask } = await host({ sessionStore, loadTimeoutMs: 40 }, CAPABLE);
    const late = { subtype: 'error', error_code: 'storage_timeout' };
    expect(await ask({ subtype: 'store_load', key })).toMatchObject({
      ...late,
      error: expect.stringContaining('load()'),
    });
    await eventually(() => isLetGo);
    expect(await ask({ subtype: 'store_list', project: '/p' })).toMatchObject(late);
  });

  test('[B-053] an agent that cannot use it is not left to keep the session elsewhere', async () => {
    const agent = scriptedAgent();
    await using session = createSession({ sessionStore: createMemoryStore(), transport: agent.connect });
    await expect(session.initializationResult()).rejects.toMatchObject({ code: 'not_supported' });
    await expect(session.stream().next()).rejects.toMatchObject({ code: 'not_supported' });
  });
});

test('[CTL-15] what the agent asks of its host never reaches the reader', async () => {
  const { agent, session, ask } = await host({});
  expect(await ask({ subtype: 'novelty' })).toMatchObject({ subtype: 'error', error_code: 'unsupported_request' });
  agent.say({ type: 'keep_alive' });
  await session.send('hi');
  const seen: SDKMessage[] = [];
  for await (const message of session.stream()) seen.push(message);
  expect(seen.map(({ type }) => type)).toEqual(['result']);
});

/** The ids of the requests that were answered. */
function responses({ lines }: { lines: readonly Line[] }): unknown[] {
  return lines.flatMap(({ type, response }) =>
    type === 'control_response' ? (response as JsonObject | undefined)?.request_id : [],
  );
}
