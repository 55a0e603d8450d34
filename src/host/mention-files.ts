import type { Attachment } from '../agent/attachment.ts';
import { atOneMoment, judge, pinnedContext, placesOf } from '../agent/judge.ts';
import { readTool } from '../tools/read.ts';
import { type ToolContext, ToolError } from '../tools/tool.ts';
import type { FileStat } from '../tools/workspace.ts';
import type { ContentBlock } from '../wire/content.ts';
import { type Mention, mentionsIn } from './mention-words.ts';
import type { Parts } from './parts.ts';

/** A text that was pasted may hold any number of words with an `@`. */
const MAX_WORDS = 200;
const MAX_MENTIONS = 20;
const MAX_LINES = 2000;
const MAX_TEXT_CHARS = 60_000;
const MAX_LISTED = 200;

/** What the mentioned files hold, as Read shows it. Names of nothing are left alone: they were not meant as paths. */
export async function readMentions(text: string, parts: Parts): Promise<Attachment[]> {
  const context = parts.toolContext('mention', new AbortController().signal);
  const found = new Map<string, Attachment>();
  for (const mention of mentionsIn(text).slice(0, MAX_WORDS)) {
    if (found.size === MAX_MENTIONS) break;
    const file = await findFile(mention, context);
    const { first, last } = mention.lines ?? {};
    const name = file && (first === undefined ? file.path : `${file.path}#L${first}-${last}`);
    if (!name || found.has(name)) continue;
    const content = await contentOf({ ...file, name }, mention.lines, { parts, context });
    found.set(name, { type: 'mention', path: file.path, content: parts.hideCredentials(content) });
  }
  return [...found.values()];
}

interface FoundFile {
  path: string;
  stat: FileStat;
}

async function findFile({ paths }: Mention, { workspace }: ToolContext): Promise<FoundFile | null> {
  for (const written of paths) {
    const path = workspace.resolve(written);
    const stat = await workspace.stat(path).catch(() => null);
    if (stat) return { path, stat };
  }
  return null;
}

/** Only what Read could see without asking: a prompt must not open what a rule closes, nor what lies outside. */
async function contentOf(
  { path, stat, name }: FoundFile & { name: string },
  lines: Mention['lines'],
  { parts, context }: { parts: Parts; context: ToolContext },
): Promise<ContentBlock[]> {
  const input = { file_path: path };
  const call = { toolName: readTool.name, input, access: readTool.access(input, context.workspace) };
  const policy = atOneMoment(parts.permissions.policy);
  const decision = await judge(call, policy);
  if (decision.behavior !== 'allow') return [said(`${name} was mentioned, but not read: ${decision.reason}`)];
  const pinned = await pinnedContext(context, placesOf(call, policy));
  try {
    if (stat.kind === 'directory') return [said(await listing(path, pinned))];
    const { first = 1, last = MAX_LINES } = lines ?? {};
    const limit = Math.min(last - first + 1, MAX_LINES);
    const isText = lines !== undefined || !SEEN_WHOLE.test(path);
    const { content } = await readTool.run({ ...input, ...(isText && { offset: first, limit }) }, pinned);
    const title = `${name} was mentioned. This is what it holds:`;
    parts.memory.touch([path]);
    if (typeof content !== 'string') return [said(title), ...content];
    return [said(`${title}\n${bounded(content, path, context)}`)];
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return [said(`${name} was mentioned, but not read: ${error.message}`)];
  }
}

/** Read shows these as a whole; a number of lines would make a text of them. */
const SEEN_WHOLE = /\.ipynb$/i;

async function listing(path: string, { workspace, session }: ToolContext): Promise<string> {
  const mayRead = await session.readFilter();
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

/** In a tag, so that nobody takes it for the user's words. */
function said(text: string): ContentBlock {
  const inside = text.replaceAll('</mentioned-file', '<\\/mentioned-file');
  return { type: 'text', text: `<mentioned-file>\n${inside}\n</mentioned-file>` };
}
