import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { McpClient } from './client.ts';
import { cutDescription } from './list-bounds.ts';
import { mcpToolName } from './tool-names.ts';

/** A prompt as a server describes it. */
export interface McpPromptInfo {
  name: string;
  description: string;
  arguments: readonly { name: string; required: boolean }[];
}

/** A prompt as it is called: `/mcp__server__prompt`. */
export interface ServerPrompt {
  /** `mcp__server__prompt`. */
  name: string;
  server: string;
  info: McpPromptInfo;
}

/** All prompts of a server; empty when it declares none. */
export async function listPrompts(client: McpClient, signal: AbortSignal): Promise<McpPromptInfo[]> {
  if (!client.has('prompts')) return [];
  return client.listPages('prompts/list', (page) => itemsOf(page.prompts).flatMap(readPrompt), signal);
}

/** The prompts of these servers by the names under which users call them. Of two with one name the first stays. */
export function namedPrompts(
  servers: readonly { name: string; prompts: readonly McpPromptInfo[] }[],
): Map<string, ServerPrompt> {
  const byName = new Map<string, ServerPrompt>();
  for (const { name: server, prompts } of servers) {
    for (const info of prompts) {
      const name = mcpToolName(server, info.name);
      if (!byName.has(name)) byName.set(name, { name, server, info });
    }
  }
  return byName;
}

/** The content of a prompt, as one text. Rejects with the server's error. */
export async function getPrompt(
  client: McpClient,
  { name, args }: { name: string; args: Record<string, string> },
  signal: AbortSignal,
): Promise<string> {
  const result = await client.request('prompts/get', { name, arguments: args }, { signal });
  return itemsOf(result.messages).map(readMessage).filter(Boolean).join('\n\n');
}

/** A prompt's arguments, as a hint for users. */
export function argumentHint({ arguments: all }: McpPromptInfo): string {
  return all.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/**
 * Reads the words after a command as the arguments of a prompt, in their order; quotes group words, and the last
 * argument takes the rest. Throws when a required one is missing.
 */
export function readArguments(text: string, info: McpPromptInfo): Record<string, string> {
  const args: Record<string, string> = {};
  let rest = text.trim();
  for (const [at, { name, required }] of info.arguments.entries()) {
    const isLast = at === info.arguments.length - 1;
    const word = isLast ? (/^(["'])(.*)\1$/s.exec(rest)?.[2] ?? rest) : firstWord(rest);
    if (rest === '' && required) throw new Error(`it needs ${argumentHint(info)}`);
    if (rest !== '') args[name] = word;
    rest = isLast ? '' : rest.slice(wordLength(rest)).trim();
  }
  return args;
}

const WORD = /^(?:"([^"]*)"|'([^']*)'|(\S+))/;

function firstWord(text: string): string {
  const [, double, single, bare] = WORD.exec(text) ?? [];
  return double ?? single ?? bare ?? '';
}

function wordLength(text: string): number {
  return WORD.exec(text)?.[0].length ?? 0;
}

function readPrompt(value: unknown): McpPromptInfo[] {
  const name = stringField(value, 'name');
  if (!isObject(value) || name === undefined || name === '') return [];
  const description = cutDescription(stringField(value, 'description') ?? stringField(value, 'title') ?? '');
  return [{ name, description, arguments: itemsOf(value.arguments).flatMap(readArgument) }];
}

function readArgument(value: unknown): McpPromptInfo['arguments'] {
  const name = stringField(value, 'name');
  return name === undefined ? [] : [{ name, required: isObject(value) && value.required === true }];
}

/** A message in the role of the model is labelled as such: a prompt becomes one message of the user. */
function readMessage(value: unknown): string {
  const { role, content } = isObject(value) ? value : {};
  const text = (Array.isArray(content) ? content : [content]).map(readContent).filter(Boolean).join('\n');
  return role === 'assistant' && text !== '' ? `You answered:\n${text}` : text;
}

function readContent(value: unknown): string {
  const { type, text, resource, uri, mimeType } = isObject(value) ? value : {};
  if (typeof text === 'string') return text;
  const inside: JsonObject = isObject(resource) ? resource : {};
  if (typeof inside.text === 'string') return inside.text;
  const name = stringField(inside, 'uri') ?? uri ?? mimeType;
  return type === undefined ? '' : `[${String(type)}${name === undefined ? '' : `, ${String(name)}`}: not shown]`;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
