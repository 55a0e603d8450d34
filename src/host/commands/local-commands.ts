import type { Ledger } from '../agent/ledger.ts';
import type { ApiMessage, ApiTool } from '../model/model.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ListedCommand } from './command-list.ts';
import { contextShares } from './context-shares.ts';
import type { ListedMemory } from './memory.ts';
import { memoryReport } from './memory-report.ts';

/** What a local command may see and do. No model is called. */
export interface CommandContext {
  readonly model: string;
  readonly ledger: Ledger;
  /** Milliseconds since the session was opened. */
  readonly elapsedMs: number;
  /** Tokens that the last request and its answer took, and the most the model can take. */
  readonly context: { tokens: number; window: number };
  readonly system: readonly string[];
  readonly tools: readonly ApiTool[];
  readonly messages: readonly ApiMessage[];
  /** All that can be called, those of files included. */
  readonly commands: readonly ListedCommand[];
  /** The memory files as they are now. */
  memory(): Promise<ListedMemory[]>;
  /** Resolves with the model's full id. */
  setModel(name: string): Promise<string>;
  clear(): void;
  /** Copies the conversation to a new session, whose id it resolves with. */
  fork(title: string): Promise<string>;
}

/** The text to show. A throw is shown as an error. */
export type LocalCommand = (args: string, context: CommandContext) => Promise<string> | string;

/**
 * The commands that are answered without a model, by name. `/compact` is not here: it calls the model, so the session
 * runs it as a turn of its own.
 */
export const LOCAL_COMMANDS: ReadonlyMap<string, LocalCommand> = new Map<string, LocalCommand>([
  ['branch', forkReport],
  [
    'clear',
    (_args, context) => {
      context.clear();
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
  const parts: [string, number][] = [
    ['System prompt', shares.system],
    ['Tools', shares.tools],
    ['Messages', shares.messages],
  ];
  const percent = ((100 * shares.used) / context.window).toFixed(1);
  return [
    `${model}: ${shares.used} of ${context.window} tokens (${percent} %)`,
    ...parts.map(([name, tokens]) => `  ${name.padEnd(15)} about ${tokens}`),
    `  ${'Free'.padEnd(15)} ${Math.max(0, context.window - shares.used)}`,
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
