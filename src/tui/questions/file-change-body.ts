import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { CallPreview } from '../../wire/control/index.ts';
import type { PatchHunk } from '../../wire/tools/tool-outputs.ts';
import { counts } from '../rows/blocks/call-rows.ts';
import { toRow } from '../rows/row.ts';
import { type Body, type BodyOptions, bodyOfRows, factRows, joinedBodies } from './body.ts';
import { changeLines } from './change-lines.ts';
import { changeRows } from './change-rows.ts';
import { visible } from './shown-text.ts';

/** Of a longer text the question shows the size. */
const MOST_BYTES = 1_000_000;

/** What a call would change in a file: the preview that the agent has made of it, else what the input says. */
export function fileChangeBody(request: JsonObject, input: JsonObject, options: BodyOptions): Body {
  const { context, isWhole, ignoreBlanks } = options;
  const preview = isObject(request.preview) ? (request.preview as CallPreview) : null;
  const cell = cellFacts(input);
  const facts = cell.length > 0 ? [bodyOfRows(factRows(cell, context))] : [];
  const content = preview?.content ?? stringField(input, 'content');
  if (preview?.kind !== 'patch' && content !== undefined) {
    if (content.length > MOST_BYTES || content.includes('\0')) {
      const what = content.includes('\0') ? 'binary' : 'text';
      return joinedBodies([
        ...facts,
        bodyOfRows(factRows([['new content', `${what}, ${content.length} characters`]], context)),
      ]);
    }
    const lines = content === '' ? [] : content.replace(/\n$/, '').split('\n');
    const title = preview?.is_new ? 'new file' : 'writes';
    const hunk = { ...NO_HUNK, newStart: 1, newLines: lines.length, lines: lines.map((line) => `+${line}`) };
    return joinedBodies([
      ...facts,
      countRow(title, lines.length, 0, options),
      changeRows(changeLines([hunk]), context, { isWhole }),
      cutNote(preview, options),
    ]);
  }
  const hunks = preview?.hunks ?? hunksOfInput(input);
  const lines = changeLines(hunks, { ignoreBlanks });
  const [added, removed] = ['+', '-'].map((sign) => lines.filter((line) => line.sign === sign).length);
  return joinedBodies([
    ...facts,
    countRow(preview ? 'changes' : 'replaces', preview?.added ?? added ?? 0, preview?.removed ?? removed ?? 0, options),
    changeRows(lines, context, { isWhole }),
    cutNote(preview, options),
  ]);
}

const NO_HUNK = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 0 };

function countRow(what: string, added: number, removed: number, { context }: BodyOptions): Body {
  return bodyOfRows([
    toRow(
      [{ text: `  ${what}`, styles: ['dim'] }, ...counts(added, removed), { text: ' lines', styles: ['dim'] }],
      context.palette,
    ),
  ]);
}

/** The agent itself has not sent all of it. */
function cutNote(preview: CallPreview | null, { context }: BodyOptions): Body {
  const note: [string, string][] = preview?.truncated ? [['not all of it is here', 'the change is too large']] : [];
  return bodyOfRows(factRows(note, context));
}

function cellFacts(input: JsonObject): [string, string][] {
  const cell =
    stringField(input, 'cell_id') ?? (typeof input.cell_number === 'number' ? String(input.cell_number) : null);
  const mode = stringField(input, 'edit_mode');
  return stringField(input, 'notebook_path') === undefined
    ? []
    : [['cell', [cell ?? 'a new one', ...(mode ? [mode] : [])].map(visible).join(' \u00b7 ')]];
}

/** Where no preview came: the texts that would be replaced, without their place. */
function hunksOfInput(input: JsonObject): PatchHunk[] {
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.map((edit) => {
    const lines = (name: string, sign: string) => {
      const text = stringField(edit, name) ?? '';
      return text === ''
        ? []
        : text
            .replace(/\n$/, '')
            .split('\n')
            .map((each) => sign + each);
    };
    const all = [...lines('old_string', '-'), ...lines('new_string', '+'), ...lines('new_source', '+')];
    return { ...NO_HUNK, oldStart: 1, lines: all };
  });
}
