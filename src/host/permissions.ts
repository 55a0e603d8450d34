import { tmpdir } from 'node:os';
import { SCOPES } from '../config/scopes.ts';
import type { Settings } from '../config/settings.ts';
import { parseMode } from '../permissions/modes.ts';
import { protectedPaths } from '../permissions/paths.ts';
import { type Policy, permittedMode } from '../permissions/policy.ts';
import { nodeRealPath } from '../permissions/real-path.ts';
import { coversTool, parseRules, type Rule } from '../permissions/rules.ts';
import type { ReadCommand } from '../permissions/shell-reader.ts';
import type { AppliedUpdate } from '../permissions/updates.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PermissionMode, PermissionUpdate } from '../wire/permissions.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { OwnProgram } from './own-program.ts';
import { planFile } from './plan-name.ts';

/** The policy of one session: made from its launch, changed by permission updates and mode requests. */
export interface Permissions {
  readonly policy: Policy;
  /** Throws `invalid_option` when the mode was not permitted at launch. */
  setMode(mode: PermissionMode): void;
  /**
   * Rejects with `invalid_option` or `invalid_settings` when one of them cannot be applied or kept: then none is. Rejects
   * with `storage_failed` when a file could not be written: then exactly those act that were written before.
   */
  apply(updates: readonly PermissionUpdate[]): Promise<void>;
  /** Adds deny rules that no update lifts. */
  forbid(rules: readonly Rule[]): void;
  /** The mode to go back to when plan mode is left. */
  readonly beforePlan: PermissionMode;
  /** Takes the rules of settings that have changed. Throws when one of them cannot be read; then the old ones stay. */
  useSettings(settings: Settings): void;
  /** Told the new mode whenever `apply` has changed it. */
  onModeChange: (mode: PermissionMode) => void;
  /** Told the new policy whenever its rules have changed. */
  onRulesChange: (policy: Policy) => void;
  /** Told whenever other directories are worked in. */
  onRootsChange?: () => void;
}

export interface PermissionPlaces {
  workspace: Workspace;
  /** What the workspace is a worktree of; absent: it is none. */
  checkout?: string;
  configHome: string | null;
  userHome: string;
  ownProgram: OwnProgram;
  /** Where outputs are spilled: readable, though outside the roots. Null: there is no session yet. */
  spillDir: string | null;
  /** Where the transcripts of the session's agents are: the same. Null: nowhere. */
  agentsDir?: string | null;
  /** Keeps the updates in the files that they name, and tells which apply and how. When it rejects, none does. */
  store(updates: readonly PermissionUpdate[], policy: Policy): Promise<Stored>;
  /** Told every change of the mode, whoever made it. */
  onMode?(mode: PermissionMode): void;
  /** How the session's plan is called, once it has a name. */
  planName(): string | null;
  readCommand: ReadCommand;
}

export interface Stored {
  applied: readonly AppliedUpdate[];
  /** Why the others do not apply. */
  failure?: HeddleError;
}

export function createPermissions(config: RunConfig, settings: Settings, places: PermissionPlaces): Permissions {
  let policy = launchPolicy(config, settings, places);
  let beforePlan: PermissionMode = 'default';
  const change = (next: Policy) => {
    if (next.mode === 'plan' && policy.mode !== 'plan') beforePlan = policy.mode;
    if (next.mode !== policy.mode) places.onMode?.(next.mode);
    const hasNewRules = next.allow !== policy.allow || next.deny !== policy.deny || next.ask !== policy.ask;
    const hasNewRoots = next.roots !== policy.roots;
    policy = next;
    if (hasNewRoots) permissions.onRootsChange?.();
    if (hasNewRules) permissions.onRulesChange(policy);
  };
  const permissions: Permissions = {
    get policy() {
      return policy;
    },
    get beforePlan() {
      return beforePlan;
    },
    onModeChange: () => {},
    onRulesChange: () => {},
    setMode: (mode) => change({ ...policy, mode: permittedMode(mode, policy) }),
    forbid: (rules) => change({ ...policy, deny: [...policy.deny, ...rules] }),
    useSettings(next) {
      change(withSettingsRules(policy, next));
    },
    async apply(updates) {
      const { applyAs, applyUpdate } = await import('../permissions/updates.ts');
      updates.reduce(applyUpdate, policy); // what cannot be applied is not kept either
      const { applied, failure } = await places.store(updates, policy);
      const before = policy.mode;
      change(applied.reduce(applyAs, policy));
      if (policy.mode !== before) permissions.onModeChange(policy.mode);
      if (failure) throw failure;
    },
  };
  return permissions;
}

