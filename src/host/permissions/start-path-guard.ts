import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsPath } from '../../config/settings/scopes.ts';
import { type DeniedPatterns, deniedPatterns } from '../../permissions/denied-patterns.ts';
import type { Policy } from '../../permissions/policy.ts';
import { rememberingRealPath } from '../../permissions/real-path.ts';
import { formatRule } from '../../permissions/rules.ts';
import { createDeniedPaths } from '../../tools/path-guard/denied-paths.ts';
import { maskedPrograms } from '../../tools/path-guard/masked-programs.ts';
import { confineByWalls } from '../../tools/path-guard/path-guard.ts';
import type { Walls } from '../../tools/path-guard/walls.ts';
import type { GuardedSpec } from '../../tools/shell-sandbox.ts';
import { keyFile } from '../engine/stored-keys.ts';
import { deniedPrograms } from './denied-programs.ts';
import type { GuardDependencies } from './guard-dependencies.ts';
import { findGuardProvider } from './guard-provider.ts';

export interface StartedPathGuard {
  /** Why the kernel cannot hold rules here; null when it does. */
  readonly problem: string | null;
  /** `bubblewrap` or `seatbelt`; null where there is none. */
  readonly provider: string | null;
  /** See `ShellGuard.confine`. */
  confine<Spec extends GuardedSpec>(spec: Spec, policy: Policy, options: { isRequired: boolean }): Promise<Spec>;
  close(): Promise<void>;
}

/** Finds and tests what the system offers to hold path rules. `masksPrograms`: also holds rules that name programs. */
export async function startPathGuard(
  dependencies: GuardDependencies,
  { masksPrograms }: { masksPrograms: boolean },
): Promise<StartedPathGuard> {
  const { policy } = dependencies;
  const found = await findGuardProvider(dependencies);
  const provider = 'problem' in found ? null : found;
  const denied = createDeniedPaths();
  const folder = lazyFolder();
  const protectedNow = provider === null ? [] : await protectedFiles(dependencies);
  const patternsOf = rememberedPatterns();
  const { unread } = patternsOf(policy());
  const problem = 'problem' in found ? found.problem : masksPrograms && unread[0] ? unreadProblem(unread[0]) : null;

  async function wallsFor(spec: GuardedSpec, now: Policy): Promise<{ walls: Walls; isComplete: boolean }> {
    const realPath = rememberingRealPath();
    const patterns = patternsOf(now);
    const { reads, edits, isComplete } = await denied.now(patterns, realPath);
    const programs = masksPrograms ? deniedPrograms(now.deny) : [];
    const replaced = programs.length === 0 ? [] : maskedPrograms(programs, spec.env.PATH, folder.path());
    const known = isComplete && patterns.unread.length === 0;
    if (reads.length + edits.length + replaced.length === 0) return { walls: NO_WALLS, isComplete: known };
    const real = (paths: readonly string[]) => paths.flatMap((path) => realPath(path) ?? []);
    const masked = [...reads, ...real(keyFiles(dependencies))];
    const readOnly = [...edits, ...protectedNow, ...real(settingsFiles(dependencies, now))];
    return { walls: { masked, readOnly, replaced }, isComplete: known };
  }

  return {
    problem,
    provider: provider?.name ?? null,
    async confine(spec, now, { isRequired }) {
      if (provider === null) return spec;
      return confineByWalls(spec, provider, { ...(await wallsFor(spec, now)), isRequired });
    },
    async close() {
      provider?.close();
      denied.close();
      folder.remove();
    },
  };
}

/** Where no rule has to be held, there is no namespace, and protected paths are as without rules. */
const NO_WALLS: Walls = { masked: [], readOnly: [], replaced: [] };

function unreadProblem(rule: Parameters<typeof formatRule>[0]): string {
  return `it cannot be told what ${formatRule(rule)} means. Write the paths, or a pattern of *, ? and **`;
}

/** Heddle itself. What does not exist is not mounted. */
async function protectedFiles({ engine }: GuardDependencies): Promise<string[]> {
  await engine.ownProgram.load();
  return [...engine.ownProgram.paths()];
}

/** Commands may not read the runtime's keys. */
function keyFiles({ configHome }: GuardDependencies): string[] {
  return configHome === null ? [] : [keyFile(configHome)];
}

function settingsFiles({ configHome }: GuardDependencies, { roots }: Policy): string[] {
  const files = roots.flatMap((cwd) =>
    (['userSettings', 'projectSettings', 'localSettings'] as const).flatMap(
      (scope) => settingsPath(scope, { cwd, configHome }) ?? [],
    ),
  );
  return [...new Set(files)];
}

/** Policies are immutable, so the same lists have the same patterns. */
function rememberedPatterns(): (policy: Policy) => DeniedPatterns {
  let last: { of: Pick<Policy, 'deny' | 'roots' | 'cwd'>; patterns: DeniedPatterns } | null = null;
  return (policy) => {
    const { deny, roots, cwd } = policy;
    if (last?.of.deny !== deny || last.of.roots !== roots || last.of.cwd !== cwd) {
      last = { of: { deny, roots, cwd }, patterns: deniedPatterns(deny, policy) };
    }
    return last.patterns;
  };
}

/** A folder for the scripts that replace programs, made on demand. */
function lazyFolder(): { path(): string; remove(): void } {
  let made: string | null = null;
  return {
    path() {
      made ??= realpathSync(mkdtempSync(join(tmpdir(), 'heddle-programs-')));
      return made;
    },
    remove() {
      if (made !== null) rmSync(made, { recursive: true, force: true });
    },
  };
}
