import { type CallDependencies, parseInput, runCall } from '../../agent/calls/run-call.ts';
import type { Turn } from '../../agent/turn.ts';
import type { PromptFile } from '../../config/extensions/prompt-file.ts';
import { fillIn } from '../../config/extensions/prompt-template.ts';
import type { HookSource } from '../../hooks/hook.ts';
import { parseRules, type Rule } from '../../permissions/rules.ts';
import { createRegistry } from '../../tools/registry.ts';
import { type Tool, ToolError } from '../../tools/tool.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { ContentBlock, ToolResultBlock } from '../../wire/api/content.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { Configuration } from '../launch/configuration.ts';
import { extensionHooksAct } from '../launch/hook-settings.ts';
import type { CalledPrompt } from './extensions.ts';
import type { TurnScope } from './turn-scope.ts';

/** What expanding a command or a skill takes. */
export interface ExpansionDependencies {
  /** Receives the rules and the model of the command. */
  readonly scope: TurnScope;
  readonly sessionId: string;
  readonly runtime: Runtime;
  readonly configuration: Configuration;
  readonly models: { select(name: string): Promise<SelectedModel> };
  /** Receives the hooks of the command. */
  readonly hooks: Lazy<{ addForTurn(raw: unknown, source: HookSource): void }>;
  warnOnce(text: string): void;
}

/** A command that a user has called, as two entries of the transcript (wire.md 8.3). */
export interface ExpandedPrompt {
  /** The name and arguments of the command. */
  said: string;
  /** The blocks before the command, and then its text. */
  blocks: readonly ContentBlock[];
}

/** Runs a shell command of a text. Resolves with its output. Throws when it may not run. */
type RunShell = (command: string) => Promise<string>;

/**
 * Expands a command that the user has called. Its rules apply until the turn is over, and its shell commands pass hooks
 * and the permission check like calls of the model. Rejects with `command_refused` when one of them may not run; then
 * nothing has been recorded.
 */
export async function expandCalled(
  called: CalledPrompt,
  makeTurn: () => Turn,
  expansion: ExpansionDependencies,
  signal: AbortSignal,
): Promise<ExpandedPrompt> {
  // The text of an MCP server is only a text: nothing in it is run, filled in or allowed.
  if (called.fetch) return expandedPrompt(called, await called.fetch(signal));
  const { prompt, args } = called;
  takeGrants(prompt, expansion);
  await takeHooks(prompt, expansion);
  if (prompt.model !== undefined) expansion.scope.model = await expansion.models.select(prompt.model);
  const run = shellOf(makeTurn(), expansion, signal);
  const text = await expand(prompt, args, expansion, run).catch((error) => {
    throw error instanceof ToolError ? new HeddleError('command_refused', `/${prompt.name}: ${error.message}`) : error;
  });
  return expandedPrompt(called, text);
}

function expandedPrompt(called: CalledPrompt, text: string): ExpandedPrompt {
  return { said: commandWords(called), blocks: [...called.before, { type: 'text', text }] };
}

function commandWords({ prompt: { name }, args }: CalledPrompt): string {
  const words = [
    `<command-message>${name}</command-message>`,
    `<command-name>/${name}</command-name>`,
    ...(args === '' ? [] : [`<command-args>${args}</command-args>`]),
  ];
  return words.join('\n');
}

/** The text of a skill that the model loads. Throws ToolError when a command in it may not run. */
export async function expandSkill(
  prompt: PromptFile,
  args: string,
  expansion: ExpansionDependencies,
  signal: AbortSignal,
): Promise<string> {
  const { turn } = expansion.scope;
  if (!turn) throw new ToolError('Skills are loaded during a turn');
  takeGrants(prompt, expansion);
  await takeHooks(prompt, expansion);
  return expand(prompt, args, expansion, shellOf(turn, expansion, signal));
}

