import type { JsonObject } from '../../src/util/json.ts';
import { answer, begun, call, done, event, opening, piece, result, system, text } from '../view/lines.ts';

type Pick = <Value>(items: readonly Value[]) => Value;

/** Something that a session may say next: of a conversation, of a question, or of nothing that makes sense. */
export function randomLine(pick: Pick, at: number): JsonObject {
  const id = `m${at % 7}`;
  const calls = `c${at % 5}`;
  return pick<() => JsonObject>([
    () =>
      system('init', {
        session_id: 's-1',
        model: 'sonnet',
        permissionMode: pick(['default', 'plan', 'odd']),
        cwd: '/p',
      }),
    () => begun(id),
    () => opening({ type: 'text', text: '' }),
    () => opening({ type: 'thinking', thinking: '' }),
    () => piece(pick(TEXTS)),
    () => text(id, pick(TEXTS)),
    () =>
      call(calls, pick(TOOLS), { command: pick(TEXTS), file_path: '/p/a.ts', questions: pick([null, [], [{}]]) }, id),
    () => done(calls, pick(TEXTS)),
    () => result({ is_error: pick([true, false]), result: pick(TEXTS), errors: [pick(TEXTS)] }),
    () =>
      system(pick(['status', 'api_retry', 'hook_started', 'task_started', 'superseded', 'compact_boundary', 'odd'])),
    () => system('task_started', { task_id: `t${at % 3}`, task_type: 'local_agent', description: pick(TEXTS) }),
    () => system('task_notification', { task_id: `t${at % 3}`, status: 'completed', summary: pick(TEXTS) }),
    () => event({ type: pick(['message_stop', 'content_block_stop', 'ping']), index: pick([0, -1, 9e9]) }),
    () => answer(id, { type: pick(['image', 'thinking', 'odd']), thinking: pick(TEXTS) }),
    () => ({ type: pick(['user', 'assistant', 'result', 'system', 'odd']), message: pick<unknown>([null, 7, {}, []]) }),
  ])();
}

/** A question, well formed or not. */
export function randomQuestion(pick: Pick, id: string): JsonObject {
  const tool_name = pick([...TOOLS, 'ExitPlanMode', 'AskUserQuestion']);
  const request = pick<() => JsonObject>([
    () => ({
      ...{ subtype: 'can_use_tool', tool_name, tool_use_id: 'c1', input: pick(INPUTS), title: pick(TEXTS) },
      ...{ default_to_no: pick([true, false, undefined]), agent_id: pick([undefined, 't1']) },
      permission_suggestions: pick<unknown>([
        undefined,
        'odd',
        [
          {
            type: 'addRules',
            behavior: 'allow',
            destination: 'session',
            rules: [{ toolName: 'Bash', ruleContent: 'ls' }],
          },
        ],
        [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      ]),
    }),
    () => ({
      ...{ subtype: 'elicitation', mcp_server_name: 'loom', message: pick(TEXTS) },
      requested_schema: pick<unknown>([undefined, {}, { type: 'object', properties: { name: { type: 'string' } } }]),
    }),
  ])();
  return { type: 'control_request', request_id: id, request };
}

/** An answer of the session to a request; sometimes one that is none. */
export function randomAnswer(pick: Pick, { subtype, ...fields }: JsonObject): JsonObject {
  const known: Record<string, JsonObject> = {
    initialize: {
      commands: [{ name: 'review', description: pick(TEXTS), argumentHint: '' }],
      models: [],
      capabilities: [],
    },
    interrupt: { still_queued: [], cancelled: [] },
    session_messages: { messages: [text('m1', pick(TEXTS)), done('c1', pick(TEXTS))], total: 2 },
    session_tree: {
      ...{ leaf_uuid: 'b', leaves: ['b', 'c'] },
      nodes: [
        { uuid: 'a', parent_uuid: null, type: 'user', is_prompt: true, preview: pick(TEXTS) },
        { uuid: 'b', parent_uuid: 'a', type: 'assistant', preview: pick(TEXTS) },
        { uuid: 'c', parent_uuid: 'a', type: 'user', is_prompt: true },
      ],
    },
    list_models: { models: [{ value: 'sonnet', displayName: pick(TEXTS), description: '' }] },
    file_suggestions: { suggestions: [{ path: 'src/a.ts', is_directory: false, positions: [0] }], total: 1 },
    list_permission_rules: { rules: [{ rule: 'Bash(ls)', behavior: 'allow', source: 'userSettings' }] },
    mcp_status: { mcpServers: [{ name: 'loom', status: pick(['connected', 'failed', 'odd']) }] },
    explain_permission: { decision: pick(['allow', 'deny', 'ask']), reason: pick(TEXTS) },
    get_settings: { sources: [{ source: 'userSettings', settings: { editorMode: pick(['vim', 'normal']) } }] },
    ...(fields.mode !== undefined && { set_permission_mode: { mode: String(fields.mode) } }),
  };
  return pick<JsonObject>([
    known[String(subtype)] ?? {},
    known[String(subtype)] ?? {},
    known[String(subtype)] ?? {},
    {},
  ]);
}

const TEXTS = [
  'Hello',
  '# A heading\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n',
  '| a | b |\n|---|---|\n| 漢字 | 👨‍👩‍👧 |\n',
  'npm test && rm -rf x',
  '\u001b[2J\u001b]52;c;aGk=\u0007 hostile \u202e text',
  `${'long '.repeat(400)}\n`,
  '',
];
const TOOLS = ['Bash', 'Edit', 'Write', 'Read', 'Task', 'TodoWrite', 'mcp__loom__weave', 'WebFetch', ''];
const INPUTS: readonly unknown[] = [
  { command: 'npm test' },
  { file_path: '/p/a.ts', old_string: 'a', new_string: 'b' },
  { file_path: '/p/a.ts', content: 'text\n'.repeat(60) },
  { plan: '# The plan\n\n1. Do it' },
  {
    questions: [{ question: 'Which?', header: 'h', options: [{ label: 'one' }, { label: 'two' }], multiSelect: true }],
  },
  {},
  null,
];
