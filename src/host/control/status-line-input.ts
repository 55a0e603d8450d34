import { basename } from 'node:path';
import { transcriptPaths } from '../../sessions/files/session-paths.ts';
import type { JsonObject } from '../../util/json.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../../wire/version.ts';
import { gitBranch, linkedWorktree } from '../engine/git-branch.ts';
import { effortOf } from '../models/request-settings.ts';
import { styleOf } from '../thread/init-line.ts';
import type { SessionServices } from '../thread/services.ts';
import type { MainThread } from '../thread/thread.ts';
import type { ControlContext } from './control-handler.ts';
import { getUsage } from './usage-control.ts';

/** From so many tokens on the reference says that a request is long. */
const LONG_REQUEST = 200_000;

/** What a status line reads from its stdin: the fields of the reference, and those of Heddle below `heddle`. */
export function statusLineInput(context: ControlContext, vimMode: string | undefined): JsonObject {
  const { main, services, session } = context;
  const { workplace, model, conversation, scope, identity, permissions } = main;
  const selected = scope.model ?? model.selected;
  const cwd = workplace.shell.current();
  const title = conversation.title.inForce ?? conversation.title.pending;
  const level = effortOf({ effort: model.effort, warnOnce: services.warnOnce }, selected);
  const { maxThinkingTokens, adaptiveThinking } = model.settings;
  const { model_usage: _, ...cost } = getUsage(context).session;
  return {
    hook_event_name: 'Status',
    session_id: services.id,
    ...(title !== null && { session_name: title }),
    transcript_path: transcriptPath(main, services),
    cwd,
    model: { id: selected.id, display_name: displayName(selected.id) },
    workspace: workspaceOf(main, cwd),
    version: WIRE_VERSION,
    output_style: { name: styleOf(services.extensions.current) },
    cost,
    ...tokensOf(conversation.window),
    ...(level !== undefined && { effort: { level } }),
    thinking: { enabled: (maxThinkingTokens ?? 0) > 0 || adaptiveThinking === true },
    ...(vimMode !== undefined && { vim: { mode: vimMode } }),
    ...(identity.role && { agent: { name: identity.role.name } }),
    ...worktreeOf(main),
    heddle: {
      version: HEDDLE_VERSION,
      mode: permissions.policy.mode,
      tasks: services.background.tasks.list().filter(({ status }) => status === 'running').length,
      queue: session.queuedUuids().length,
    },
  };
}

/** Empty where the transcript is not a file. */
function transcriptPath({ conversation }: MainThread, { storage }: SessionServices): string {
  const { key, isSaved } = conversation.transcript;
  return storage.home !== null && isSaved ? transcriptPaths(storage.home, key)[0] : '';
}

function workspaceOf({ workplace, permissions }: MainThread, cwd: string): JsonObject {
  const { workspace, project } = workplace;
  const linked = linkedWorktree(cwd);
  return {
    current_dir: cwd,
    project_dir: project,
    added_dirs: permissions.policy.roots.filter((root) => root !== workspace.cwd),
    ...(linked !== null && { git_worktree: linked }),
  };
}

/** The worktree of `--worktree`. */
function worktreeOf({ workplace }: MainThread): JsonObject {
  const { worktree, project } = workplace;
  if (!worktree) return {};
  const branch = gitBranch(worktree.cwd);
  const before = gitBranch(project);
  return {
    worktree: {
      name: linkedWorktree(worktree.cwd) ?? basename(worktree.cwd),
      path: worktree.cwd,
      ...(branch !== null && { branch }),
      original_cwd: project,
      ...(before !== null && { original_branch: before }),
    },
  };
}

/** How full the window is, by the last answer. The shares leave its output out, as the reference does. */
function tokensOf({ counted, window }: MainThread['conversation']['window']): JsonObject {
  const input = counted
    ? counted.input_tokens + counted.cache_creation_input_tokens + counted.cache_read_input_tokens
    : 0;
  const output = counted?.output_tokens ?? 0;
  const used = counted ? Math.min(100, Math.round((100 * input) / window)) : null;
  return {
    context_window: {
      total_input_tokens: input,
      total_output_tokens: output,
      context_window_size: window,
      used_percentage: used,
      remaining_percentage: used === null ? null : 100 - used,
      current_usage: counted ?? null,
    },
    exceeds_200k_tokens: input + output > LONG_REQUEST,
  };
}

/** The name of a model for people: `Opus 4.1` for `claude-opus-4-1-20250805`; its id where it has no such name. */
function displayName(id: string): string {
  const { family, after, before } =
    /claude-(?:(?<before>\d+(?:-\d)?)-)?(?<family>[a-z]+)(?:-(?<after>\d{1,2}(?:-\d{1,2})?))?(?![a-z\d])/.exec(id)
      ?.groups ?? {};
  const version = (after ?? before)?.replace('-', '.');
  if (family === undefined || version === undefined) return id;
  return `${family.charAt(0).toUpperCase()}${family.slice(1)} ${version}`;
}
