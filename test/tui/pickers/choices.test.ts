import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const MODELS = [
  { value: 'default', description: 'What the launch chooses', resolvedModel: 'model-2' },
  { value: 'small', description: 'Quick', resolvedModel: 'model-1', supportsEffort: false },
  { value: 'large', description: 'Deep', resolvedModel: 'model-3', supportedEffortLevels: ['low', 'high'] },
];

async function open(answers: Readonly<Record<string, (request: JsonObject) => JsonObject>>) {
  const rig = await openTerminal({ size: { columns: 100, rows: 24 }, answers });
  /** The requests of these kinds, as they were sent. */
  const asked = (...subtypes: string[]) =>
    rig.received.flatMap(({ request }) => {
      const { subtype } = (request ?? {}) as { subtype?: string };
      return subtype !== undefined && subtypes.includes(subtype) ? [request] : [];
    });
  return { ...rig, asked };
}

const modelAnswers = {
  list_models: () => ({ models: MODELS }),
  get_settings: () => ({ applied: { model: 'model-2', effort: 'low' } }),
  set_model: ({ model }: JsonObject) => ({ model: `id of ${model}` }),
};
const CHANGES = ['set_model', 'apply_flag_settings', 'update_settings'];

test('alt+p lists the models, the present one marked; left and right choose the effort, Enter takes both', async () => {
  const { terminal, sees, asked } = await open(modelAnswers);
  terminal.type('\x1bp');
  await sees(/Model\s+· 3\n❯ ● default .*What the launch chooses\n {4}small .*Quick\n {4}large .*Deep/);
  await sees('model-2 · effort: low');
  terminal.type('\x1b[B');
  await sees('model-1 · effort: this model has none');
  terminal.type('\x1b[B\x1b[C');
  await sees('model-3 · effort: high');
  expect(asked(...CHANGES)).toEqual([]);
  terminal.type('\r');
  await sees('The next answer comes from id of large. The effort is high from the next turn on.');
  expect(asked(...CHANGES)).toEqual([
    { subtype: 'set_model', model: 'large' },
    { subtype: 'apply_flag_settings', settings: { effortLevel: 'high' } },
  ]);
});

test('the list of models filters, ctrl+s also keeps the choice, and Escape changes nothing', async () => {
  const { terminal, sees, asked } = await open(modelAnswers);
  terminal.type('/model\r');
  await sees(/Model\s+· 3/);
  terminal.type('\x1b[C\x1b');
  await sees('? for keys');
  terminal.type('/model\r');
  await sees('effort: low');
  terminal.type('smal');
  await sees('1 of 3');
  terminal.type('\x13');
  await sees('It is kept in settings.json of the config home.');
  expect(asked(...CHANGES)).toEqual([
    { subtype: 'set_model', model: 'small' },
    { subtype: 'update_settings', source: 'userSettings', settings: { model: 'small' } },
  ]);
});

test('/effort takes a level, or asks; a level that does not exist is refused with the nearest', async () => {
  const { terminal, sees, asked } = await open(modelAnswers);
  terminal.type('/effort hihg\r');
  await sees('there is no level hihg. Did you mean high?');
  terminal.type('/effort HIGH\r');
  await sees('The effort is high from the next turn on.');
  terminal.type('/effort\r');
  await sees(/The effort is low[\s\S]*❯ 1 Leave it\n {2}2 low/);
  terminal.type('7\r');
  await sees('The effort is that of the launch from the next turn on.');
  expect(asked('apply_flag_settings')).toEqual([
    { subtype: 'apply_flag_settings', settings: { effortLevel: 'high' } },
    { subtype: 'apply_flag_settings', settings: { effortLevel: null } },
  ]);
});

test('/mode lists the modes with what they do, and Enter chooses', async () => {
  const { terminal, sees, asked } = await open({
    get_settings: () => ({ applied: { permissionMode: 'acceptEdits' } }),
    set_permission_mode: ({ mode }) => ({ mode: mode as string }),
  });
  terminal.type('/mode\r');
  await sees(/ {4}default .*asks before calls that no rule allows\n❯ ● acceptEdits/);
  terminal.type('plan\r');
  await sees('The mode is plan.');
  expect(asked('set_permission_mode')).toEqual([{ subtype: 'set_permission_mode', mode: 'plan' }]);
});

test('/mcp shows servers as they come, connects again, turns off and on', async () => {
  let status = 'pending';
  const { terminal, sees, asked } = await open({
    mcp_status: () => ({
      mcpServers: [
        { name: 'files', status, scope: 'project', tools: [{ name: 'a' }] },
        { name: 'web', status: 'failed', error: 'no such command\u001b[2J' },
      ],
    }),
  });
  terminal.type('/mcp\r');
  await sees(/MCP servers\s+· 2\n❯ files ◐ pending · 1 tool · project\n {2}web ✗ failed/);
  status = 'connected';
  await sees('files ● connected');
  terminal.type('\x14');
  await vi.waitFor(() => expect(asked('mcp_toggle')).toHaveLength(1));
  status = 'disabled';
  terminal.type('\x1b[B');
  await sees(/ {4}no such command/);
  terminal.type('\r');
  await sees('files ○ disabled');
  terminal.type('\x1b[A\x14');
  await vi.waitFor(() => expect(asked('mcp_toggle')).toHaveLength(2));
  expect(asked('mcp_toggle', 'mcp_reconnect')).toEqual([
    { subtype: 'mcp_toggle', serverName: 'files', enabled: false },
    { subtype: 'mcp_reconnect', serverName: 'web' },
    { subtype: 'mcp_toggle', serverName: 'files', enabled: true },
  ]);
});

test('/mcp reconnect NAME tells how the server is then; other words are refused', async () => {
  const { terminal, sees, asked } = await open({
    mcp_status: () => ({ mcpServers: [{ name: 'my files', status: 'connected' }] }),
  });
  terminal.type('/mcp restart files\r');
  await sees('/mcp: write /mcp reconnect NAME');
  terminal.type('/mcp reconnect my files\r');
  await sees('my files: connected');
  terminal.type('/mcp disable my files\r');
  await vi.waitFor(() =>
    expect(asked('mcp_reconnect', 'mcp_toggle')).toEqual([
      { subtype: 'mcp_reconnect', serverName: 'my files' },
      { subtype: 'mcp_toggle', serverName: 'my files', enabled: false },
    ]),
  );
});

test('shift+tab goes through the modes also before the first prompt', async () => {
  const { terminal, app, asked } = await open({ set_permission_mode: ({ mode }) => ({ mode: mode as string }) });
  for (const mode of ['default', 'acceptEdits', 'plan', 'default']) {
    terminal.type('\x1b[Z');
    await vi.waitFor(() => expect(app.tracker.view.info.mode).toBe(mode));
  }
  expect(asked('set_permission_mode')).toHaveLength(4);
});

test('a name that is written at once runs the command of this name, though the session has a longer one', async () => {
  const { terminal, sees } = await open({
    ...modelAnswers,
    initialize: () => ({ commands: [{ name: 'model', description: 'of the session', argumentHint: '' }] }),
  });
  terminal.type('/mode');
  terminal.type('\r');
  await sees('Permission mode');
});
