import { ControlError } from '../../wire/errors.ts';
import { branches, forkSession, renameSession, sessionMessages, sessionTree, switchLeaf } from './branch-control.ts';
import type { ControlHandler } from './control-handler.ts';
import { readFile, rewindFiles, seedReadState } from './file-control.ts';
import { getBinaryVersion, getHooksListing, listModels, listPermissionRules } from './listing-control.ts';
import { mcpCall, mcpListResources, mcpReadResource } from './mcp-call-control.ts';
import { mcpMessage, mcpPinMode, mcpReconnect, mcpSetServers, mcpStatus, mcpToggle } from './mcp-control.ts';
import { setMaxThinkingTokens } from './model-control.ts';
import { reloadOutputStyles, reloadPlugins, reloadSkills } from './reload-control.ts';
import { registerRepoRoot } from './root-control.ts';
import {
  applyFlagSettings,
  explainPermission,
  getSettings,
  updatePermissions,
  updateSettings,
} from './settings-control.ts';
import { shellCommand } from './shell-control.ts';
import { statusLine } from './status-line-control.ts';
import { fileSuggestions } from './suggestion-control.ts';
import { backgroundTasks, getTaskOutput, stopTask } from './task-control.ts';
import { generateSessionTitle } from './title-control.ts';
import { trustProject } from './trust-control.ts';
import { getContextUsage, getSessionCost, getUsage } from './usage-control.ts';

export interface ControlRow {
  answer: ControlHandler;
  /** Names what cannot be done while a turn is running. Absent: the request is answered at any time. */
  betweenTurns?: string;
  /** Begun in the order of the lines, but neither later requests nor the next turn wait for its end. */
  isLong?: true;
}

/** Throws for a subtype that no handler answers. */
export function findRequest(subtype: string): ControlRow {
  const row = Object.hasOwn(REQUESTS, subtype) ? REQUESTS[subtype] : undefined;
  if (row) return row;
  throw new ControlError(`Unsupported control request subtype: ${subtype}`, 'unsupported_request');
}

/** By subtype. docs/wire.md says what these requests do and answer. */
const REQUESTS: Readonly<Record<string, ControlRow>> = {
  rewind_files: { answer: rewindFiles, betweenTurns: 'Files cannot be rewound' },
  read_file: { answer: readFile, isLong: true },
  seed_read_state: { answer: seedReadState },
  file_suggestions: { answer: fileSuggestions, isLong: true },

  session_tree: { answer: sessionTree },
  session_messages: { answer: sessionMessages },
  branches: { answer: branches },
  switch_leaf: { answer: switchLeaf, betweenTurns: 'The branch cannot be changed' },
  fork_session: { answer: forkSession },
  rename_session: { answer: renameSession },
  generate_session_title: { answer: generateSessionTitle, isLong: true },

  // Long, because messages of the servers must get through in the meantime.
  mcp_status: { answer: mcpStatus, isLong: true },
  mcp_message: { answer: mcpMessage, isLong: true },
  mcp_reconnect: { answer: mcpReconnect, isLong: true },
  mcp_toggle: { answer: mcpToggle, isLong: true },
  mcp_set_servers: { answer: mcpSetServers, isLong: true },
  set_mcp_permission_mode_override: { answer: mcpPinMode },
  mcp_call: { answer: mcpCall, isLong: true },
  mcp_list_resources: { answer: mcpListResources, isLong: true },
  mcp_read_resource: { answer: mcpReadResource, isLong: true },

  explain_permission: { answer: explainPermission },
  get_settings: { answer: getSettings },
  apply_flag_settings: { answer: applyFlagSettings },
  update_settings: { answer: updateSettings },
  update_permissions: { answer: updatePermissions },
  trust_project: { answer: trustProject },

  shell_command: { answer: shellCommand, isLong: true },
  status_line: { answer: statusLine, isLong: true },

  set_max_thinking_tokens: { answer: setMaxThinkingTokens },

  list_models: { answer: listModels },
  list_permission_rules: { answer: listPermissionRules },
  get_hooks_listing: { answer: getHooksListing },
  get_binary_version: { answer: getBinaryVersion },

  register_repo_root: { answer: registerRepoRoot },
  reload_skills: { answer: reloadSkills },
  reload_plugins: { answer: reloadPlugins },
  reload_output_styles: { answer: reloadOutputStyles },

  get_context_usage: { answer: getContextUsage },
  get_session_cost: { answer: getSessionCost },
  get_usage: { answer: getUsage },

  background_tasks: { answer: backgroundTasks },
  get_task_output: { answer: getTaskOutput, isLong: true },
  stop_task: { answer: stopTask, isLong: true },
};
