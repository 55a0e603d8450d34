import { isAbsolute, resolve } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { cutText } from '../util/text/cut-text.ts';
import { subjectOf } from '../view/call-view.ts';
import { commandDiffs, fileDiffs } from './file-diffs.ts';

/** What a tool does, in the words of the protocol. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ Read: 'read', NotebookRead: 'read', ReadMcpResourceTool: 'read', ListMcpResourcesTool: 'read' },
  ...{ Edit: 'edit', MultiEdit: 'edit', Write: 'edit', NotebookEdit: 'edit' },
  ...{ Bash: 'execute', BashOutput: 'read', TaskOutput: 'read', TaskStop: 'execute' },
  ...{ Glob: 'search', Grep: 'search', ToolSearch: 'search' },
  ...{ WebFetch: 'fetch', WebSearch: 'fetch' },
  ...{ Task: 'think', Agent: 'think', EnterPlanMode: 'switch_mode', ExitPlanMode: 'switch_mode' },
};

export function kindOf(tool: string): string {
  return KINDS[tool] ?? 'other';
}

const MAX_TITLE = 300;

/** A line that tells what a call does. Commands are shown as they are, because a summary could hide something. */
export function titleOf(tool: string, input: unknown): string {
  if (tool === 'Bash') return cutText(stringField(input, 'command') ?? 'Bash', MAX_TITLE);
  const subject = subjectOf(input).split('\n')[0] ?? '';
  return cutText(subject === '' ? tool : `${tool} ${subject}`, MAX_TITLE);
}

/** The places in files that a call is about, for editors that follow the agent. */
export function locationsOf(tool: string, input: unknown, cwd: string): JsonObject[] {
  const path = stringField(input, 'file_path') ?? stringField(input, 'notebook_path');
  const found = path ?? (tool === 'Glob' || tool === 'Grep' ? stringField(input, 'path') : undefined);
  if (found === undefined || found === '') return [];
  const line = isObject(input) && tool === 'Read' && typeof input.offset === 'number' ? input.offset : undefined;
  const at = isAbsolute(found) ? found : resolve(cwd, found);
  return [{ path: at, ...(line !== undefined && line >= 1 && { line: Math.trunc(line) }) }];
}

/** What a call has brought, as content to show: the change of a file, or the texts and images of its result. */
export function resultContent(tool: string, result: JsonObject, data: unknown): JsonObject[] {
  const diffs = fileDiffs(data);
  if (diffs.length > 0 && result.is_error !== true) return diffs;
  const { content } = result;
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  const changed = tool === 'Bash' ? commandDiffs(data) : [];
  return [...blocks.flatMap((block) => contentOf(tool, block)), ...changed];
}

function contentOf(tool: string, block: unknown): JsonObject[] {
  if (!isObject(block)) return [];
  if (block.type === 'text') {
    const text = stringField(block, 'text') ?? '';
    return text === '' ? [] : [textContent(tool === 'Bash' ? fenced(text, 'console') : text)];
  }
  if (block.type === 'image' && isObject(block.source) && block.source.type === 'base64') {
    const { data, media_type: mimeType } = block.source;
    return [{ type: 'content', content: { type: 'image', data: String(data), mimeType: String(mimeType) } }];
  }
  return [];
}

export function textContent(text: string): JsonObject {
  return { type: 'content', content: { type: 'text', text } };
}

/** A fence that no line of the text can close. */
export function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/^`{3,}/gm)].reduce((most, [fence]) => Math.max(most, fence.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
