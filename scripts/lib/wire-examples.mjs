// Makes an example of what a JSON Schema describes: its required fields, with values that look like real ones.
import { nameOf } from './schema-types.mjs';

/** An example; `defs` holds the named definitions. `name` is the field that it is for. */
export function exampleOf(schema, { defs, name = '', of = '' }) {
  if (schema.$ref) return exampleOf(defs[nameOf(schema.$ref)], { defs, name, of: nameOf(schema.$ref) });
  if (Object.hasOwn(WHOLE, of)) return WHOLE[of];
  if (schema.const !== undefined) return schema.const;
  if (Object.hasOwn(BY_NAME, name) && fits(BY_NAME[name], schema)) return BY_NAME[name];
  if (schema.enum) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return exampleOf(options[0], { defs, name, of });
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectExample(schema, { defs, of });
    case 'array':
      return schema.items ? [exampleOf(schema.items, { defs, name: singular(name) })] : [];
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'loom';
  }
}

function objectExample({ properties = {}, required = [] }, { defs, of }) {
  const further = FURTHER[of] ?? {};
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || Object.hasOwn(further, name));
  return Object.fromEntries(fields.map(([name, field]) => [name, further[name] ?? exampleOf(field, { defs, name })]));
}

function typesOf({ type }) {
  return Array.isArray(type) ? type : [type];
}

/** Whether a value from the table is one of this schema: the same name may mean a text here and an object there. */
function fits(value, schema) {
  if (Object.keys(schema).length === 0) return true;
  if (schema.$ref) return false;
  if (schema.enum) return schema.enum.includes(value);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.some((option) => fits(value, option));
  const types = typesOf(schema);
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array') && value.every((each) => fits(each, schema.items ?? {}));
  if (typeof value === 'object') return types.includes('object') && schema.properties === undefined;
  return types.includes(typeof value);
}

function singular(name) {
  return name.replace(/s$/, '');
}

const UUID = '5c77e0f4-0d1e-4f0a-9a53-6a1f9f0c2b11';
const OTHER_UUID = '9d1e04c7-31c6-4d43-8a43-1a40ce3d2c55';
const SESSION = '3f2a9c11-7a0e-4c53-9d52-0a8f6e1b2c3d';
const TIME = '2026-03-01T12:00:00.000Z';

/** Values by the name of the field, where the schema lets them. */
const BY_NAME = {
  uuid: UUID,
  parentUuid: OTHER_UUID,
  leafUuid: UUID,
  leaf_uuid: UUID,
  at_uuid: UUID,
  message_uuid: UUID,
  command_uuid: UUID,
  user_message_id: UUID,
  messageId: UUID,
  superseded_uuids: [UUID],
  session_id: SESSION,
  sessionId: SESSION,
  request_id: 'req_1',
  tool_use_id: 'toolu_01',
  toolUseID: 'toolu_01',
  parent_tool_use_id: null,
  preceding_tool_use_ids: ['toolu_01'],
  callback_id: 'hook_0',
  hook_id: 'hook_0',
  hook_name: 'PreToolUse:Bash',
  hook_event: 'PreToolUse',
  task_id: 'b1f3a2',
  id: 'msg_01',
  model: 'claude-sonnet-4-5',
  original_model: 'claude-opus-4-5',
  fallback_model: 'claude-sonnet-4-5',
  cwd: '/srv/app',
  path: '/srv/app/src/parser.js',
  file_path: '/srv/app/src/parser.js',
  absPath: '/srv/app/src/parser.js',
  output_file: '/home/me/.heddle/tool-results/b1f3a2.txt',
  transcript_path: '/home/me/.heddle/projects/-srv-app/3f2a9c11.jsonl',
  project: '-srv-app',
  timestamp: TIME,
  mtime: 1772366400000,
  last_modified: 1772366400000,
  tool_name: 'Bash',
  toolName: 'Bash',
  name: 'Bash',
  tools: ['Bash', 'Read'],
  tool_input: { command: 'npm test' },
  input: { command: 'npm test' },
  server_name: 'calc',
  serverName: 'calc',
  mcp_server_name: 'calc',
  servers: { calc: { command: 'node', args: ['server.mjs'] } },
  mcp_servers: [],
  mode: 'plan',
  permissionMode: 'default',
  permission_mode: 'default',
  claude_code_version: '2.1.44',
  version: '2.1.44',
  apiKeySource: 'ANTHROPIC_API_KEY',
  output_style: 'default',
  slash_commands: ['compact', 'cost'],
  agents: ['general-purpose'],
  skills: [],
  plugins: [],
  content: 'Run the tests',
  text: 'All 12 tests pass.',
  result: 'All 12 tests pass.',
  thinking: 'The tests come first.',
  summary: 'Fix the parser',
  title: 'Fix the parser',
  customTitle: 'Fix the parser',
  tag: 'parser',
  description: 'Runs the tests',
  message: 'Only git, please.',
  error: 'The file is not there.',
  errors: [],
  reason: 'A rule denies it.',
  status: 'completed',
  stop_reason: 'end_turn',
  stop_sequence: null,
  duration_ms: 4200,
  duration_api_ms: 3100,
  elapsed_time_seconds: 30,
  num_turns: 2,
  total_cost_usd: 0.0431,
  totalCostUSD: 0.0431,
  modelUsage: {},
  model_usage: {},
  permission_denials: [],
  input_tokens: 1200,
  output_tokens: 80,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 9000,
  max_thinking_tokens: 8000,
  attempt: 1,
  max_retries: 10,
  retry_delay_ms: 500,
  error_status: 529,
  is_error: false,
  isAuthenticating: true,
  dropped: [],
  restored: 12,
  url: 'https://mcp.example.com/mcp',
  command: 'npm test',
  query: 'pars',
  source: 'userSettings',
  settings: { model: 'opus' },
  stdout: '',
  stderr: '',
  output: '',
  subagent_type: 'helper',
  data: { type: 'hook_progress' },
  prompt: 'Run the tests',
  lastPrompt: 'Run the tests',
  pid: 4711,
  subtype: 'interrupt',
  file_id: 'file_01',
  filename: 'notes.md',
  processed_at: TIME,
  task_type: 'local_bash',
  trigger: 'overloaded',
  key: 'update',
  suggestion: 'Run the tests',
  tool_summary: 'Read parser.js',
  added: ['calc'],
  removed: [],
  rule: 'Bash(npm test:*)',
  workspaceDirectories: ['/srv/app'],
  originalCwd: '/srv/app',
  events: ['PreToolUse'],
  hooks: [],
  eventCatalog: [],
  displayName: 'Opus',
  value: 'opus',
  subscription_type: null,
  contents: 'export const parse = (text) => text;',
  requested_path: 'src/parser.js',
  available_output_styles: ['default', 'Explanatory'],
  argumentHint: '',
  suggestions: ['src/parser.js'],
  parent_uuid: OTHER_UUID,
  leaves: [UUID],
  layer: 'deny-rule',
  signature: 'c2lnbmF0dXJl',
  exitCode: 0,
  size: 4096,
};

