import { dirname } from 'node:path';
import type { JsonObject } from '../../util/json.ts';
import { isObject } from '../../util/json.ts';
import { listValue, switchValue, textValue } from './front-matter.ts';
import type { FileSource, MarkdownFile } from './markdown-files.ts';
import { shellCommands } from './prompt-template.ts';

/** A skill or a command: a text that a user or the model can load by name. */
export interface PromptFile {
  kind: 'skill' | 'command';
  /** The full name: `review`, `frontend:component`, `plugin:review`. */
  name: string;
  /** Other names, used where nothing else has them. */
  aliases: readonly string[];
  description: string;
  argumentHint: string;
  scope: FileSource['scope'] | 'bundled';
  /** The file; null for skills and commands that come with Heddle. */
  path: string | null;
  /** The folder with a skill's other files. */
  folder: string | null;
  body: string;
  /** Permission rules for calls that the text may cause without a question. */
  allowedTools: readonly string[];
  /** The model that answers; absent: the session's. */
  model?: string;
  /** The hooks of the file, not parsed yet. */
  hooks?: JsonObject;
  /** Whether the shell commands in the text may run. */
  mayRun: boolean;
  forUser: boolean;
  forModel: boolean;
  /** The values for `${…}`. */
  variables: Readonly<Record<string, string>>;
}

/** Builds a prompt file: the common part of skills and commands. */
export function promptFile(
  file: MarkdownFile,
  source: FileSource,
  { kind, name, aliases = [] }: Pick<PromptFile, 'kind' | 'name'> & { aliases?: readonly string[] },
): PromptFile {
  const { plugin } = source;
  const said = textValue(file, 'description');
  const model = textValue(file, 'model');
  const when = textValue(file, 'when_to_use') ?? textValue(file, 'when-to-use');
  const folder = dirname(file.path);
  return {
    kind,
    name: plugin ? `${plugin.name}:${name}` : name,
    aliases: plugin ? [name, ...aliases] : aliases,
    description: [said ?? firstWords(file.body), when].filter(Boolean).join(' '),
    argumentHint: textValue(file, 'argument-hint') ?? '',
    scope: source.scope,
    path: file.path,
    folder: kind === 'skill' ? folder : null,
    body: file.body,
    allowedTools: listValue(file, 'allowed-tools') ?? [],
    ...(model !== undefined && model !== 'inherit' && { model }),
    ...(isObject(file.values.hooks) && { hooks: file.values.hooks }),
    mayRun: file.mayRun,
    forUser: switchValue(file, 'user-invocable') !== false,
    // A command without a description is only for users who know it.
    forModel: switchValue(file, 'disable-model-invocation') !== true && (kind === 'skill' || said !== undefined),
    variables: {
      ...(plugin && { CLAUDE_PLUGIN_ROOT: plugin.root }),
      ...(kind === 'skill' && { CLAUDE_SKILL_DIR: folder }),
    },
  };
}

/** Whether the file needs permission for more than being read. */
export function wantsPermission({ allowedTools, hooks, body, mayRun }: PromptFile): boolean {
  return allowedTools.length > 0 || hooks !== undefined || (mayRun && shellCommands(body).length > 0);
}

function firstWords(body: string): string {
  const line = body.split('\n').find((each) => /\w/.test(each)) ?? '';
  const words = line.replace(/^[#>*\-\s]+/, '').trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words;
}

const MAX_WORDS = 100;
