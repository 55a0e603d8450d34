import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { startHttpMcp } from '../support/http-mcp-server.ts';
import { ROOT } from '../support/root.ts';
import { Editor } from './editor.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

describe('MCP servers of the editor', () => {
  test('over stdio are started with their arguments and environment, and called', async () => {
    const editor = new Editor([toolUse('mcp__loom__weave', { id: 'c1' }), 'done']);
    const calls = join(editor.home, 'calls');
    const server = {
      ...{ name: 'loom', command: process.execPath, env: [{ name: 'CALLS_FILE', value: calls }] },
      args: [join(ROOT, 'test/support/loom-mcp-server.mjs'), 'weave'],
    };
    await editor.prompt(await editor.open({}, { mcpServers: [server] }), 'go');
    expect(editor.asked('session/request_permission')).toHaveLength(1);
    expect(readFileSync(calls, 'utf8')).toBe('c1\n');
    expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('woven');
  });

  test('over http are called, too', async () => {
    const far = await startHttpMcp();
    const editor = new Editor([toolUse('ListMcpResourcesTool', {}), 'done'], { config: BYPASS });
    const server = { type: 'http', name: 'far', url: far.url, headers: [] };
    await editor.prompt(await editor.open({}, { mcpServers: [server] }), 'go');
    expect(far.asked).toContain('tools/list');
  });
});

describe('work in the background', () => {
  test('tells its end behind the answer to its prompt, and the turn that it wakes up streams', async () => {
    const editor = new Editor(
      [
        toolUse('Bash', { command: 'while [ ! -e go ]; do sleep 0.02; done; echo late', run_in_background: true }),
        'It runs.',
        'It is over.',
      ],
      { config: BYPASS },
    );
    await editor.prompt(await editor.open({ session: { notices: {} } }), 'go');
    const answered = editor.updates().length;
    const [call] = editor.updates('tool_call');
    editor.file('go', '');
    await editor.sees(() => editor.said().includes('It is over.'));
    const later = editor.updates().slice(answered);
    expect(later).toContainEqual(
      expect.objectContaining({
        ...{ sessionUpdate: 'tool_call_update', toolCallId: call?.toolCallId, status: 'completed' },
        _meta: { heddle: { task: expect.objectContaining({ status: 'completed' }) } },
      }),
    );
    const kinds = later.map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds.indexOf('notice')).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf('notice')).toBeLessThan(kinds.indexOf('agent_message_chunk'));
  });
});

describe('compaction', () => {
  test('is told to editors that show it, from its begin to its end', async () => {
    const editor = new Editor(['one', '<summary>short</summary>']);
    const sessionId = await editor.open({ session: { compaction: {} } });
    await editor.prompt(sessionId, 'first');
    await editor.prompt(sessionId, '/compact');
    const all = editor.updates('compaction_update');
    expect(all.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
    expect(new Set(all.map(({ compactionId }) => compactionId)).size).toBe(1);
  });
});

describe('options', () => {
  const optionOf = (options: unknown, id: string) => (options as JsonObject[]).find((each) => each.id === id);

  test('an agent of the project answers from the next prompt on, in the same session', async () => {
    const agents = { judge: { description: 'Judges', prompt: 'You are the judge of this place.' } };
    const editor = new Editor(['one', 'two'], { config: { agents: JSON.stringify(agents) } as never });
    const sessionId = await editor.open();
    await editor.prompt(sessionId, 'first');
    const { configOptions } = await editor.call('session/set_config_option', {
      ...{ sessionId, configId: 'agent', value: 'judge' },
    });
    expect(optionOf(configOptions, 'agent')).toMatchObject({ currentValue: 'judge' });
    await editor.prompt(sessionId, 'second');
    const last = editor.model.requests.at(-1);
    expect(JSON.stringify(last?.system)).toContain('You are the judge of this place.');
    expect(JSON.stringify(last?.messages)).toContain('first');
    expect(await editor.fails('session/set_config_option', { sessionId, configId: 'agent', value: 'x' })).toMatchObject(
      {
        ...{ code: -32602, data: { error_code: 'invalid_option' } },
      },
    );
  });

  test('a model that a command has changed is told', async () => {
    const editor = new Editor(['one', 'two'], { config: { model: 'opus' } });
    const sessionId = await editor.open();
    await editor.prompt(sessionId, '/model haiku');
    await editor.sees(() => editor.updates('config_option_update').length > 0);
    const told = editor.updates('config_option_update').at(-1)?.configOptions;
    expect(String(optionOf(told, 'model')?.currentValue)).toContain('haiku');
  });

  test('a mode that is set in one form is told in the other', async () => {
    const editor = new Editor([]);
    const sessionId = await editor.open();
    await editor.call('session/set_mode', { sessionId, modeId: 'plan' });
    const told = editor.updates('config_option_update').at(-1)?.configOptions;
    expect(optionOf(told, 'mode')).toMatchObject({ currentValue: 'plan' });
    await editor.call('session/set_config_option', { sessionId, configId: 'mode', value: 'acceptEdits' });
    expect(editor.updates('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'acceptEdits' });
  });
});

test('the answer to a form that is no answer is a denial', async () => {
  const question = {
    ...{ question: 'Which one?', header: 'Choice', multiSelect: false },
    options: ['Left', 'Right'].map((label) => ({ label, description: label })),
  };
  const editor = new Editor([toolUse('AskUserQuestion', { questions: [question] }), 'done'], {
    answer: () => ({ action: 'accept', content: { q1: { deep: 1 } } }),
  });
  await editor.prompt(await editor.open({ elicitation: { form: {} } }), 'go');
  expect(JSON.stringify(editor.model.requests.at(-1)?.messages)).toContain('did not answer');
});
