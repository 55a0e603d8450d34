import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SCOPES } from '../../config/settings/scopes.ts';
import type { Settings } from '../../config/settings/settings.ts';
import { createFilesBelow } from '../../permissions/commands/files-below.ts';
import { trackedFiles } from '../../permissions/git-index.ts';
import { laterPaths } from '../../permissions/later-paths.ts';
import { parseMode } from '../../permissions/modes.ts';
import { protectedPaths } from '../../permissions/paths.ts';
import { type Policy, permittedMode } from '../../permissions/policy.ts';
import { nodeNames, nodeRealPath } from '../../permissions/real-path.ts';
import { hasPlainRepository } from '../../permissions/repository-config.ts';
import { coversTool, parseRules, type Rule } from '../../permissions/rules.ts';
import type { ReadCommand } from '../../permissions/shell/shell-script.ts';
import { applyAs, applyUpdate } from '../../permissions/updates.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { PermissionMode, PermissionUpdate } from '../../wire/permissions.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { OwnProgram } from '../engine/own-program.ts';
import type { StoredUpdates } from '../launch/configuration.ts';
import { narrowedPermissions } from './narrowed-permissions.ts';
import { planFile } from './plan-file.ts';
import { addedTo, type PermissionEvent, type Permissions, type PolicySource } from './thread-permissions.ts';

export interface PermissionDirectories {
  workspace: Workspace;
  /** The repository whose worktree the workspace is; absent: it is not a worktree. */
  checkout?: string;
  configHome: string | null;
  userHome: string;
  ownProgram: OwnProgram;
  /** The folder of spilled outputs: readable, although outside the roots. Null: there is no session yet. */
  spillDir: string | null;
  /** The folder of the agents' transcripts: readable as well. Null: there is none. */
  agentsDir?: string | null;
  /** Saves the updates in the files that they name, and returns which apply and how. When it rejects, none applies. */
  store(updates: readonly PermissionUpdate[], policy: Policy): Promise<StoredUpdates>;
  /** Called with every change of the mode. */
  onMode?(mode: PermissionMode): void;
  /** The name of the session's plan; null: it has none yet. */
  planName(): string | null;
  readCommand: ReadCommand;
}

export function createPermissions(
  config: RunConfig,
  settings: Settings,
  directories: PermissionDirectories,
): Permissions {
  let policy = launchPolicy(config, settings, directories);
  let beforePlan: PermissionMode = 'default';
  const listeners: { event: PermissionEvent; listener: () => void }[] = [];
  const emit = (happened: PermissionEvent) => {
    for (const { event, listener } of listeners) if (event === happened) listener();
  };
  const sources: PolicySource[] = [];
  const shared: PolicySource[] = [];
  const change = (next: Policy) => {
    if (next.mode === 'plan' && policy.mode !== 'plan') beforePlan = policy.mode;
    if (next.mode !== policy.mode) directories.onMode?.(next.mode);
    const hasNewRules = next.allow !== policy.allow || next.deny !== policy.deny || next.ask !== policy.ask;
    const hasNewRoots = next.roots !== policy.roots;
    policy = next;
    if (hasNewRoots) emit('roots');
    if (hasNewRules) emit('rules');
  };
  const permissions: Permissions = {
    get policy() {
      return policy;
    },
    get beforePlan() {
      return beforePlan;
    },
    inForce: () => addedTo(policy, [...shared, ...sources]),
    addSource: (source, reach) => void (reach === 'session' ? shared : sources).push(source),
    forAgent: (narrowing) => narrowedPermissions(permissions, narrowing, shared),
    on: (event, listener) => void listeners.push({ event, listener }),
    setMode: (mode) => change({ ...policy, mode: permittedMode(mode, policy) }),
    forbid: (rules) => change({ ...policy, deny: [...policy.deny, ...rules] }),
    useSettings(next) {
      change(withSettingsRules(policy, next));
    },
    async apply(updates) {
      updates.reduce(applyUpdate, policy); // what cannot be applied is not kept either
      const { applied, failure } = await directories.store(updates, policy);
      const before = policy.mode;
      change(applied.reduce(applyAs, policy));
      if (policy.mode !== before) emit('mode');
      if (failure) throw failure;
    },
  };
  return permissions;
}

