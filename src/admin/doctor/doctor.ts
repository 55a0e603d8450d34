import { secretValues } from '../../host/engine/environment.ts';
import { readStoredKeys } from '../../host/engine/stored-keys.ts';
import { openLaunchContext } from '../../host/launch/launch-context.ts';
import { createHide, type Hide } from '../../model/hide-secrets.ts';
import { mapTexts } from '../../model/json-texts.ts';
import { isObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { within } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Check, DoctorContext, Gather } from './check.ts';
import { gatherHome } from './home-checks.ts';
import { gatherModel } from './model-checks.ts';
import { gatherPathRules } from './path-rules-check.ts';
import { gatherPlugins } from './plugin-checks.ts';
import { gatherGit, gatherRipgrep, gatherVersions, gatherWorktrees } from './program-checks.ts';
import { gatherSandbox, gatherSandboxPrograms } from './sandbox-check.ts';
import { gatherServers } from './server-checks.ts';
import { gatherSessions } from './session-checks.ts';
import { gatherSettings } from './settings-checks.ts';

export interface DoctorReport {
  checks: Check[];
  /** False when at least one check has found a problem. */
  ok: boolean;
}

const DEADLINE_MS = 10_000;

/** In the order in which they are shown. */
const GATHERERS: readonly (readonly [id: string, gather: Gather])[] = [
  ['versions', gatherVersions],
  ['ripgrep', gatherRipgrep],
  ['git', gatherGit],
  ['sandbox-programs', gatherSandboxPrograms],
  ['sandbox', gatherSandbox],
  ['path-rules', gatherPathRules],
  ['home', gatherHome],
  ['settings', gatherSettings],
  ['model', gatherModel],
  ['mcp', gatherServers],
  ['plugins', gatherPlugins],
  ['sessions', gatherSessions],
  ['worktrees', gatherWorktrees],
];

/** Runs all checks in parallel, each with a deadline. Never rejects, and the report contains no credential. */
export async function examine(context: DoctorContext, deadlineMs = DEADLINE_MS): Promise<DoctorReport> {
  const gathered = await Promise.all(GATHERERS.map(([id, gather]) => settled(id, gather(context), deadlineMs)));
  const hide = createHide(await secretsOf(context));
  const checks = gathered.flat().map((check) => shown(check, hide));
  return { checks, ok: !checks.some(({ status }) => status === 'problem') };
}

function shown({ summary, next, facts, ...rest }: Check, hide: Hide): Check {
  const hidden = mapTexts(facts, hide);
  return {
    ...rest,
    summary: hide(summary),
    ...(next !== undefined && { next: hide(next) }),
    facts: isObject(hidden) ? hidden : {},
  };
}

async function settled(id: string, checks: Promise<Check[]>, deadlineMs: number): Promise<Check[]> {
  try {
    const summary = `took longer than ${deadlineMs / 1000} s and was given up`;
    return (await within(deadlineMs, checks)) ?? [{ id, status: 'problem', summary, facts: {} }];
  } catch (error) {
    return [failed(id, error)];
  }
}

/** Unreadable settings are reported once, by their own check. */
function failed(id: string, error: unknown): Check {
  if (HeddleError.isInstance(error) && error.code === 'invalid_settings') {
    return { id, status: 'warning', summary: 'not checked: the settings cannot be read', facts: {} };
  }
  return { id, status: 'problem', summary: messageOf(error), facts: {} };
}

/** Includes secrets that settings put into the environment. */
async function secretsOf({ engine, config, env, home }: DoctorContext): Promise<string[]> {
  const given = [...secretValues(env), ...readStoredKeys(home).keys.map(({ apiKey }) => apiKey)];
  try {
    return [...given, ...secretValues((await openLaunchContext(engine, { config })).env)];
  } catch {
    return given; // unreadable settings have added no secrets
  }
}
