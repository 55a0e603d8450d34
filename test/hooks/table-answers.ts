import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/util/json.ts';
import { command } from './support.ts';

/** What hooks say holds this word, so that it can be found again. */
export const SAID = 'the word of the hook';

/** The answers in JSON, by the columns of the table. */
export function answersFor(event: string, updatedInput: JsonObject): Record<string, JsonObject> {
  const specific = (more: JsonObject) => ({ hookSpecificOutput: { hookEventName: event, ...more } });
  const deciding = (permissionDecision: string) => specific({ permissionDecision, permissionDecisionReason: SAID });
  return {
    nothing: {},
    block: { decision: 'block', reason: SAID },
    approve: { decision: 'approve', reason: SAID },
    allow: deciding('allow'),
    deny: deciding('deny'),
    ask: deciding('ask'),
    defer: deciding('defer'),
    granted: specific({ decision: { behavior: 'allow' } }),
    refused: specific({ decision: { behavior: 'deny', message: SAID } }),
    input: specific({ updatedInput }),
    context: specific({ additionalContext: SAID }),
    message: { systemMessage: SAID },
    stop: { continue: false, stopReason: SAID },
    prevent: { preventContinuation: true, stopReason: SAID },
    quiet: { suppressOutput: true },
    async: { async: true },
    garbage: { decision: 'perhaps' },
  };
}

/** A command that answers so. What it says is in a file: its own text is repeated in messages. */
export function commandFor(answer: string, values: Record<string, JsonObject>, dir: string): JsonObject {
  const ways: Record<string, string> = {
    nothing: 'exit 0',
    plain: 'cat answer',
    exit1: 'cat answer >&2; exit 1',
    exit2: 'cat answer >&2; exit 2',
    slow: 'sleep 20',
    garbage: 'printf "{"; cat answer',
    crash: 'cat answer >&2; kill -9 $$',
  };
  const way = ways[answer];
  writeFileSync(join(dir, 'answer'), way === undefined ? JSON.stringify(values[answer]) : SAID);
  const cat = `cd ${JSON.stringify(dir)} && ${way ?? 'cat answer'}`;
  return command(cat, answer === 'slow' ? { timeout: 0.3 } : {});
}

/** The `response` with which a host answers a callback. Undefined: it never does. */
export function callbackResponse(answer: string, values: Record<string, JsonObject>): JsonObject | undefined {
  if (answer === 'slow') return undefined;
  if (answer === 'error') return { subtype: 'error', error: SAID };
  return { subtype: 'success', response: answer === 'text' ? SAID : values[answer] };
}
