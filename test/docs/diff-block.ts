import { transform } from 'esbuild';
import { messageOf } from '../../src/util/message-of.ts';
import type { Block } from './blocks.ts';

/** Lines that go, come and stay; what comes out of it is code that can be read. */
export async function checkDiff({ code }: Block): Promise<string | null> {
  const lines = code.trimEnd().split('\n');
  const odd = lines.find((line) => !/^[-+ ]/.test(line));
  if (odd !== undefined) return `no line of a diff: ${odd}`;
  const after = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  return transform(after.join('\n'), { loader: 'ts' }).then(
    () => null,
    (error: unknown) => messageOf(error),
  );
}
