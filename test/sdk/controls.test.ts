import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ControlMethods, createSession, HeddleClient, query } from '../../src/sdk/index.ts';
import { type Script, type ScriptedAgent, scriptedAgent } from '../support/scripted-agent.ts';

/** What the reference SDK writes for each of its methods: one recorded line per call. */
interface Row {
  method: keyof ControlMethods;
  args: unknown[];
  requests: object[];
  /** The row of spec/ that it is. */
  about?: string;
}

const rows = readFileSync(new URL('./fixtures/methods.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const OWN: Row[] = [
  { method: 'tree', args: [], requests: [{ subtype: 'session_tree' }] },
  { method: 'branches', args: [], requests: [{ subtype: 'branches' }] },
  { method: 'switch', args: ['leaf'], requests: [{ subtype: 'switch_leaf', leaf_uuid: 'leaf' }] },
  {
    method: 'switch',
    args: ['leaf', { restoreFiles: true, dryRun: true }],
    requests: [{ subtype: 'switch_leaf', leaf_uuid: 'leaf', restore_files: true, dry_run: true }],
  },
  { method: 'fork', args: [], requests: [{ subtype: 'fork_session' }] },
  {
    method: 'fork',
    args: [{ at: 'there', title: 'T' }],
    requests: [{ subtype: 'fork_session', at_uuid: 'there', title: 'T' }],
  },
  {
    method: 'getContextUsage',
    args: [{ detail: 'summary' }],
    requests: [{ subtype: 'get_context_usage', detail: 'summary' }],
  },
  {
    method: 'updateSettings',
    args: ['localSettings', { model: null }],
    requests: [{ subtype: 'update_settings', source: 'localSettings', settings: { model: null } }],
    about: '[B-082]',
  },
  { method: 'reloadSkills', args: [], requests: [{ subtype: 'reload_skills' }], about: '[B-085]' },
  { method: 'reloadPlugins', args: [], requests: [{ subtype: 'reload_plugins' }], about: '[B-085]' },
  { method: 'reloadOutputStyles', args: [], requests: [{ subtype: 'reload_output_styles' }], about: '[B-085]' },
  { method: 'backgroundTasks', args: ['t'], requests: [{ subtype: 'background_tasks', tool_use_id: 't' }] },
  {
    method: 'explainPermission',
    args: ['Bash', { command: 'ls' }],
    requests: [{ subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'ls' } }],
  },
  {
    method: 'updatePermissions',
    args: [[{ type: 'setMode', mode: 'plan', destination: 'session' }]],
    requests: [{ subtype: 'update_permissions', updates: [{ type: 'setMode', mode: 'plan', destination: 'session' }] }],
  },
  {
    method: 'trustProject',
    args: [{ digest: 'd', decision: 'trust' }],
    requests: [{ subtype: 'trust_project', digest: 'd', decision: 'trust' }],
  },
  {
    method: 'shellCommand',
    args: ['ls', { shouldQuery: true }],
    requests: [{ subtype: 'shell_command', command: 'ls', should_query: true }],
  },
  {
    method: 'fileSuggestions',
    args: ['pars', { limit: 5 }],
    requests: [{ subtype: 'file_suggestions', query: 'pars', limit: 5 }],
  },
  { method: 'mcpResources', args: [], requests: [{ subtype: 'mcp_list_resources' }] },
  {
    method: 'sessionMessages',
    args: [{ before: 'u1', limit: 10 }],
    requests: [{ subtype: 'session_messages', before: 'u1', limit: 10 }],
  },
  {
    method: 'setMcpServers',
    args: [{ own: { type: 'sdk', name: 'calc', instance: { connect: async () => {} } } }],
    requests: [{ subtype: 'mcp_set_servers', servers: { own: { type: 'sdk', name: 'calc' } } }],
  },
];

type Face = ControlMethods & AsyncDisposable;