/** Examples of definitions that say little. */
const WHOLE = {
  Entry: { type: 'tag', tag: 'parser', sessionId: SESSION },
  JsonRpcMessage: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
};

/** Optional fields that make the point of a definition, by its name. */
const FURTHER = {
  UserInput: { uuid: UUID },
  ToolUseBlock: { id: 'toolu_01' },
  ApiAssistantMessage: { content: [{ type: 'text', text: 'All 12 tests pass.' }] },
  StreamEventMessage: {
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All' } },
  },
  AttachmentEntry: { attachment: { type: 'environment' } },
  StatusMessage: { status: 'compacting' },
  FilesRestoredMessage: { input_uuid: UUID, filesChanged: ['/srv/app/src/parser.js'] },
  CompactBoundaryMessage: { compact_metadata: { trigger: 'auto', pre_tokens: 160000 } },
  'HostRequest.file_suggestions': { query: 'pars', limit: 5 },
  'HostRequest.session_messages': { limit: 2 },
  'HostRequest.trust_project': { decision: 'distrust' },
  'HostRequest.update_permissions': { updates: [{ type: 'setMode', mode: 'plan', destination: 'session' }] },
  'HostResponse.file_suggestions': {
    suggestions: [{ path: 'src/parser.ts', is_directory: false, score: 150, positions: [4, 5, 6, 7] }],
    total: 1,
    truncated: false,
  },
  'HostResponse.mcp_list_resources': {
    resources: [{ server: 'calc', uri: 'calc://manual', name: 'The manual' }],
  },
  'HostResponse.session_messages': { messages: [], total: 0 },
  'HostResponse.update_permissions': { mode: 'plan' },
  'HostResponse.trust_project': {
    ...{ state: 'untrusted', digest: '9f2c41d0' },
    files: [{ file: '.claude/settings.json', needs_trust: [{ key: 'permissions.allow', value: 'Bash' }], never: [] }],
  },
  'HostRequest.set_model': { model: 'opus' },
  'HostRequest.rewind_files': { dry_run: true },
  'HostRequest.fork_session': { title: 'Another way' },
  'HostRequest.mcp_call': { tool: 'mcp__calc__add', arguments: { a: 1, b: 2 } },
  'HostRequest.mcp_read_resource': { uri: 'ui://calc/panel' },
  'HostRequest.set_mcp_permission_mode_override': { mode: 'auto' },
  'HostRequest.register_repo_root': { directory: '/srv/app/src' },
  'HostRequest.update_settings': { settings: { model: 'opus' } },
  'HostRequest.initialize': { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] } },
  SlashCommand: { name: 'compact', description: 'Sums up the conversation' },
  AgentInfo: { name: 'helper', description: 'Looks things up' },
  McpServerStatus: { name: 'calc', status: 'connected' },
  TaskUpdatedMessage: { patch: { status: 'completed' } },
  'HostResponse.session_tree': { nodes: [{ uuid: UUID, parent_uuid: OTHER_UUID, type: 'assistant' }] },
  'HostResponse.reload_skills': { skills: [{ name: 'greet', description: 'Greets people', argumentHint: '[name]' }] },
  'HostResponse.interrupt': { still_queued: [] },
  'HostResponse.mcp_call': { content: [{ type: 'text', text: '3' }] },
  'HostResponse.get_session_cost': { text: 'Total cost:      $0.0431' },
  'HostResponse.explain_permission': { behavior: 'deny', layer: 'deny-rule', rule: 'Bash(npm test:*)' },
  'HostResponse.mcp_message': { mcp_response: { jsonrpc: '2.0', id: 1, result: { tools: [] } } },
  'CliRequest.call_tool': { name: 'in_stock', input: { cloth: 'linen' } },
  'CliResponse.call_tool': { content: '12 bolts of linen' },
  'CliResponse.mcp_message': { mcp_response: { jsonrpc: '2.0', id: 1, result: { tools: [] } } },
};
