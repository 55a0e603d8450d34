import { parseInput } from '../agent/run-call.ts';
import { afterCall, beforeCall, type Found, type HookedCall } from '../agent/tool-hooks.ts';
import type { Turn } from '../agent/turn.ts';
import type { PromptFile } from '../config/prompt-file.ts';
import { fillIn } from '../config/prompt-template.ts';
import { parseRules, type Rule } from '../permissions/rules.ts';
import { ToolError } from '../tools/tool.ts';
import type { ContentBlock } from '../wire/content.ts';
import { HeddleError } from '../wire/errors.ts';
import type { CalledPrompt } from './extensions.ts';
import { extensionHooksAct } from './hooks.ts';
import type { Parts } from './parts.ts';

/** What becomes of a command that a user calls: two entries of the transcript (wire.md 8.3). */
export interface ExpandedPrompt {
  /** Which command it was. */
  said: string;
  /** What it stands for, behind what was said in front of it. */
  blocks: readonly ContentBlock[];
}

/** Runs a shell command of a text and hands back what it printed. Throws when it may not run. */
type RunShell = (command: string) => Promise<string>;

/**
 * Carries out a command that the user has called: what it allows holds until the turn is over, and the shell commands in
 * it meet the same hooks and the same gate as the model's. Rejects with `command_refused` when one of them may not run;
 * then nothing has been said.
 */
export async function expandCalled(
  called: CalledPrompt,
  makeTurn: () => Turn,
  parts: Parts,
  signal: AbortSignal,
): Promise<ExpandedPrompt> {
  // The text of a server is a text: nothing in it is run, filled in or allowed.
  if (called.fetch) return expandedPrompt(called, await called.fetch(signal));
  const { prompt, args } = called;
  takeGrants(prompt, parts);
  await takeHooks(prompt, parts);
  if (prompt.model !== undefined) parts.extras.chosen = await parts.chooseModel(prompt.model);
  const run = shellOf(makeTurn(), parts, signal);
  const text = await expand(prompt, args, parts, run).catch((error) => {
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
  parts: Parts,
  signal: AbortSignal,
): Promise<string> {
  const { turn } = parts.extras;
  if (!turn) throw new ToolError('Skills are loaded during a turn');
  takeGrants(prompt, parts);
  await takeHooks(prompt, parts);
  return expand(prompt, args, parts, shellOf(turn, parts, signal));
}

async function expand(prompt: PromptFile, args: string, parts: Parts, run: RunShell): Promise<string> {
  const variables = { ...prompt.variables, CLAUDE_SESSION_ID: parts.sessionId };
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

/** Rules that cannot be read allow nothing, and are said. */
function takeGrants({ allowedTools, path }: PromptFile, { extras, warnOnce }: Parts): void {
  if (allowedTools.length === 0) return;
  const where = `${path}: allowed-tools`;
  const { rules, problems } = parseRules(allowedTools, 'command');
  for (const problem of problems) warnOnce(`${where}: ${problem}`);
  extras.grants.push(...rules.map((rule): Rule => ({ ...rule, where })));
}

/** The hooks that it brings are there while it is in use: until the turn is over. */
async function takeHooks({ hooks: given, name, variables: env }: PromptFile, parts: Parts): Promise<void> {
  if (!given || !extensionHooksAct(parts.configuration.loaded.layers)) return;
  const hooks = parts.hooks ?? (await parts.openHooks());
  hooks.addForTurn(given, { scope: 'skill', where: `the skill ${name}`, env });
}

/** Past hooks and through the gate, like a call of the model. What failed says so in its place: the model can read it. */
function shellOf(turn: Turn, parts: Parts, signal: AbortSignal): RunShell {
  return async (command) => {
    const tool = turn.tools.get('Bash');
    const parsed = tool && parseInput(tool, { command });
    if (!tool || !parsed?.ok) throw new ToolError(`\`${command}\` cannot be run: there is no Bash here`);
    const call = { tool, input: parsed.value, toolUseId: `toolu_${parts.runtime.ids.uuid().replaceAll('-', '')}` };
    const refuse = (why: string) => {
      turn.tally.denials.push({ tool_name: tool.name, tool_use_id: call.toolUseId, tool_input: call.input });
      return new ToolError(`\`${command}\` may not be run: ${why}`);
    };
    const before = turn.hooks ? await beforeCall(turn.hooks, call, signal) : { ...call, vote: null, contexts: [] };
    if ('message' in before) throw refuse(before.message);
    const verdict = await turn.gate.check({ ...call, ...before }, signal);
    if (!verdict.allowed) throw refuse(verdict.message);
    const { text, contexts } = await runCall({ ...call, input: verdict.input }, turn, signal);
    return [text, ...before.contexts, ...contexts].join('\n');
  };
}

/** The output, and what hooks add to it. */
async function runCall(
  call: HookedCall,
  turn: Turn,
  signal: AbortSignal,
): Promise<{ text: string; contexts: readonly string[] }> {
  const { clock } = turn.runtime;
  const startedAt = clock.now();
  const found = turn.hide(await outcomeOf(call, turn, signal));
  if (!turn.hooks) return { text: textOf(found.block), contexts: [] };
  const done = { ...call, durationMs: clock.now() - startedAt };
  const { block, contexts, halt } = await afterCall(turn.hooks, done, found, signal);
  if (halt !== undefined) throw new ToolError(halt || 'a hook stopped it');
  return { text: textOf(block), contexts };
}

async function outcomeOf({ tool, input, toolUseId }: HookedCall, turn: Turn, signal: AbortSignal): Promise<Found> {
  const block = { type: 'tool_result' as const, tool_use_id: toolUseId };
  try {
    const { content, data } = await tool.run(input, turn.toolContext(toolUseId, signal));
    return { block: { ...block, content }, data };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { block: { ...block, content: error.message, is_error: true }, data: `Error: ${error.message}` };
  }
}

function textOf({ content }: Found['block']): string {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  return texts.join('\n').trim();
}
