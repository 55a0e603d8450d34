import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import type { Parts } from './parts.ts';

/** Answers one kind of request. `signal` aborts when the host withdraws it: then nobody hears the answer. */
type Answer = (parts: Parts, request: ControlBody, signal: AbortSignal) => unknown;

/** A request whose handler is loaded with the first of its kind. */
export interface LaterRequest {
  load(): Promise<Answer>;
  /** Says what cannot be done while a turn is running, where that is so. */
  betweenTurns?: string;
  /** Begun in the order of the lines, but neither later requests nor the next turn wait for its end. */
  isLong?: true;
}

/** Throws for a subtype that nobody answers. */
export function findRequest(subtype: string): LaterRequest {
  const found = Object.hasOwn(REQUESTS, subtype) ? REQUESTS[subtype] : undefined;
  if (found) return found;
  throw new ControlError(`Unsupported control request subtype: ${subtype}`, 'unsupported_request');
}

const branch = () => import('./branch-control.ts');
const files = () => import('./file-control.ts');
const listing = () => import('./listing-control.ts');
const mcp = () => import('./mcp-control.ts');
const mcpCalls = () => import('./mcp-calls.ts');
const reload = () => import('./reload-control.ts');
const root = () => import('./root-control.ts');
const settings = () => import('./settings-control.ts');
const tasks = () => import('./task-control.ts');
const thinking = () => import('./thinking-control.ts');
const title = () => import('./title-control.ts');
const usage = () => import('./usage-control.ts');

/** By subtype. What these requests do and answer is in docs/wire.md. */
const REQUESTS: Readonly<Record<string, LaterRequest>> = {
  rewind_files: from(files, 'rewindFiles', { betweenTurns: 'Files cannot be rewound' }),
  read_file: from(files, 'readFile', { isLong: true }),
  seed_read_state: from(files, 'seedReadState'),

  session_tree: from(branch, 'sessionTree'),
  branches: from(branch, 'branches'),
  switch_leaf: from(branch, 'switchLeaf', { betweenTurns: 'The branch cannot be changed' }),
  fork_session: from(branch, 'forkSession'),
  rename_session: from(branch, 'renameSession'),
  generate_session_title: from(title, 'generateSessionTitle', { isLong: true }),

  // What servers say meanwhile must get through.
  mcp_status: from(mcp, 'mcpStatus', { isLong: true }),
  mcp_message: from(mcp, 'mcpMessage', { isLong: true }),
  mcp_reconnect: from(mcp, 'mcpReconnect', { isLong: true }),
  mcp_toggle: from(mcp, 'mcpToggle', { isLong: true }),
  mcp_set_servers: from(mcp, 'mcpSetServers', { isLong: true }),
  set_mcp_permission_mode_override: from(mcp, 'mcpPinMode'),
  mcp_call: from(mcpCalls, 'mcpCall', { isLong: true }),
  mcp_read_resource: from(mcpCalls, 'mcpReadResource', { isLong: true }),

  explain_permission: from(settings, 'explainPermission'),
  get_settings: from(settings, 'getSettings'),
  apply_flag_settings: from(settings, 'applyFlagSettings'),
  update_settings: from(settings, 'updateSettings'),

  set_max_thinking_tokens: from(thinking, 'setMaxThinkingTokens'),

  list_models: from(listing, 'listModels'),
  list_permission_rules: from(listing, 'listPermissionRules'),
  get_hooks_listing: from(listing, 'getHooksListing'),
  get_binary_version: from(listing, 'getBinaryVersion'),

  register_repo_root: from(root, 'registerRepoRoot'),
  reload_skills: from(reload, 'reloadSkills'),
  reload_plugins: from(reload, 'reloadPlugins'),
  reload_output_styles: from(reload, 'reloadOutputStyles'),

  get_context_usage: from(usage, 'getContextUsage'),
  get_session_cost: from(usage, 'getSessionCost'),
  get_usage: from(usage, 'getUsage'),

  background_tasks: from(tasks, 'backgroundTasks'),
  get_task_output: from(tasks, 'getTaskOutput', { isLong: true }),
  stop_task: from(tasks, 'stopTask', { isLong: true }),
};

function from<Name extends string>(
  load: () => Promise<Record<Name, Answer>>,
  name: Name,
  how: Omit<LaterRequest, 'load'> = {},
): LaterRequest {
  return { ...how, load: async () => (await load())[name] };
}
