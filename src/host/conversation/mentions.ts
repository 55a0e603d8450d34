import type { Attachment } from '../../agent/attachment.ts';
import { atOneMoment, judge, pinnedContext, realPathsOf } from '../../agent/calls/judge.ts';
import type { Policy } from '../../permissions/policy.ts';
import { readTool } from '../../tools/files/read.ts';
import { searchPort } from '../../tools/search/search-port.ts';
import { type ToolContext, ToolError } from '../../tools/tool.ts';
import type { FileStat } from '../../tools/workspace.ts';
import { withoutTrailing } from '../../util/text/without-trailing.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { textOf } from '../../wire/api/text-of.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import { readResourceMentions } from '../mcp/mentioned-resources.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';

/** The parts of a thread that reading mentions takes. */
export interface MentioningThread {
  readonly permissions: { readonly policy: Policy };
  readonly conversation: { readonly memory: Pick<SessionMemory, 'touch'> };
  readonly services: {
    readonly options: { readonly takesPromptsVerbatim: boolean };
    readonly mcp: Pick<Lazy<Pick<SessionMcp, 'resources'>>, 'current'>;
    readonly hideCredentials: <T>(text: T) => T;
  };
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
}

/** Reads the files and MCP resources that a prompt mentions with `@`. A prompt that a host composed is not searched. */
export async function mentioned(
  thread: MentioningThread,
  input: UserInput,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const { options, mcp, hideCredentials } = thread.services;
  if (options.takesPromptsVerbatim || input.client_composed || input.isSynthetic) return [];
  const text = typedText(input);
  if (!/(^|[\s(])@\S/.test(text)) return [];
  const files = await readFileMentions(text, thread);
  if (!mcp.current) return files;
  const { policy } = thread.permissions;
  return [...files, ...(await readResourceMentions(text, { mcp: mcp.current, policy, hideCredentials }, signal))];
}

/** The text that a person typed. A message with tool results comes from a program. */
function typedText({ message: { content } }: UserInput): string {
  if (typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')) return '';
  return textOf(content);
}

/** A pasted text may hold any number of words with an `@`. */
const MAX_WORDS = 200;
const MAX_MENTIONS = 20;
const MAX_LINES = 2000;
const MAX_TEXT_CHARS = 60_000;
const MAX_LISTED = 200;

/** The content of the mentioned files, as Read shows it. A word that names no file is ignored: it was not meant as a path. */
async function readFileMentions(text: string, thread: MentioningThread): Promise<Attachment[]> {
  const { hideCredentials } = thread.services;
  const context = thread.toolContext('mention', new AbortController().signal);
  const attachments = new Map<string, Attachment>();
  for (const mention of mentionsIn(text)) {
    if (attachments.size === MAX_MENTIONS) break;
    const file = await findFile(mention, context);
    const { first, last } = mention.lines ?? {};
    const name = file && (first === undefined ? file.path : `${file.path}#L${first}-${last}`);
    if (!name || attachments.has(name)) continue;
    const content = await contentOf({ ...file, name }, mention.lines, { thread, context });
    attachments.set(name, { type: 'mention', path: file.path, content: hideCredentials(content) });
  }
  return [...attachments.values()];
}

interface MentionedFile {
  path: string;
  stat: FileStat;
}

async function findFile({ paths }: Mention, { workspace }: ToolContext): Promise<MentionedFile | null> {
  for (const written of paths) {
    const path = workspace.resolve(written);
    const stat = await workspace.stat(path).catch(() => null);
    if (stat) return { path, stat };
  }
  return null;
}

/** Reads only files that Read may read without asking, so that a prompt cannot open what a rule or the workspace closes. */
async function contentOf(
  { path, stat, name }: MentionedFile & { name: string },
  lines: Mention['lines'],
  { thread, context }: { thread: MentioningThread; context: ToolContext },
): Promise<ContentBlock[]> {
  const input = { file_path: path };
  const call = { toolName: readTool.name, input, access: readTool.access(input, context.workspace) };
  const policy = atOneMoment(thread.permissions.policy);
  const decision = await judge(call, policy);
  if (decision.behavior !== 'allow') return [tagged(`${name} was mentioned, but not read: ${decision.reason}`)];
  const pinned = await pinnedContext(context, realPathsOf(call, policy));
  try {
    if (stat.kind === 'directory') return [tagged(await listing(path, pinned))];
    const { first = 1, last = MAX_LINES } = lines ?? {};
    const limit = Math.min(last - first + 1, MAX_LINES);
    const isText = lines !== undefined || !SEEN_WHOLE.test(path);
    const { content } = await readTool.run({ ...input, ...(isText && { offset: first, limit }) }, pinned);
    const title = `${name} was mentioned. This is what it holds:`;
    thread.conversation.memory.touch([path]);
    if (typeof content !== 'string') return [tagged(title), ...content];
    return [tagged(`${title}\n${bounded(content, path, context)}`)];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [tagged(`${name} was mentioned, but not read: ${error.message}`)];
  }
}

/** Read shows these files as a whole; with a line range it would show their raw text. */
const SEEN_WHOLE = /\.ipynb$/i;

async function listing(path: string, { workspace, service }: ToolContext): Promise<string> {
  const mayRead = await service(searchPort).readableFilter();
  const names = (await workspace.list(path)).filter((name) => mayRead(`${path}/${name}`)).sort();
  const shown = names.slice(0, MAX_LISTED);
  const kinds = await Promise.all(shown.map((name) => workspace.stat(`${path}/${name}`).catch(() => null)));
  const lines = shown.map((name, at) => (kinds[at]?.kind === 'directory' ? `${name}/` : name));
  const left = names.length - shown.length;
  const all = [...lines, ...(left > 0 ? [`… and ${left} more`] : [])];
  return `${path} was mentioned. This is what is in the directory:\n${all.join('\n') || '(nothing)'}`;
}

function bounded(text: string, path: string, { files }: ToolContext): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const state = files.get(path);
  if (state) files.set(path, { ...state, whole: false });
  return `${text.slice(0, MAX_TEXT_CHARS)}\n[The file goes on; Read shows the rest with offset and limit.]`;
}

/** A tag tells the model that these are not the user's words. */
function tagged(text: string): ContentBlock {
  const inside = text.replaceAll('</mentioned-file', '<\\/mentioned-file');
  return { type: 'text', text: `<mentioned-file>\n${inside}\n</mentioned-file>` };
}

/** Characters that end a sentence right after a path. */
const SENTENCE_ENDS = '.,;:!?\'")]}';

/** A path that a prompt names with `@`. */
export interface Mention {
  /** The likeliest first: the last characters may belong to the sentence. */
  paths: string[];
  /** The range of lines; absent: the whole file. */
  lines?: { first: number; last: number };
}

/** The first paths that a text mentions: `@src/a.ts`, `@"my notes.md"`, `@src/a.ts#L5-10`. Many of them turn out not to exist. */
export function mentionsIn(text: string): Mention[] {
  const matches = text.matchAll(/(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))(#L\d+(?:-L?\d+)?)?/g);
  return firstOf(matches, MAX_WORDS).map(([, quoted, word = '', suffix]) => {
    const [whole, range] = quoted === undefined ? splitRange(word) : [quoted, suffix];
    const bare = quoted ?? withoutTrailing(whole, SENTENCE_ENDS);
    const lines = linesOf(range);
    return { paths: [...new Set([whole, bare])].filter((path) => path !== ''), ...(lines && { lines }) };
  });
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count) break;
    first.push(item);
  }
  return first;
}

function splitRange(word: string): [path: string, range: string | undefined] {
  const bare = withoutTrailing(word, SENTENCE_ENDS);
  const at = bare.lastIndexOf('#L');
  const range = at === -1 ? null : /^#L\d+(?:-L?\d+)?$/.exec(bare.slice(at));
  return range ? [word.slice(0, at), range[0]] : [word, undefined];
}

function linesOf(range: string | undefined): Mention['lines'] {
  const [first, last = first] = range?.match(/\d+/g)?.map(Number) ?? [];
  return first === undefined || last === undefined || last < first ? undefined : { first, last };
}
