import { setTimeout as sleep } from 'node:timers/promises';
import { failureOfAnswer, failureOfErrorText } from '../model/failures.ts';
import type { Failure, Model, ModelEvent, ModelRequest } from '../model/model.ts';
import { type Answer, answerFor, errorBody, type Fault, play, type Reply, type Script } from './script.ts';

/** A model that plays a script inside the process, and records its requests. */
export interface ScriptedModel extends Model {
  /** The requests so far, each as it was when it arrived. */
  readonly requests: ModelRequest[];
}

/**
 * A model that answers from a script, inside the process: each request gets the next answer.
 *
 * @example
 * ```ts
 * import { query } from 'heddle';
 * import { createEngine, inProcess } from 'heddle/engine';
 *
 * const model = scriptedModel([toolUse('Glob', { pattern: '*.md' }), 'There is one file.']);
 * const engine = createEngine({ cwd: process.cwd(), model });
 * for await (const message of query({ prompt: 'What is here?', options: { transport: inProcess(engine) } })) {
 *   if (message.type === 'result') console.log(model.requests.length);
 * }
 * ```
 */
export function scriptedModel(script: Script<ModelRequest>): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    provider: 'scripted',
    requests,
    async *stream(request, signal) {
      // The caller's list of messages grows; the record must not.
      const index = requests.push({ ...request, messages: [...request.messages] }) - 1;
      try {
        yield* streamAnswer(await answerFor(script, request, index), { request, index, signal });
      } catch (error) {
        if (!signal.aborted) throw error;
        yield failed({ class: 'aborted', message: 'The request was aborted.' });
      }
    },
  };
}

interface Call {
  request: ModelRequest;
  index: number;
  signal: AbortSignal;
}

async function* streamAnswer(answer: Answer, call: Call): AsyncGenerator<ModelEvent, void> {
  call.signal.throwIfAborted();
  switch (answer.kind) {
    case 'reply':
      yield* streamReply(answer, call);
      break;
    case 'fail':
      yield failed(failureOfAnswer({ ...answer, body: errorBody(answer) }, 0));
      break;
    case 'raw':
      yield failed({ class: 'malformed', message: 'A scripted model has no body to show raw.', status: answer.status });
      break;
    case 'hang':
      await untilAborted(call.signal);
      break;
    default:
      answer satisfies never;
  }
}

async function* streamReply(answer: Reply, { request, index, signal }: Call): AsyncGenerator<ModelEvent, void> {
  if (answer.waitMs) await sleep(answer.waitMs, undefined, { signal });
  yield { type: 'response', requestId: `req_fake_${index + 1}` };
  for (const action of play(answer, { index, model: request.model })) {
    signal.throwIfAborted();
    switch (action.do) {
      case 'send':
        if (action.event.type === 'ping') break;
        yield { type: 'event', event: action.event, raw: JSON.stringify(action.event) };
        break;
      case 'send-part':
        break;
      case 'wait':
        await sleep(action.ms, undefined, { signal });
        break;
      case 'fault':
        yield await failureOfFault(action.how, signal);
        break;
      default:
        action satisfies never;
    }
  }
}

async function failureOfFault(how: Fault['how'], signal: AbortSignal): Promise<ModelEvent> {
  if (how === 'cut' || how === 'end') {
    return failed({ class: 'connection', message: 'The connection ended before the answer was complete.' });
  }
  if (how === 'hang' || 'pings' in how) return untilAborted(signal);
  return failed(failureOfErrorText(errorBody(how.error), null));
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function failed(failure: Failure): ModelEvent {
  return { type: 'failure', failure };
}
