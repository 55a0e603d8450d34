import { diffLines, type Hunk } from '../../tools/files/patch.ts';
import { decodeForDisplay } from '../../tools/files/text-file.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { JsonObject } from '../../util/json.ts';
import { cutText } from '../../util/text/cut-text.ts';
import type { CallPreview } from '../../wire/control/index.ts';

/** The tools whose calls change one file. */
const CHANGES_FILES: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);
/** A longer text is cut, and said to be. */
const MAX_CONTENT = 200_000;

/**
 * What a call would change. The tool itself runs, in a workspace that takes the bytes instead of writing them: the
 * preview is of the very bytes. Null where the tool changes no file, or would refuse the call.
 */
export async function callPreview(tool: Tool, input: JsonObject, context: ToolContext): Promise<CallPreview | null> {
  if (!CHANGES_FILES.has(tool.name)) return null;
  const written: { path: string; data: string | Uint8Array }[] = [];
  const workspace = withoutWriting(context.workspace, (path, data) => written.push({ path, data }));
  try {
    await tool.run(input, { ...context, workspace, files: new Map(context.files) });
    const [only, ...others] = written;
    return only && others.length === 0 ? await previewOf(only.path, only.data, context.workspace) : null;
  } catch {
    return null; // the call would be refused, and its result will say why
  }
}

async function previewOf(file: string, data: string | Uint8Array, workspace: Workspace): Promise<CallPreview> {
  const after = decodeForDisplay(Buffer.from(data));
  const stat = await workspace.stat(file);
  if (!stat) {
    const content = cutText(after, MAX_CONTENT);
    const isCut = content.length < after.length;
    return { kind: 'file', file, content, added: linesIn(after), is_new: true, ...(isCut && { truncated: true }) };
  }
  const before = decodeForDisplay(Buffer.from(await workspace.readFile(file)));
  const hunks = await diffLines(before, after);
  const isWhole = applied(before, hunks) === after;
  const marked = (mark: string) => hunks.flatMap(({ lines }) => lines.filter((line) => line.startsWith(mark))).length;
  const counts = { added: marked('+'), removed: marked('-') };
  return { kind: 'patch', file, hunks, ...counts, is_new: false, ...(!isWhole && { truncated: true }) };
}

/** The text after the hunks: equal to the new text unless some hunks were too much to show. */
function applied(before: string, hunks: readonly Hunk[]): string {
  const old = before.split('\n');
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    lines.push(...old.slice(at, start), ...hunk.lines.flatMap((line) => (/^[ +]/.test(line) ? line.slice(1) : [])));
    at = start + hunk.oldLines;
  }
  const after = [...lines, ...old.slice(at)].join('\n');
  // Hunks do not tell lines with and without an end apart in their own lines.
  const hasEnd = hunks.at(-1)?.lines.some((line) => line.startsWith('\\'));
  return hasEnd ? after.replace(/\n$/, '') : after;
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** The same files, but what is written is only told. No program is started. */
function withoutWriting(workspace: Workspace, take: (path: string, data: string | Uint8Array) => void): Workspace {
  const dry: Workspace = {
    cwd: workspace.cwd,
    roots: workspace.roots,
    resolve: (path) => workspace.resolve(path),
    stat: (path) => workspace.stat(path),
    list: (path) => workspace.list(path),
    readFile: (path) => workspace.readFile(path),
    readChunks: (path) => workspace.readChunks(path),
    hold: (path, work) => workspace.hold(path, work),
    pin: async () => dry,
    exec: () => Promise.reject(new Error('a preview starts no program')),
    async writeFile(path, data) {
      take(path, data);
    },
  };
  return dry;
}
