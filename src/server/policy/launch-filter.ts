import * as z from 'zod/mini';
import { EFFORT_LEVELS } from '../../wire/effort-levels.ts';
import { HeddleError } from '../../wire/errors.ts';
import { toPermissionMode } from '../../wire/permission-modes.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import { firstIssue } from '../../wire/schema.ts';
import { THINKING_DISPLAYS } from '../../wire/thinking-display.ts';
import type { LaunchPolicy } from './launch-policy.ts';

const text = z.optional(z.string().check(z.maxLength(200)));
const prose = z.optional(z.string());
const names = z.optional(z.array(z.string().check(z.maxLength(1000))));
const count = z.optional(z.number().check(z.nonnegative()));
const flag = z.optional(z.boolean());

/**
 * What a client may set of a run without asking the operator: what the model reads, what it may do, and how much. A
 * configuration from the network is data of a stranger, so nothing here names a file, a program, an address or a source
 * of settings.
 */
export const ClientConfig = z.object({
  ...{ model: text, fallbackModel: text, effort: z.optional(z.enum(EFFORT_LEVELS)), thinking: text },
  ...{ maxThinkingTokens: count, thinkingDisplay: z.optional(z.enum(THINKING_DISPLAYS)), betas: names },
  ...{ systemPrompt: prose, appendSystemPrompt: prose, jsonSchema: prose, agent: text, name: text },
  ...{ maxTurns: count, maxBudgetUsd: count, maxDurationMs: count, backgroundWait: count },
  ...{ teams: flag, onEnd: z.optional(z.enum(['wait', 'stop'])), autoCompact: text, toolUseSummaries: flag },
  ...{ tools: names, hostTools: names, allowedTools: names, disallowedTools: names },
  ...{ permissionMode: text, permissionPrompts: z.optional(z.enum(['host', 'none'])) },
  ...{ disableSlashCommands: flag, verbatimPrompts: flag, fileCheckpointing: flag },
  ...{ includePartialMessages: flag, includeHookEvents: flag, forwardSubagentText: flag, replayUserMessages: flag },
});

const CLIENT_FIELDS: ReadonlySet<string> = new Set(Object.keys(ClientConfig.shape));

/**
 * Every other field of a run, with why it is kept: the compiler demands a row for each, so that a new field of a run is
 * kept from the network until a decision about it.
 */
const KEPT: Record<Exclude<keyof RunConfig, keyof z.infer<typeof ClientConfig>>, string> = {
  ...reason('it names a file of the server', 'systemPromptFile', 'appendSystemPromptFile', 'debugFile', 'record'),
  ...reason('it widens where tools may act', 'addDir', 'worktree'),
  ...reason(
    'it starts programs of the server',
    'mcpConfig',
    'pluginDir',
    'pluginDirNoMcp',
    'pluginUrl',
    'agents',
    'allowDetach',
  ),
  ...reason('it chooses which rules are in force', 'settings', 'settingSources', 'managedSettings', 'trust', 'bare'),
  ...reason('it chooses which rules are in force', 'managedSettingsInInitialize', 'safeMode', 'strictMcpConfig'),
  ...reason('it switches permissions off', 'dangerouslySkipPermissions', 'allowDangerouslySkipPermissions'),
  ...reason('the server decides who is asked', 'permissionPromptTool'),
  ...reason('it runs hooks of the server', 'init', 'initOnly', 'maintenance', 'awaitInitialize'),
  ...reason('the address names the session', 'continue', 'resume', 'forkSession', 'resumeSessionAt', 'resumeDropsTurn'),
  ...reason('the address names the session', 'continueTurn', 'sessionId', 'onMissing', 'onBusy'),
  ...reason('the server stores the session', 'sessionStore', 'sessionMirror', 'noSessionPersistence'),
  ...reason('the server decides what is printed', 'verbose', 'outputFormat', 'inputFormat', 'replayHistory', 'print'),
  ...reason('the server decides what is printed', 'debug', 'debugToStderr', 'noProgress', 'noHistory'),
};

function reason<const Keys extends string[]>(why: string, ...keys: Keys): Record<Keys[number], string> {
  return Object.fromEntries(keys.map((key) => [key, why])) as Record<Keys[number], string>;
}

/**
 * The configuration that a client has sent, as far as the policy lets it through. Throws `not_permitted` for a field that
 * is kept, and `invalid_request` for one that is unknown or has a wrong value.
 */
export function filterLaunch(given: Readonly<Record<string, unknown>>, policy: LaunchPolicy): RunConfig {
  const allowed: ReadonlySet<string> = new Set(policy.allow);
  for (const field of Object.keys(given)) {
    if (CLIENT_FIELDS.has(field) || allowed.has(field)) continue;
    throw Object.hasOwn(KEPT, field) ? kept(field) : unknownField(field);
  }
  const own = Object.fromEntries(Object.entries(given).filter(([field]) => CLIENT_FIELDS.has(field)));
  const parsed = ClientConfig.safeParse(own);
  if (!parsed.success) throw new HeddleError('invalid_request', `config.${firstIssue(parsed.error)}`);
  checkMode(parsed.data.permissionMode, policy);
  const more = Object.fromEntries(Object.entries(given).filter(([field]) => allowed.has(field)));
  return { ...more, ...parsed.data } as RunConfig;
}

/** Throws `not_permitted` for a mode above those of the policy. */
export function checkMode(name: string | undefined, { modes }: Pick<LaunchPolicy, 'modes'>): void {
  if (name === undefined) return;
  const mode = toPermissionMode(name);
  if (!mode) throw new HeddleError('invalid_request', `There is no permission mode '${name}': ${modes.join(', ')}`);
  if (modes.includes(mode)) return;
  const message = `The server does not permit the mode ${mode}: choose one of ${modes.join(', ')}`;
  throw new HeddleError('not_permitted', message, { facts: { field: 'permissionMode', modes } });
}

function kept(field: string): HeddleError {
  const why = KEPT[field as keyof typeof KEPT];
  const message = `config.${field} cannot be set from the network: ${why}. The operator can permit it: heddle serve --allow ${field}`;
  return new HeddleError('not_permitted', message, { facts: { field } });
}

function unknownField(field: string): HeddleError {
  return new HeddleError('invalid_request', `config has no field '${field}'`, { facts: { field } });
}
