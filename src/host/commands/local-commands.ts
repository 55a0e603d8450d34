import type { Ledger } from '../../agent/ledger.ts';
import type { ApiMessage, ApiTool } from '../../model/model.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ListedMemory } from '../extensions/session-memory.ts';
import type { ListedCommand } from './command-list.ts';

/** What a local command may see and do. It cannot call the model. */
export interface CommandContext {
  readonly model: string;
  readonly ledger: Ledger;
  /** Milliseconds since the session was opened. */
  readonly elapsedMs: number;
  /** The tokens of the last request and its answer, and the size of the model's window. */
  readonly context: { tokens: number; window: number };
  readonly system: readonly string[];
  readonly tools: readonly ApiTool[];
  readonly messages: readonly ApiMessage[];
  /** All commands, including those of files. */
  readonly commands: readonly ListedCommand[];
  /** The memory files as they are now. */
  memory(): Promise<ListedMemory[]>;
  /** Resolves with the model's full id. */
  setModel(name: string): Promise<string>;
  clear(): Promise<void>;
  /** Copies the conversation to a new session. Resolves with the id of that session. */
  fork(title: string): Promise<string>;
}

/** Returns the text to show. A HeddleError that it throws is shown, too. */
export type LocalCommand = (args: string, context: CommandContext) => Promise<string> | string;

/**
 * The commands that need no model, by name. `/compact` is not here: it calls the model, so that the session runs it as a
 * turn of its own.
 */
export const LOCAL_COMMANDS: ReadonlyMap<string, LocalCommand> = new Map<string, LocalCommand>([
  ['branch', forkReport],
  [
    'clear',
    async (_args, context) => {
      await context.clear();
      return 'The conversation is empty now. The old one is still in the session file.';
    },
  ],
  ['context', (_args, context) => contextReport(context)],
  ['cost', (_args, context) => costReport(context)],
  ['fork', forkReport],
  ['help', (_args, { commands }) => helpReport(commands)],
  ['memory', async (_args, { memory }) => memoryReport(await memory())],
  [
    'model',
    async (args, context) => {
      if (args === '') return `The model is ${context.model}.`;
      return `The model is ${await context.setModel(args)} from now on.`;
    },
  ],
]);

export type CommandOutput = { stream: 'stdout' | 'stderr'; text: string };

export async function runLocalCommand(
  command: LocalCommand,
  args: string,
  context: CommandContext,
): Promise<CommandOutput> {
  try {
    return { stream: 'stdout', text: await command(args, context) };
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    return { stream: 'stderr', text: `Error: ${error.message}` };
  }
}

async function forkReport(title: string, { fork }: CommandContext): Promise<string> {
  return `The conversation was copied to the session ${await fork(title)}. This one goes on as it was.`;
}

function helpReport(commands: CommandContext['commands']): string {
  const lines = commands.map(({ name, argumentHint, description }) => {
    return `  ${`/${name} ${argumentHint}`.trimEnd().padEnd(26)}${description}`;
  });
  return ['Commands:', ...lines].join('\n');
}

export function costReport({ ledger, elapsedMs }: Pick<CommandContext, 'ledger' | 'elapsedMs'>): string {
  const models = Object.entries(ledger.modelUsage).map(([model, usage]) => {
    const tokens = `${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cacheReadInputTokens} cache read, ${usage.cacheCreationInputTokens} cache write`;
    return `  ${model}: ${tokens} ($${usage.costUSD.toFixed(4)})`;
  });
  return [
    `Total cost:      $${ledger.costUsd.toFixed(4)}`,
    `Time in the API: ${seconds(ledger.apiMs)}`,
    `Time in all:     ${seconds(elapsedMs)}`,
    models.length === 0 ? 'No model was called yet.' : `By model:\n${models.join('\n')}`,
  ].join('\n');
}

function contextReport({ model, context, system, tools, messages }: CommandContext): string {
  const shares = contextShares({ system, tools, messages }, context.tokens);
  const rows: [string, number][] = [
    ['System prompt', shares.system],
    ['Tools', shares.tools],
    ['Messages', shares.messages],
  ];
  const percent = ((100 * shares.used) / context.window).toFixed(1);
  return [
    `${model}: ${shares.used} of ${context.window} tokens (${percent} %)`,
    ...rows.map(([name, tokens]) => `  ${name.padEnd(15)} about ${tokens}`),
    `  ${'Free'.padEnd(15)} ${Math.max(0, context.window - shares.used)}`,
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The content of a request, without its settings. */
interface RequestContent {
  readonly system: readonly string[];
  readonly tools: readonly ApiTool[];
  readonly messages: readonly ApiMessage[];
}

/** How many tokens each part of the window takes. */
interface ContextShares {
  system: number;
  tools: number;
  messages: number;
  /** The API's count of the last request, where there was one; otherwise the sum of the others. */
  used: number;
}

/** `counted`: the tokens of the last request and its answer by the API; 0 before the first. The shares are estimates. */
export function contextShares({ system, tools, messages }: RequestContent, counted: number): ContextShares {
  const shares = {
    system: estimateTokens(system),
    tools: estimateTokens(tools),
    messages: messages.length === 0 ? 0 : estimateTokens(messages),
  };
  return { ...shares, used: counted || shares.system + shares.tools + shares.messages };
}

/** About four characters are a token. */
export function estimateTokens(value: unknown): number {
  return Math.ceil((JSON.stringify(value) ?? '').length / 4);
}

/** Lists each memory file with its kind, length and reason, then the rules that apply to no file yet. */
function memoryReport(files: readonly ListedMemory[]): string {
  const loaded = files.filter(({ bytes }) => bytes !== null);
  const waiting = files.filter(({ bytes }) => bytes === null);
  const lines = [
    ...(loaded.length > 0 ? ['Memory files in force:', ...loaded.map(lineOf)] : ['No memory files are in force.']),
    ...(waiting.length > 0 ? ['Rules that wait for a file they are for:', ...waiting.map(lineOf)] : []),
  ];
  return lines.join('\n');
}

function lineOf(file: ListedMemory): string {
  const { path, kind, bytes } = file;
  const details = [kind, ...(bytes === null ? [] : [`${bytes} bytes`]), whyOf(file)];
  return `  ${path} (${details.join(', ')})`;
}

function whyOf({ importedBy, globs, trigger }: ListedMemory): string {
  if (importedBy !== undefined) return `imported by ${importedBy}`;
  const isFor = globs ? `for ${globs.join(' ')}` : null;
  const because = trigger === undefined ? null : `because of ${trigger}`;
  return [isFor, because].filter((part) => part !== null).join(', ') || 'from the start';
}
