import { createHooks } from '../hooks/dispatch.ts';
import { EVENT_NAMES, isKnownEvent } from '../hooks/events.ts';
import type { HookOutcome } from '../hooks/fold.ts';
import { type Hook, hookLabel } from '../hooks/hook.ts';
import { readHooks } from '../hooks/read-hooks.ts';
import type { JsonObject } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { ExplainOptions } from './explain.ts';
import { toolEnv } from './home.ts';
import { hooksInLayers } from './hooks.ts';
import { type ConditionSeams, conditionProblems, fitsCondition } from './hooks-condition.ts';
import { serverSeams } from './hooks-seams.ts';
import { judgePlace } from './judge-place.ts';
import { type LaunchPlace, openPlace } from './place.ts';

export interface ListedHooks {
  hooks: Hook[];
  /** What is wrong with the files, with where it stands. */
  problems: string[];
  /** Settings of the project that do not act because nobody trusts it. */
  ignored: string[];
}

/** The hooks that a run in this directory would have, callbacks of programs apart. Nothing is run. */
export async function listHooks(engine: Engine, launch: Launch): Promise<ListedHooks> {
  return hooksOf(await openPlace(engine, launch));
}

/** An event to try hooks with. */
export interface TriedEvent {
  event: string;
  /** What the event tells, beside what every event does: `tool_name`, `tool_input`, `prompt` … */
  payload: JsonObject;
}

/**
 * Runs the hooks that fit an event, as a session would, and hands back what they said. Nothing is done about it: no tool
 * runs, no prompt is sent. Throws `invalid_option` for an event that this version does not know.
 */
export async function testHooks(
  engine: Engine,
  launch: Launch,
  { event, payload }: TriedEvent,
  signal: AbortSignal,
): Promise<HookOutcome> {
  if (!isKnownEvent(event)) throw unknownEvent(event);
  const place = await openPlace(engine, launch);
  const { hooks } = hooksOf(place);
  const { runtime } = engine;
  const { cwd } = place;
  const sessionId = runtime.ids.uuid();
  const dispatcher = createHooks({
    hooks: () => hooks,
    sessionId,
    base: () => ({ session_id: sessionId, transcript_path: '', cwd }),
    permissionMode: () => place.config.permissionMode ?? place.configuration.settings.defaultMode ?? 'default',
    place: {
      processes: engine.processes,
      cwd,
      env: { ...toolEnv(place.env), CLAUDECODE: '1', CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: sessionId },
      hide: (text) => text,
    },
    async callHost() {
      throw new Error('There is no host to ask');
    },
    seams: serverSeams(place.env, (text) => text),
    newId: () => runtime.ids.uuid(),
    log: () => {}, // what failed is in the outcome
    say: () => undefined,
    tellsAll: false,
    fits: (condition, called) => judgePlace(engine, place, (by) => fitsCondition(condition, called, by)),
  });
  return dispatcher.fire(event, payload, signal);
}

/** Which of these hooks would be asked about a call of a tool, in words. */
export function hooksAsked(hooks: readonly Hook[], by: ConditionSeams): NonNullable<ExplainOptions['hooks']> {
  return async ({ toolName, input }, behavior) => {
    const events = ['PreToolUse', ...(behavior === 'ask' ? ['PermissionRequest'] : [])];
    const candidates = hooks.filter((hook) => events.includes(hook.event) && hook.matches(toolName));
    const event = { tool_name: toolName, tool_input: input };
    const fits = await Promise.all(
      candidates.map(({ condition }) => condition === null || fitsCondition(condition, event, by)),
    );
    return candidates
      .filter((_, at) => fits[at])
      .map((hook) => `${hook.event}: ${hookLabel(hook)} (${hook.source.where})`);
  };
}

/** The hooks of a place and what is wrong with them. */
export function hooksOf({ configuration }: Pick<LaunchPlace, 'configuration'>): ListedHooks {
  const { layers, trust } = configuration.loaded;
  const read = hooksInLayers(layers).map(({ given, source }) => ({ source, ...readHooks(given, source) }));
  return {
    hooks: read.flatMap(({ hooks }) => hooks),
    problems: read.flatMap(({ source, problems, hooks }) =>
      [...problems, ...conditionProblems(hooks)].map((problem) => `${source.where}: ${problem}`),
    ),
    ignored: trust.ignored.filter(({ keys }) => keys.includes('hooks')).map(({ file }) => file),
  };
}

function unknownEvent(event: string): HeddleError {
  const near = nearestWord(event, EVENT_NAMES);
  const meant = near === null ? `. These exist: ${EVENT_NAMES.join(', ')}` : `. Did you mean ${near}?`;
  return new HeddleError('invalid_option', `There is no event ${event}${meant}`);
}
