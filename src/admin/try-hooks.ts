import { createHooks } from '../hooks/dispatch.ts';
import { EVENT_NAMES, isKnownEvent } from '../hooks/events.ts';
import type { HookOutcome } from '../hooks/join-answers.ts';
import type { Engine } from '../host/engine/engine.ts';
import { toolEnv } from '../host/engine/environment.ts';
import { fitsCondition } from '../host/hooks/hook-condition.ts';
import { sessionlessServices } from '../host/hooks/hook-services.ts';
import { openLaunchContext } from '../host/launch/launch-context.ts';
import type { JsonObject } from '../util/json.ts';
import { nearestWord } from '../util/text/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch } from '../wire/run-config.ts';
import { hooksOf } from './list-hooks.ts';
import { policyAtLaunch } from './policy-at-launch.ts';

/** An event to try hooks with. */
export interface TriedEvent {
  event: string;
  /** The event's own fields, in addition to those of every event: `tool_name`, `tool_input`, `prompt` … */
  payload: JsonObject;
}

/**
 * Runs the hooks that match an event, as a session would, and returns their results. They have no effect: no tool runs,
 * no prompt is sent. Throws `invalid_option` for an event that this version does not know.
 */
export async function testHooks(
  engine: Engine,
  launch: Launch,
  { event, payload }: TriedEvent,
  signal: AbortSignal,
): Promise<HookOutcome> {
  if (!isKnownEvent(event)) throw unknownEvent(event);
  const context = await openLaunchContext(engine, launch);
  const { hooks } = hooksOf(context);
  const { runtime } = engine;
  const { cwd } = context;
  const sessionId = runtime.ids.uuid();
  const dispatcher = createHooks({
    hooks: () => hooks,
    sessionId,
    base: () => ({ session_id: sessionId, transcript_path: '', cwd }),
    permissionMode: () => context.config.permissionMode ?? context.configuration.settings.defaultMode ?? 'default',
    environment: {
      processes: engine.processes,
      cwd,
      env: { ...toolEnv(context.env), CLAUDECODE: '1', CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: sessionId },
      hide: (text) => text,
    },
    async callHost() {
      throw new Error('There is no host to ask');
    },
    port: sessionlessServices(context.env, (text) => text),
    newId: () => runtime.ids.uuid(),
    log: () => {}, // failures are in the outcome
    send: () => undefined,
    announcesAll: false,
    fits: (condition, called) => policyAtLaunch(engine, context, (by) => fitsCondition(condition, called, by)),
  });
  return dispatcher.fire(event, payload, signal);
}

function unknownEvent(event: string): HeddleError {
  const near = nearestWord(event, EVENT_NAMES);
  const meant = near === null ? `. These exist: ${EVENT_NAMES.join(', ')}` : `. Did you mean ${near}?`;
  return new HeddleError('invalid_option', `There is no event ${event}${meant}`);
}
