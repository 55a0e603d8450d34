import { parseInput } from '../agent/run-tools.ts';
import type { Turn } from '../agent/turn.ts';
import type { PromptFile } from '../config/prompt-file.ts';
import { fillIn } from '../config/prompt-template.ts';
import { parseRules, type Rule } from '../permissions/rules.ts';
import { ToolError } from '../tools/tool.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Parts } from './assemble.ts';
import type { CalledPrompt } from './extensions.ts';

/** What becomes of a command that a user calls: two entries of the transcript (wire.md 8.3). */
export interface ExpandedPrompt {
  /** Which command it was. */
  said: string;
  /** What it stands for. */
  text: string;
}

/** Runs a shell command of a text and hands back what it printed. Throws when it may not run. */
type RunShell = (command: string) => Promise<string>;

/**
 * Carries out a command that the user has called: what it allows holds until the turn is over, and the shell commands in
 * it go through the same gate as the model's. Rejects with `command_refused` when one of them may not run; then nothing
 * has been said.
 */
export async function expandCalled(
  { prompt, args }: CalledPrompt,
  makeTurn: () => Turn,
  parts: Parts,
  signal: AbortSignal,
): Promise<ExpandedPrompt> {
  takeGrants(prompt, parts);
  if (prompt.model !== undefined) parts.extras.chosen = await parts.chooseModel(prompt.model);
  const run = shellOf(makeTurn(), parts, signal);
  const text = await expand(prompt, args, parts, run).catch((error) => {
    throw error instanceof ToolError ? new HeddleError('command_refused', `/${prompt.name}: ${error.message}`) : error;
  });
  const words = [
    `<command-message>${prompt.name}</command-message>`,
    `<command-name>/${prompt.name}</command-name>`,
    ...(args === '' ? [] : [`<command-args>${args}</command-args>`]),
  ];
  return { said: words.join('\n'), text };
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

/** Through the gate, like a call of the model. What failed says so in its place: the model can read it. */
function shellOf(turn: Turn, parts: Parts, signal: AbortSignal): RunShell {
  return async (command) => {
    const tool = turn.tools.get('Bash');
    const parsed = tool && parseInput(tool, { command });
    if (!tool || !parsed?.ok) throw new ToolError(`\`${command}\` cannot be run: there is no Bash here`);
    const toolUseId = `toolu_${parts.runtime.ids.uuid().replaceAll('-', '')}`;
    const verdict = await turn.gate.check({ tool, input: parsed.value, toolUseId }, signal);
    if (!verdict.allowed) {
      turn.tally.denials.push({ tool_name: tool.name, tool_use_id: toolUseId, tool_input: parsed.value });
      throw new ToolError(`\`${command}\` may not be run: ${verdict.message}`);
    }
    try {
      const { content } = await tool.run(verdict.input, turn.toolContext(toolUseId, signal));
      const text =
        typeof content === 'string' ? content : content.map((b) => (b.type === 'text' ? b.text : '')).join('\n');
      return turn.hide(text.trim());
    } catch (error) {
      if (error instanceof ToolError) return turn.hide(error.message.trim());
      throw error;
    }
  };
}
