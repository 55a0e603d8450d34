import { dirname } from 'node:path';
import type { JsonObject } from '../util/json.ts';
import { isObject } from '../util/json.ts';
import { listValue, switchValue, textValue } from './front-matter.ts';
import type { FileSource, MarkdownFile } from './markdown-files.ts';
import { shellCommands } from './prompt-template.ts';

/** A skill or a command: a text that a user or the model can call for by name. */
export interface PromptFile {
  kind: 'skill' | 'command';
  /** As it is called: `review`, `frontend:component`, `plugin:review`. */
  name: string;
  /** Other names that mean it, where nothing else has them. */
  aliases: readonly string[];
  description: string;
  argumentHint: string;
  scope: FileSource['scope'] | 'bundled';
  /** The file; null for those that come with the program. */
  path: string | null;
  /** Where a skill keeps its other files. */
  folder: string | null;
  body: string;
  /** What its text may ask for without asking, as rules. */
  allowedTools: readonly string[];
  /** The model that answers; absent: the session's. */
  model?: string;
  /** For those who run hooks. */
  hooks?: JsonObject;
  /** Whether the shell commands in it may run at all. */
  mayRun: boolean;
  forUser: boolean;
  forModel: boolean;
  /** Filled in for `${…}`. */
  variables: Readonly<Record<string, string>>;
}

/** What skills and commands have in common. */
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
    // A command that says nothing of itself is for those who know it.
    forModel: switchValue(file, 'disable-model-invocation') !== true && (kind === 'skill' || said !== undefined),
    variables: {
      ...(plugin && { CLAUDE_PLUGIN_ROOT: plugin.root }),
      ...(kind === 'skill' && { CLAUDE_SKILL_DIR: folder }),
    },
  };
}

/** Whether it asks for more than to be read. */
export function wantsPermission({ allowedTools, hooks, body, mayRun }: PromptFile): boolean {
  return allowedTools.length > 0 || hooks !== undefined || (mayRun && shellCommands(body).length > 0);
}

function firstWords(body: string): string {
  const line = body.split('\n').find((each) => /\w/.test(each)) ?? '';
  const words = line.replace(/^[#>*\-\s]+/, '').trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS - 1)}…` : words;
}

const MAX_WORDS = 100;
