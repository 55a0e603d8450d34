import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import type { View } from '../../view/view.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { shortCost, shortCount, shortTime } from '../rows/blocks/amounts.ts';
import { helpLines } from './help-lines.ts';

/** What commands of the terminal need of the session. */
export interface CommandPort {
  readonly view: View;
  call(request: ControlBody): Promise<JsonObject>;
}

/** Lines to show; `level` is how they are meant. */
export interface CommandOutput {
  lines: string[];
  level: 'info' | 'error';
}

type Command = (argument: string, port: CommandPort) => Promise<string[]> | string[];

/** The commands that the terminal answers itself. All of them work while a turn runs. */
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['help', (_argument, { view }) => helpLines(view.info.commands)],
  ['model', model],
  ['mode', mode],
  ['cost', cost],
  ['usage', cost],
  ['context', context],
]);

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk'];

/** Null where the terminal has no such command: the session may have it. */
export async function runLocalCommand(text: string, port: CommandPort): Promise<CommandOutput | null> {
  const [, name = '', argument = ''] = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = COMMANDS.get(name);
  if (!command) return null;
  try {
    return { lines: await command(argument.trim(), port), level: 'info' };
  } catch (error) {
    return { lines: [`/${name}: ${error instanceof Error ? error.message : String(error)}`], level: 'error' };
  }
}

async function model(argument: string, { view, call }: CommandPort): Promise<string[]> {
  if (argument !== '') {
    const answer = await call({ subtype: 'set_model', model: argument });
    return [`The next answer comes from ${stringField(answer, 'model') ?? argument}.`];
  }
  const { models } = await call({ subtype: 'list_models' });
  const all = Array.isArray(models) ? models.filter(isObject) : [];
  const rows = all.map((each) => {
    const value = stringField(each, 'value') ?? '';
    const resolved = stringField(each, 'resolvedModel');
    const isUsed = resolved === view.info.model || value === view.info.model;
    return `${isUsed ? '\u25cf' : ' '} ${value.padEnd(14)} ${stringField(each, 'description') ?? ''}`.trimEnd();
  });
  return [...rows, '/model NAME chooses one.'];
}

async function mode(argument: string, { view, call }: CommandPort): Promise<string[]> {
  if (argument === '') return [`The mode is ${view.info.mode || 'default'}. /mode ${MODES.join(' | ')}`];
  const wanted = MODES.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (!wanted) {
    const near = nearestWord(argument, MODES);
    return [`There is no mode ${argument}.${near ? ` Did you mean ${near}?` : ''} ${MODES.join(', ')}`];
  }
  const answer = await call({ subtype: 'set_permission_mode', mode: wanted });
  return [`The mode is ${stringField(answer, 'mode') ?? wanted}.`];
}

async function cost(_argument: string, { call }: CommandPort): Promise<string[]> {
  const { session } = await call({ subtype: 'get_usage' });
  const totals = isObject(session) ? session : {};
  const number = (key: string) => (typeof totals[key] === 'number' ? (totals[key] as number) : 0);
  const models = isObject(totals.model_usage) ? totals.model_usage : {};
  return [
    `${shortCost(number('total_cost_usd'))} \u00b7 ${shortTime(number('total_duration_ms'))}, of which the model took ${shortTime(number('total_api_duration_ms'))}`,
    ...Object.entries(models).flatMap(([name, usage]) => (isObject(usage) ? [modelLine(name, usage)] : [])),
  ];
}

function modelLine(name: string, usage: JsonObject): string {
  const tokens = (key: string) => (typeof usage[key] === 'number' ? shortCount(usage[key] as number) : '0');
  const dollars = typeof usage.costUSD === 'number' ? ` \u00b7 ${shortCost(usage.costUSD)}` : '';
  const cached = `${tokens('cacheReadInputTokens')} read from and ${tokens('cacheCreationInputTokens')} written to the cache`;
  return `  ${name}: \u2191${tokens('inputTokens')} \u2193${tokens('outputTokens')}, ${cached}${dollars}`;
}

const BAR = 40;

async function context(_argument: string, { call }: CommandPort): Promise<string[]> {
  const usage = await call({ subtype: 'get_context_usage' });
  const number = (key: string) => (typeof usage[key] === 'number' ? (usage[key] as number) : 0);
  const categories = Array.isArray(usage.categories) ? usage.categories.filter(isObject) : [];
  const used = categories.filter(({ kind, tokens }) => kind === 'used' && typeof tokens === 'number' && tokens > 0);
  const filled = Math.min(BAR, Math.round((number('percentage') / 100) * BAR));
  return [
    `${'\u2588'.repeat(filled)}${'\u2591'.repeat(BAR - filled)} ${Math.round(number('percentage'))} % \u00b7 ${shortCount(number('totalTokens'))} of ${shortCount(number('maxTokens'))} tokens`,
    ...used
      .sort((a, b) => Number(b.tokens) - Number(a.tokens))
      .map(({ name, tokens }) => `  ${String(name).padEnd(24)} ${shortCount(Number(tokens))}`),
  ];
}