function launchPolicy(config: RunConfig, settings: Settings, places: PermissionPlaces): Policy {
  const skip = config.dangerouslySkipPermissions === true;
  const mode = skip ? 'bypassPermissions' : (config.permissionMode ?? settings.defaultMode ?? 'default');
  // Naming the mode on the command line is the permission; settings alone are not (ruling K4).
  const isBypassAsked =
    skip || config.allowDangerouslySkipPermissions === true || config.permissionMode === 'bypassPermissions';
  const bypassAllowed = isBypassAsked && !settings.isBypassDisabled;
  if (isBypassAsked && mode === 'bypassPermissions' && !bypassAllowed) {
    throw new HeddleError('invalid_option', 'bypassPermissions is not permitted: the settings disable it');
  }
  const { workspace, checkout, configHome, spillDir, agentsDir = null } = places;
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
    ...(places.userHome && { home: places.userHome }),
    bypassAllowed,
    searchesFiltered: true,
    planFile: () => planFile(configHome === null ? null : nodeRealPath(configHome), places.planName()),
    protectedPath: protectedPaths({
      configHome: configHome ?? `${tmpdir()}/.heddle`,
      realPath: nodeRealPath,
      ownProgram: places.ownProgram,
    }),
    ready: places.ownProgram.load,
    realPath: nodeRealPath,
    readCommand: places.readCommand,
  };
  return withSettingsRules(policy, settings);
}

/** The policy with the rules of these settings in the place of those of earlier ones. The session's own stay. */
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

/** Throws when one of the rules or the mode of these settings cannot be read. */
export function checkPermissionSettings({ rules: given, defaultMode }: Settings): void {
  for (const { texts, scope, where } of given) rules(texts, scope, where);
  if (defaultMode !== undefined) parseMode(defaultMode);
}

/** A rule that cannot be read is an error at the start, never a rule that silently does not apply (trust R-18). */
function rules(texts: readonly string[] | undefined, source: string, where: string): Rule[] {
  const { rules: parsed, problems } = parseRules(texts ?? [], source);
  if (problems.length === 0) return parsed.map((rule) => ({ ...rule, where }));
  throw new HeddleError('invalid_option', `${where}: ${problems.join(' ')}`, { facts: { problems } });
}

/**
 * The tools that exist: what `--tools` names, without those that a bare deny rule takes away. A removed tool is absent
 * from the request and answered as unknown, in every mode (ruling K7).
 */
export function existingTools<T extends Pick<Tool, 'name'>>(all: readonly T[], config: RunConfig, policy: Policy): T[] {
  const named = config.tools === undefined || config.tools.includes('default') ? null : new Set(config.tools);
  const bare = policy.deny.filter((rule) => rule.ruleContent === undefined);
  const isRemoved = (name: string) => bare.some((rule) => coversTool(rule, name, 'forbid'));
  return all.filter(({ name }) => (named === null || named.has(name)) && !isRemoved(name));
}

/** Names in `--tools` that no tool here has: another version's, or a typing error. Worth a word, not a refusal. */
export function missingTools(all: readonly Tool[], config: RunConfig): string[] {
  return (config.tools ?? []).filter((name) => name !== 'default' && !all.some((tool) => tool.name === name));
}
