import { isObject, type JsonObject } from '../../util/json.ts';
import { listedServers, reconnect, ServersPicker, setEnabled } from '../pickers/servers-picker.ts';
import { shortCost, shortCount, shortTime } from '../rows/blocks/amounts.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** What the session has connected, and what it has used. */
export const SESSION_INFO_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'mcp',
    argumentHint: '[reconnect|enable|disable NAME]',
    description: 'The MCP servers: see, connect again, turn off and on',
    run: mcp,
  },
  { name: 'cost', aliases: ['usage'], description: 'What the session has cost', run: cost },
  { name: 'context', description: 'What fills the window of the model', run: context },
];

async function mcp(argument: string, stage: Stage): Promise<string[]> {
  if (argument === '') return (await new ServersPicker(stage).open()) ? [] : ['The session has no MCP server.'];
  const [, verb, name = ''] = /^(reconnect|enable|disable)\s+(\S.*)$/.exec(argument) ?? [];
  if (verb === undefined) throw new Error('write /mcp reconnect NAME, /mcp enable NAME or /mcp disable NAME');
  if (verb === 'reconnect') await reconnect(stage, name);
  else await setEnabled(stage, name, verb === 'enable');
  const server = (await listedServers(stage)).find((each) => each.name === name);
  return [`${name}: ${server?.status ?? 'done'}${server?.error ? ` \u00b7 ${server.error}` : ''}`];
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
  const isPriced = typeof usage.costUSD === 'number' && usage.costBasis !== 'unknown';
  const dollars = ` \u00b7 ${isPriced ? shortCost(usage.costUSD as number) : 'no price is known'}`;
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
