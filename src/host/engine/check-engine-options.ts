import { namesProblem } from '../../define/tool-name.ts';
import {
  type Check,
  callback,
  either,
  flag,
  kindOf,
  listOf,
  must,
  record,
  shape,
  spelled,
  text,
  word,
} from '../../util/checks.ts';
import { isObject } from '../../util/json.ts';
import { badOption, checkNamed } from '../../wire/check-named.ts';
import type { EngineOptions } from './engine.ts';

const USUAL = 'createEngine({ cwd: process.cwd(), env: process.env })';

/** Throws `invalid_option`, which names the option, when an engine cannot be made from these options. */
export function checkEngineOptions(options: EngineOptions): void {
  checkNamed(options, ENGINE_CHECKS, {
    before: 'createEngine: ',
    noObject: (kind) => `createEngine needs options, got ${kind}: ${USUAL}`,
    unknown: (name, meant) => `createEngine: there is no option '${name}'${hint(meant)}`,
  });
  if (options.cwd === undefined) throw badOption('cwd', `createEngine needs cwd, where sessions run: ${USUAL}`);
  const problem = namesProblem((options.tools ?? []).map(({ name }) => name));
  if (problem !== null) throw badOption('tools', problem);
}

const positive = must('a number of milliseconds', (value) => Number.isFinite(value) && Number(value) > 0);

const ENGINE_CHECKS: Record<keyof EngineOptions, Check> = {
  cwd: word,
  env: (value) => variables(value),
  home: word,
  model: (value) => modelPort(value),
  credential: callback,
  store: (value) => storePort(value),
  tools: (value) => listOf(ownTool)(value),
  telemetry: either('true, false or an object', flag, (value) => traced(value)),
  clock: shape({ now: callback, sleep: callback }),
  ids: shape({ uuid: callback }),
  log: must('a function (level, message, facts)', (value) => typeof value === 'function'),
  ordered: flag,
  toolDeadline: shape({ stopAfterMs: positive, killAfterMs: positive }),
  pid: must('a whole number', Number.isInteger),
};

const traced = spelled({ 'captureContent?': flag, 'tracer?': record });

function variables(value: unknown): ReturnType<Check> {
  if (!isObject(value)) return record(value);
  const wrong = Object.entries(value).find(([, item]) => item !== undefined && typeof item !== 'string');
  return wrong ? { at: `.${wrong[0]}`, says: `must be a string, got ${kindOf(wrong[1])}` } : null;
}

/** Most callers who pass a string mean the name of a model, which belongs to the options of each session. */
function modelPort(value: unknown): ReturnType<Check> {
  if (typeof value === 'string') {
    const says = `is a model of your own, an object with stream(); the name ${JSON.stringify(value.slice(0, 40))} belongs into the options of query() or createSession()`;
    return { at: '', says };
  }
  return shape({ provider: word, stream: callback })(value);
}

/** Accepts both kinds of store: Heddle's has `list` and `exists`, a store written for the reference has neither. */
function storePort(value: unknown): ReturnType<Check> {
  if (typeof value === 'string') {
    const says =
      "is an object that keeps sessions, got a string: createJsonlStore({ home }) of 'heddle/stores/jsonl' makes one of files";
    return { at: '', says };
  }
  const isOurs = isObject(value) && ('list' in value || 'exists' in value);
  return shape({ append: callback, load: callback, ...(isOurs && { list: callback, exists: callback }) })(value);
}

const ownTool = must('a tool that tool() has made', (value) => {
  return shape({ name: text, inputSchema: record, handler: callback })(value) === null;
});

function hint(meant: string | null): string {
  return meant ? `; did you mean '${meant}'?` : `; there are ${Object.keys(ENGINE_CHECKS).join(', ')}`;
}
