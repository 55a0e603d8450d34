import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { shortCost, shortCount, shortTime } from '../rows/blocks/amounts.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** What the session is, and what it has cost. */
export const SESSION_INFO_COMMANDS: readonly TerminalCommand[] = [
  { name: 'model', argumentHint: '[name]', description: 'See or choose the model', run: model },
  { name: 'mode', argumentHint: '[name]', description: 'See or choose the permission mode', run: mode },
  { name: 'cost', aliases: ['usage'], description: 'What the session has cost', run: cost },
  { name: 'context', description: 'What fills the window of the model', run: context },
];

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk'];

async function model(argument: string, stage: Stage): Promise<string[]> {
  if (argument !== '') {
    const answer = await stage.call({ subtype: 'set_model', model: argument });
    return [`The next answer comes from ${stringField(answer, 'model') ?? argument}.`];
  }
  const { models } = await stage.call({ subtype: 'list_models' });
  const all = Array.isArray(models) ? models.filter(isObject) : [];
  const rows = all.map((each) => {
    const value = stringField(each, 'value') ?? '';
    const resolved = stringField(each, 'resolvedModel');
    const isUsed = resolved === stage.tracker.view.info.model || value === stage.tracker.view.info.model;
    return `${isUsed ? '\u25cf' : ' '} ${value.padEnd(14)} ${stringField(each, 'description') ?? ''}`.trimEnd();
  });
  return [...rows, '/model NAME chooses one.'];
}

async function mode(argument: string, stage: Stage): Promise<string[]> {
  if (argument === '') return [`The mode is ${stage.tracker.view.info.mode || 'default'}. /mode ${MODES.join(' | ')}`];
  const wanted = MODES.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (!wanted) {
    const near = nearestWord(argument, MODES);
    return [`There is no mode ${argument}.${near ? ` Did you mean ${near}?` : ''} ${MODES.join(', ')}`];
  }
  const answer = await stage.call({ subtype: 'set_permission_mode', mode: wanted });
  return [`The mode is ${stringField(answer, 'mode') ?? wanted}.`];
}

async function cost(_argument: string, stage: Stage): Promise<string[]> {
  const { session } = await stage.call({ subtype: 'get_usage' });
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

async function context(_argument: string, stage: Stage): Promise<string[]> {
  const usage = await stage.call({ subtype: 'get_context_usage' });
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