async function expand(
  prompt: PromptFile,
  args: string,
  { sessionId }: ExpansionDependencies,
  run: RunShell,
): Promise<string> {
  const variables = { ...prompt.variables, CLAUDE_SESSION_ID: sessionId };
  const texts: string[] = [];
  for (const { kind, text } of fillIn(prompt.body, { args, variables })) {
    if (kind === 'text') texts.push(text);
    else if (prompt.mayRun) texts.push(await run(text));
    else {
      throw new ToolError(
        `it runs shell commands, which a file of this project may only do once the directory is trusted (\`heddle trust\`, or --trust)`,
      );
    }
  }
  const body = texts.join('');
  return prompt.folder === null ? body : `<skill-folder>${prompt.folder}</skill-folder>\n\n${body}`;
}

/** Invalid rules allow nothing, and are logged. */
function takeGrants({ allowedTools, path }: PromptFile, { scope, warnOnce }: ExpansionDependencies): void {
  if (allowedTools.length === 0) return;
  const where = `${path}: allowed-tools`;
  const { rules, problems } = parseRules(allowedTools, 'command');
  for (const problem of problems) warnOnce(`${where}: ${problem}`);
  scope.grants.push(...rules.map((rule): Rule => ({ ...rule, where })));
}

/** The hooks of a command or skill apply until the turn is over. */
async function takeHooks(
  { hooks: given, name, variables: env }: PromptFile,
  expansion: ExpansionDependencies,
): Promise<void> {
  if (!given || !extensionHooksAct(expansion.configuration.loaded.layers)) return;
  const hooks = expansion.hooks.current ?? (await expansion.hooks.open());
  hooks.addForTurn(given, { scope: 'skill', where: `the skill ${name}`, env });
}

/** Runs hooks and the permission check, like any tool call. The text of a failed command is its error: the model reads it. */
function shellOf(turn: Turn, { runtime }: ExpansionDependencies, signal: AbortSignal): RunShell {
  return async (command) => {
    const bash = turn.tools.registry.get('Bash');
    const parsed = bash && parseInput(bash, { command });
    if (!bash || !parsed?.ok) throw new ToolError(`\`${command}\` cannot be run: there is no Bash here`);
    const id = `toolu_${runtime.ids.uuid().replaceAll('-', '')}`;
    const tool = watchedTool(bash);
    const block = { type: 'tool_use' as const, id, name: bash.name, input: parsed.value };
    const outcome = await runCall(callDependencies(turn, tool), { block, assistantUuid: '' }, signal);
    if (tool.failure !== null) throw tool.failure;
    const text = textOf(turn.tools.hideCredentials(outcome.block));
    if (!tool.isBegun) {
      signal.throwIfAborted();
      turn.tally.denials.push({ tool_name: bash.name, tool_use_id: id, tool_input: parsed.value });
      throw new ToolError(`\`${command}\` may not be run: ${text}`);
    }
    if (outcome.stopReason !== undefined) throw new ToolError(outcome.stopReason || 'a hook stopped it');
    return [text, ...(outcome.contexts ?? [])].join('\n');
  };
}

/** What `runCall` takes of a turn, with a single tool. */
function callDependencies(turn: Turn, tool: Tool): CallDependencies {
  const { runtime, hooks, tools } = turn;
  const { gate, hideCredentials, context } = tools;
  const registry = { ...createRegistry([]), get: () => tool };
  return { runtime, hooks, tools: { registry, gate, hideCredentials, context } };
}

interface WatchedTool extends Tool {
  /** Whether hooks and rules let the call run. */
  isBegun: boolean;
  /** An error that the model must not read as the result of the call: the turn was aborted, or the tool is broken. */
  failure: unknown;
}

function watchedTool(bash: Tool): WatchedTool {
  const tool: WatchedTool = {
    ...bash,
    isBegun: false,
    failure: null,
    async run(input, context) {
      tool.isBegun = true;
      try {
        return await bash.run(input, context);
      } catch (error) {
        if (!(error instanceof ToolError)) tool.failure = error;
        throw error;
      }
    },
  };
  return tool;
}

/** Without the tag that marks errors of a call for the model. */
function textOf({ content }: ToolResultBlock): string {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  return texts
    .join('\n')
    .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1')
    .trim();
}
