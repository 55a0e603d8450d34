import { DEFAULT_STYLE } from '../config/bundled.ts';
import type { Message } from '../wire/messages/index.ts';
import { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../wire/version.ts';
import { type AgentHolder, agentTypes } from './agents/agent-types.ts';
import { COMMAND_NAMES } from './command-line.ts';
import { listServers } from './mcp.ts';
import type { Parts } from './parts.ts';
import { effortOf } from './request-settings.ts';

/** What this build can do beyond the base protocol; hosts check before they rely on it. */
export const CAPABILITIES: readonly string[] = [
  'end_input',
  'parent_uuid',
  'session_tree',
  'session_store',
  'edits',
  'partial_messages',
  'host_tools',
  // As the reference calls them: `still_queued` in the answer to `interrupt`, and `command_lifecycle` lines.
  'interrupt_receipt_v1',
  'msg_lifecycle_v1',
  'mcp_read_resource_v1',
  'mcp_tool_ui_meta_v1',
  'mcp_call_check_permissions_v1',
  'mcp_call_result_not_for_model_v1',
  'interrupt_cancel_queued_v1',
  'reload_plugins_refuse_if_busy_v1',
];

/** The line that opens every turn: the facts in force now. */
export function initLine(parts: Parts, uuid: string): Message {
  const { extensions } = parts;
  return {
    type: 'system',
    subtype: 'init',
    cwd: parts.workspace.cwd,
    session_id: parts.sessionId,
    tools: parts.tools.all().map((tool) => tool.name),
    mcp_servers: listServers(parts),
    model: (parts.extras.chosen ?? parts.chosen).id,
    permissionMode: parts.permissions.policy.mode,
    slash_commands: commandNames(parts),
    apiKeySource: parts.chosen.keySource,
    ...(parts.betas.length > 0 ? { betas: [...parts.betas] } : {}),
    claude_code_version: WIRE_VERSION,
    output_style: styleOf(parts),
    agents: agentsOf(parts).map(({ name }) => name),
    skills: extensions.prompts.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: pluginsOf(parts),
    ...(extensions.pluginErrors.length > 0 && { plugin_errors: extensions.pluginErrors }),
    ...memoryOf(parts),
    uuid,
    fast_mode_state: 'off',
    ...(parts.dialect === '2.1.325' && { effort: effortOf(parts, parts.extras.chosen ?? parts.chosen) ?? null }),
    heddle_version: HEDDLE_VERSION,
    protocol_version: PROTOCOL_VERSION,
    capabilities: [...CAPABILITIES],
    trust: trustOf(parts),
    sandbox: parts.sandbox.facts(),
  } as Message;
}

/** The names of the commands, in the order of `command-list.ts`. */
function commandNames({ takesCommandsAsText, extensions, mcp }: Parts): string[] {
  if (takesCommandsAsText) return [];
  const ofFiles = extensions.prompts.flatMap(({ forUser, name }) => (forUser ? name : []));
  const ours = COMMAND_NAMES.filter((name) => !ofFiles.includes(name));
  return [...ofFiles, ...ours, ...(mcp?.commands() ?? []).map(({ name }) => name)];
}

/** Agents as hosts are told of them. */
interface ListedAgent {
  name: string;
  description: string;
  model?: string;
}

interface ListedPlugin {
  name: string;
  path: string;
  source?: string;
  version?: string;
}

/** With where they come from, where settings name them. */
export function pluginsOf({ extensions, dialect }: Parts): ListedPlugin[] {
  return extensions.plugins.map(({ name, root, source, version }) => ({
    name,
    path: root,
    ...(source && { source }),
    ...(version !== undefined && dialect === '2.1.325' && { version }),
  }));
}

export function agentsOf(parts: AgentHolder): ListedAgent[] {
  return agentTypes(parts).map(({ name, definition: { description, model } }) => {
    return { name, description, ...(model !== undefined && { model }) };
  });
}

export function styleOf({ extensions }: Parts): string {
  return extensions.style?.name ?? DEFAULT_STYLE;
}

/** The memory files in force. Left out without any, as the reference has no such field. */
function memoryOf({ memory }: Parts) {
  const files = memory.files();
  return files.length > 0 ? { memory_files: files } : {};
}

/** How far the project's files were believed, and what of them was left out. */
function trustOf({ configuration: { loaded }, extensions, serverTrust }: Parts) {
  const reports = [loaded.trust, extensions.trust, serverTrust].filter((report) => report !== null);
  const state = reports.find((report) => report.state !== 'none')?.state ?? 'none';
  const ignored = reports.flatMap((report) => report.ignored);
  const names = ignored.flatMap(({ file, keys }) => keys.map((key) => `${file}: ${key}`));
  return { trusted: state === 'trusted', state, ignored: names };
}