/** The three ways to hold an agent. */
const faces: Record<string, (agent: ScriptedAgent) => Promise<Face>> = {
  query: async ({ connect }) => query({ prompt: silence(), options: { transport: connect } }),
  createSession: async ({ connect }) => createSession({ transport: connect }),
  async HeddleClient({ connect }) {
    const client = new HeddleClient({}, connect);
    await client.connect();
    return client;
  },
};

async function open(face: string, script: Script = {}) {
  const agent = scriptedAgent(script);
  const opened = await faces[face]?.(agent);
  if (!opened) throw new Error(`no such face: ${face}`);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return { agent, face: opened };
}

describe.each(Object.keys(faces))('%s', (name) => {
  const all = [...rows, ...OWN].map((row) => ({ about: '', ...row }));
  test.each(all)('$about $method($args) is $requests', async ({ method, args, requests }) => {
    const { agent, face } = await open(name);
    await face.initializationResult();
    await (face[method] as (...values: unknown[]) => Promise<unknown>)(...args);
    expect(agent.requests.slice(1)).toEqual(requests);
  });

  test('[B-123] supportedCommands follows what the agent pushes', async () => {
    const { agent, face } = await open(name, { answer: () => ({ commands: [] }) });
    expect(await face.supportedCommands()).toEqual([]);
    const commands = [{ name: 'knit', description: 'Knits', argumentHint: '[wool]' }];
    agent.say({ type: 'system', subtype: 'commands_changed', commands, uuid: 'u', session_id: 's' });
    await vi.waitFor(async () => expect(await face.supportedCommands()).toEqual(commands));
  });

  test('[ARC-12, B-009, B-079] what initialize told is kept, and asked for once', async () => {
    const told = {
      commands: [{ name: 'compact', description: 'd', argumentHint: '' }],
      models: [{ value: 'v', displayName: 'D', description: 'd' }],
      agents: [{ name: 'a', description: 'd' }],
      account: { apiKeySource: 'none' },
    };
    const { agent, face } = await open(name, { answer: () => told });
    expect(await face.supportedCommands()).toEqual(told.commands);
    expect(await face.supportedModels()).toEqual(told.models);
    expect(await face.supportedAgents()).toEqual(told.agents);
    expect(await face.accountInfo()).toEqual(told.account);
    expect(await face.initializationResult()).toEqual(told);
    expect(agent.requests).toHaveLength(1);
  });

  test('answers come as they are typed', async () => {
    const answers: Record<string, unknown> = {
      mcp_status: { mcpServers: [{ name: 's', status: 'connected' }] },
      branches: { branches: [{ leaf_uuid: 'l', active: true, length: 2 }] },
      fork_session: { session_id: 'copy' },
      rewind_files: { canRewind: true, filesChanged: ['a'] },
    };
    const { face } = await open(name, { answer: ({ subtype }) => answers[String(subtype)] ?? {} });
    expect(await face.mcpServerStatus()).toEqual([{ name: 's', status: 'connected' }]);
    expect(await face.branches()).toEqual([{ leaf_uuid: 'l', leafUuid: 'l', active: true, length: 2 }]);
    expect(await face.fork()).toBe('copy');
    expect(await face.rewindFiles('u')).toEqual(answers.rewind_files);
  });

  test('[CTL-17] a request that the agent does not know is refused with its words', async () => {
    const { face } = await open(name, {
      answer({ subtype }) {
        if (subtype === 'initialize') return {};
        throw new Error(`Unsupported control request subtype: ${subtype}`);
      },
    });
    await expect(face.backgroundTasks()).rejects.toMatchObject({
      name: 'ControlError',
      message: 'Unsupported control request subtype: background_tasks',
    });
  });

  test('[ERR-04] an agent that dies rejects what is asked of it', async () => {
    const { agent, face } = await open(name);
    await face.initializationResult();
    agent.exit(3);
    await expect(face.setModel('x')).rejects.toMatchObject({ name: 'ProcessError', exitCode: 3 });
  });
});

async function* silence(): AsyncGenerator<never, void> {
  await new Promise(() => {});
}
