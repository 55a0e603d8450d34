import type { ChangedText } from '../../util/process/process.ts';
import type { BashFileChange } from '../../wire/tools/tool-outputs.ts';
import { boundList, jsonBytes } from '../bounded-field.ts';
import { diffLines } from '../files/patch.ts';

/** A whole file next to its change may take this much of the result. */
const MAX_WHOLE_BYTES = 32 * 1024;
const isSmall = (text: string) => jsonBytes(text) <= MAX_WHOLE_BYTES;

/** What a command has changed, for hosts; as much as fits into a line of the stream. */
export async function fileChanges(texts: readonly ChangedText[]): Promise<BashFileChange[]> {
  const changes: BashFileChange[] = [];
  for (const { path, before, after } of texts) {
    changes.push({
      filePath: path,
      type: kindOf(before, after),
      structuredPatch: await diffLines(before ?? '', after ?? ''),
      ...(before !== null && isSmall(before) && { originalFile: before }),
      ...(before === null && after !== null && isSmall(after) && { content: after }),
    });
  }
  return boundList(changes);
}

function kindOf(before: string | null, after: string | null): BashFileChange['type'] {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
}