function launchPolicy(config: RunConfig, settings: Settings, directories: PermissionDirectories): Policy {
  const skip = config.dangerouslySkipPermissions === true;
  const mode = skip ? 'bypassPermissions' : (config.permissionMode ?? settings.defaultMode ?? 'default');
  // The command line can permit the mode by naming it; settings alone cannot.
  const isBypassAsked =
    skip || config.allowDangerouslySkipPermissions === true || config.permissionMode === 'bypassPermissions';
  const bypassAllowed = isBypassAsked && !settings.isBypassDisabled;
  if (isBypassAsked && mode === 'bypassPermissions' && !bypassAllowed) {
    throw new HeddleError('invalid_option', 'bypassPermissions is not permitted: the settings disable it');
  }
  const { workspace, checkout, configHome, spillDir, agentsDir = null } = directories;
  const readable = [spillDir, agentsDir].filter((folder) => folder !== null);
  const policy: Policy = {
    mode: permittedMode(mode, { bypassAllowed }),
    allow: rules(config.allowedTools, 'cliArg', '--allowedTools'),
    deny: rules(config.disallowedTools, 'cliArg', '--disallowedTools'),
    ask: [],
    cwd: workspace.cwd,
    ...(checkout !== undefined && { checkouts: [checkout] }),
    roots: workspace.roots,
    readRoots: readable.map((folder) => nodeRealPath(folder) ?? folder),
    ...(directories.userHome && { home: directories.userHome }),
    bypassAllowed,
    searchesFiltered: true,
    planFile: () => planFile(configHome === null ? null : nodeRealPath(configHome), directories.planName()),
    protectedPath: protectedPaths({
      configHome: configHome ?? `${tmpdir()}/.heddle`,
      realPath: nodeRealPath,
      ownProgram: directories.ownProgram,
    }),
    actsLater: laterPaths({ asksForCi: settings.asksForCi, exists: existsSync }),
    ready: directories.ownProgram.load,
    realPath: nodeRealPath,
    namesIn: nodeNames,
    filesBelow: createFilesBelow(() => performance.now()),
    hasPlainRepository,
    trackedFiles,
    readCommand: directories.readCommand,
  };
  return withSettingsRules(policy, settings);
}

/** The policy with the rules of these settings instead of those of earlier ones. The session's own rules stay. */
function withSettingsRules(policy: Policy, { rules: given, isBypassDisabled }: Settings): Policy {
  const lists = (['allow', 'deny', 'ask'] as const).map((behavior) => {
    const own = policy[behavior].filter(({ source }) => !SCOPES.some((scope) => scope === source));
    const read = given
      .filter((each) => each.behavior === behavior)
      .flatMap(({ texts, scope, where }) => rules(texts, scope, where));
    return [behavior, [...own, ...read]];
  });
  return { ...policy, ...Object.fromEntries(lists), bypassAllowed: policy.bypassAllowed && !isBypassDisabled };
}

/** Throws when a rule or the mode of these settings is invalid. */
export function checkPermissionSettings({ rules: given, defaultMode }: Settings): void {
  for (const { texts, scope, where } of given) rules(texts, scope, where);
  if (defaultMode !== undefined) parseMode(defaultMode);
}

/** Throws for an invalid rule at the start, because a rule must not silently have no effect. */
function rules(texts: readonly string[] | undefined, source: string, where: string): Rule[] {
  const { rules: parsed, problems } = parseRules(texts ?? [], source);
  if (problems.length === 0) return parsed.map((rule) => ({ ...rule, where }));
  throw new HeddleError('invalid_option', `${where}: ${problems.join(' ')}`, { facts: { problems } });
}

/**
 * The tools that exist: those that `--tools` names, without those that a bare deny rule removes. A removed tool is
 * absent from the request, and a call of it is answered as unknown, in every mode.
 */
export function existingTools<T extends Pick<Tool, 'name'>>(
  all: readonly T[],
  config: RunConfig,
  policy: Pick<Policy, 'deny'>,
): T[] {
  const named = config.tools === undefined || config.tools.includes('default') ? null : new Set(config.tools);
  const bare = policy.deny.filter((rule) => rule.ruleContent === undefined);
  const isRemoved = (name: string) => bare.some((rule) => coversTool(rule, name, 'forbid'));
  return all.filter(({ name }) => (named === null || named.has(name)) && !isRemoved(name));
}

/**
 * Names in `--tools` that no tool has: a tool of another version, or a typing error. They get a warning, not an error.
 */
export function missingTools(all: readonly Tool[], config: RunConfig): string[] {
  return (config.tools ?? []).filter((name) => name !== 'default' && !all.some((tool) => tool.name === name));
}
