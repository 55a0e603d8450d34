import { DEFAULT_STYLE } from '../../config/extensions/bundled.ts';
import { configurationHash } from '../../config/trust-store.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { Message } from '../../wire/messages/index.ts';
import { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../../wire/version.ts';
import { type AgentSource, agentTypes } from '../extensions/agent-kinds.ts';
import type { Extensions } from '../extensions/extensions.ts';
import { COMMAND_NAMES } from '../extensions/parse-command.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import { listServers } from '../mcp/session-mcp.ts';
import { effortOf } from '../models/request-settings.ts';
import type { PathRulesInfo } from '../permissions/session-path-guard.ts';
import type { SessionServices } from './services.ts';
import type { Thread } from './thread.ts';
import type { Workplace } from './workplace.ts';

/** Features of this build beyond the base protocol; hosts check them before they rely on one. */
export const CAPABILITIES: readonly string[] = [
  'end_input',
  'continue_turn',
  'parent_uuid',
  'session_tree',
  'session_store',
  'edits',
  'partial_messages',
  'host_tools',
  'file_suggestions',
  'mcp_list_resources',
  'session_messages',
  'update_permissions',
  'shell_command',
  'trust_project',
  'status_line',
  'permission_previews',
  // The reference's names for `still_queued` in the answer to `interrupt`, and for `command_lifecycle` lines.
  'interrupt_receipt_v1',
  'msg_lifecycle_v1',
  'mcp_read_resource_v1',
  'mcp_tool_ui_meta_v1',
  'mcp_call_check_permissions_v1',
  'mcp_call_result_not_for_model_v1',
  'interrupt_cancel_queued_v1',
  'reload_plugins_refuse_if_busy_v1',
];

/** The line that opens every turn: the settings in force now. */
export function initLine(thread: Thread, uuid: string): Message {
  const { services, workplace, toolbox, model, permissions, conversation } = thread;
  const { mcp, agents, preferences, warnOnce } = services;
  const extensions = services.extensions.current;
  const selected = thread.scope.model ?? model.selected;
  return {
    type: 'system',
    subtype: 'init',
    cwd: workplace.workspace.cwd,
    session_id: services.id,
    tools: toolbox.registry.all().map((tool) => tool.name),
    mcp_servers: listServers(mcp.current),
    model: selected.id,
    permissionMode: permissions.policy.mode,
    slash_commands: commandNames(services),
    apiKeySource: model.selected.keySource,
    ...(model.betas.length > 0 ? { betas: [...model.betas] } : {}),
    claude_code_version: WIRE_VERSION,
    output_style: styleOf(extensions),
    agents: agentsOf(agents.sources).map(({ name }) => name),
    skills: extensions.prompts.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: pluginsOf(extensions, preferences.dialect),
    ...(extensions.pluginErrors.length > 0 && { plugin_errors: extensions.pluginErrors }),
    ...memoryOf(conversation.memory),
    uuid,
    fast_mode_state: 'off',
    ...(preferences.dialect === '2.1.325' && {
      effort: effortOf({ effort: model.effort, warnOnce }, selected) ?? null,
    }),
    heddle_version: HEDDLE_VERSION,
    protocol_version: PROTOCOL_VERSION,
    capabilities: [...CAPABILITIES],
    trust: trustOf(services),
    sandbox: workplace.sandbox.info(),
    ...pathRulesOf(workplace),
  } as Message;
}

/** Absent where no rule names a path. */
function pathRulesOf({ guard }: Pick<Workplace, 'guard'>): { path_rules?: PathRulesInfo } {
  const path_rules = guard.info();
  return path_rules === null ? {} : { path_rules };
}

/** The names of the commands, in the order of `command-list.ts`. */
function commandNames({ options, extensions, mcp }: SessionServices): string[] {
  if (options.takesCommandsAsText) return [];
  const ofFiles = extensions.current.prompts.flatMap(({ forUser, name }) => (forUser ? name : []));
  const ours = COMMAND_NAMES.filter((name) => !ofFiles.includes(name));
  return [...ofFiles, ...ours, ...(mcp.current?.commands() ?? []).map(({ name }) => name)];
}

/** An agent, for hosts. */
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

/** The plugins, for hosts. A plugin that settings name has its source. */
export function pluginsOf({ plugins }: Pick<Extensions, 'plugins'>, dialect: Dialect): ListedPlugin[] {
  return plugins.map(({ name, root, source, version }) => ({
    name,
    path: root,
    ...(source && { source }),
    ...(version !== undefined && dialect === '2.1.325' && { version }),
  }));
}

export function agentsOf(source: AgentSource): ListedAgent[] {
  return agentTypes(source).map(({ name, definition: { description, model } }) => {
    return { name, description, ...(model !== undefined && { model }) };
  });
}

export function styleOf({ style }: Pick<Extensions, 'style'>): string {
  return style?.name ?? DEFAULT_STYLE;
}

/** The memory files in force. Left out when there are none, because the reference has no such field. */
function memoryOf(memory: SessionMemory) {
  const files = memory.files();
  return files.length > 0 ? { memory_files: files } : {};
}

/** How far the session trusts the project's files, and which of their settings it ignores. */
function trustOf({ configuration, extensions, mcp }: SessionServices) {
  const reports = [configuration.loaded.trust, extensions.current.trust, mcp.trust].filter((report) => report !== null);
  const state = reports.find((report) => report.state !== 'none')?.state ?? 'none';
  const ignored = reports.flatMap((report) => report.ignored);
  const names = ignored.flatMap(({ file, keys }) => keys.map((key) => `${file}: ${key}`));
  const isOpen = state === 'untrusted' || state === 'changed';
  const digest = isOpen ? configurationHash(configuration.directories.cwd) : undefined;
  return { trusted: state === 'trusted', state, ignored: names, ...(digest !== undefined && { digest }) };
}
