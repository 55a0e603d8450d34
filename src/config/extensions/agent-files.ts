import { basename } from 'node:path';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import { listValue, textValue, toolsValue } from './front-matter.ts';
import { type FileSource, type MarkdownFile, markdownFiles, readMarkdown } from './markdown-files.ts';

/** An agent that a file defines, with the field names of agents that hosts define. */
export interface AgentFile {
  name: string;
  definition: AgentDefinition;
  scope: FileSource['scope'];
  path: string;
  /** The hooks of the agent, not parsed yet. */
  hooks?: JsonObject;
  /** Environment variables for the commands of these hooks. */
  env?: Readonly<Record<string, string>>;
}

/** The agents in a folder and its subfolders. A file without a name or a description is left out, with a warning. */
export function readAgentFiles(folder: string, source: FileSource): AgentFile[] {
  return markdownFiles(folder, source, { nested: true }).flatMap((path) => readAgentFile(path, source) ?? []);
}

export function readAgentFile(path: string, source: FileSource): AgentFile | null {
  const file = readMarkdown(path, source);
  if (!file) return null;
  // Some files have their examples on one line, with the line feeds written out.
  const description = textValue(file, 'description')?.replaceAll('\\n', '\n');
  if (description === undefined) {
    source.notes.warn(path, 'is no agent: its settings must have a description');
    return null;
  }
  const name = textValue(file, 'name') ?? basename(path, '.md');
  return {
    name: source.plugin ? `${source.plugin.name}:${name}` : name,
    definition: { description, prompt: file.body.trim(), ...furtherFields(file) },
    scope: source.scope,
    path,
    ...(isObject(file.values.hooks) && { hooks: file.values.hooks }),
    ...(source.plugin && { env: { CLAUDE_PLUGIN_ROOT: source.plugin.root } }),
  };
}

function furtherFields(file: MarkdownFile): Partial<AgentDefinition> {
  const { maxTurns, background, omitClaudeMd, autoCompactWindow } = file.values;
  const tools = toolsValue(file, 'tools');
  const isAll = tools?.includes('*') || /^all(?: tools)?$/i.test(tools?.join(' ') ?? '');
  const fields = {
    // A star means all tools, like no list.
    tools: isAll ? undefined : tools,
    disallowedTools: toolsValue(file, 'disallowedTools'),
    model: textValue(file, 'model'),
    skills: listValue(file, 'skills'),
    mcpServers: serversIn(file.values.mcpServers),
    permissionMode: textValue(file, 'permissionMode'),
    memory: textValue(file, 'memory'),
    isolation: textValue(file, 'isolation'),
    effort: textValue(file, 'effort'),
    maxTurns: typeof maxTurns === 'number' ? maxTurns : undefined,
    background: typeof background === 'boolean' ? background : undefined,
    initialPrompt: textValue(file, 'initialPrompt'),
    omitClaudeMd: typeof omitClaudeMd === 'boolean' ? omitClaudeMd : undefined,
    autoCompactWindow: typeof autoCompactWindow === 'number' ? autoCompactWindow : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** MCP servers by name, or with their settings. */
function serversIn(value: unknown): AgentDefinition['mcpServers'] | undefined {
  if (isObject(value)) return Object.entries(value).map(([name, config]) => ({ [name]: config }));
  if (!Array.isArray(value)) return undefined;
  return value.filter((each): each is string | JsonObject => typeof each === 'string' || isObject(each));
}
