import { tmpdir } from 'node:os';
import { protectedPaths } from '../permissions/paths.ts';
import { applyUpdate, type Policy, permittedMode } from '../permissions/policy.ts';
import { nodeRealPath } from '../permissions/real-path.ts';
import { parseRules, type Rule } from '../permissions/rules.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PermissionMode, PermissionUpdate } from '../wire/permissions.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { type PermissionSettings, readPermissionSettings } from './flag-settings.ts';

/** The policy of one session: made from its launch, changed by permission updates and mode requests. */
export interface Permissions {
  readonly policy: Policy;
  /** Throws `invalid_option` when the mode was not permitted at launch. */
  setMode(mode: PermissionMode): void;
  /** All of them, or none: throws `invalid_option` when one of them cannot be applied. */
  apply(updates: readonly PermissionUpdate[]): void;
  /** The mode to go back to when plan mode is left. */
  readonly beforePlan: PermissionMode;
  /** Told the new mode whenever `apply` has changed it. */
  onModeChange: (mode: PermissionMode) => void;
}

export interface PermissionPlaces {
  workspace: Workspace;
  configHome: string | null;
  userHome: string;
  log: Logger;
  /** Where outputs are spilled: readable, though outside the roots. */
  spillDir: string;
}

export function createPermissions(config: RunConfig, places: PermissionPlaces): Permissions {
  const settings = readPermissionSettings(config.settings, places.workspace.cwd, places.log);
  let policy = launchPolicy(config, settings, places);
  let beforePlan: PermissionMode = 'default';
  const change = (next: Policy) => {
    if (next.mode === 'plan' && policy.mode !== 'plan') beforePlan = policy.mode;
    policy = next;
  };
  const permissions: Permissions = {
    get policy() {
      return policy;
    },
    get beforePlan() {
      return beforePlan;
    },
    onModeChange: () => {},
    setMode: (mode) => change({ ...policy, mode: permittedMode(mode, policy) }),
    apply(updates) {
      const before = policy.mode;
      change(updates.reduce(applyUpdate, policy));
      if (policy.mode !== before) permissions.onModeChange(policy.mode);
    },
  };
  return permissions;
}

function launchPolicy(config: RunConfig, settings: PermissionSettings, places: PermissionPlaces): Policy {
  const skip = config.dangerouslySkipPermissions === true;
  const mode = skip ? 'bypassPermissions' : (config.permissionMode ?? settings.defaultMode ?? 'default');
  // Naming the mode on the command line is the permission; settings alone are not (ruling K4).
  const bypassAllowed =
    skip || config.allowDangerouslySkipPermissions === true || config.permissionMode === 'bypassPermissions';
  const { workspace } = places;
  return {
    mode: permittedMode(mode, { bypassAllowed }),
    allow: [
      ...rules(config.allowedTools, 'cliArg', '--allowedTools'),
      ...rules(settings.allow, 'flagSettings', 'permissions.allow'),
    ],
    deny: [
      ...rules(config.disallowedTools, 'cliArg', '--disallowedTools'),
      ...rules(settings.deny, 'flagSettings', 'permissions.deny'),
    ],
    ask: rules(settings.ask, 'flagSettings', 'permissions.ask'),
    cwd: workspace.cwd,
    roots: workspace.roots,
    readRoots: [nodeRealPath(places.spillDir) ?? places.spillDir],
    ...(places.userHome && { home: places.userHome }),
    bypassAllowed,
    searchesFiltered: false,
    protectedPath: protectedPaths({ configHome: places.configHome ?? `${tmpdir()}/.heddle`, realPath: nodeRealPath }),
    realPath: nodeRealPath,
  };
}

/** A rule that cannot be read is an error at the start, never a rule that silently does not apply (trust R-18). */
function rules(texts: readonly string[] | undefined, source: string, where: string): Rule[] {
  const { rules: parsed, problems } = parseRules(texts ?? [], source);
  if (problems.length === 0) return parsed;
  throw new HeddleError('invalid_option', `${where}: ${problems.join(' ')}`, { facts: { problems } });
}

/**
 * The tools that exist: what `--tools` names, without those that a bare deny rule takes away. A removed tool is absent
 * from the request and answered as unknown, in every mode (ruling K7).
 */
export function existingTools(all: readonly Tool[], config: RunConfig, policy: Policy): Tool[] {
  const named = config.tools === undefined || config.tools.includes('default') ? null : new Set(config.tools);
  const removed = new Set(policy.deny.filter((rule) => rule.ruleContent === undefined).map((rule) => rule.toolName));
  return all.filter((tool) => (named === null || named.has(tool.name)) && !removed.has(tool.name));
}

/** Names in `--tools` that no tool here has: another version's, or a typing error. Worth a word, not a refusal. */
export function missingTools(all: readonly Tool[], config: RunConfig): string[] {
  return (config.tools ?? []).filter((name) => name !== 'default' && !all.some((tool) => tool.name === name));
}
