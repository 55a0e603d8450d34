import type { JsonObject } from '../../util/json.ts';

export interface JsonList {
  name: string;
  items: AsyncIterable<string>;
}

/**
 * An object as JSON with an indent of two, in pieces: its fields, and after them lists whose items are made one at a
 * time. The output equals `JSON.stringify(value, null, 2)`, which would need memory for the whole.
 */
export async function* objectPieces(fields: JsonObject, lists: readonly JsonList[]): AsyncGenerator<string, void> {
  const head = Object.entries(fields).map(([name, value]) => `  ${JSON.stringify(name)}: ${pretty(value, 1)}`);
  yield `{\n${head.join(',\n')}`;
  for (const { name, items } of lists) {
    yield `,\n  ${JSON.stringify(name)}: [`;
    let isEmpty = true;
    for await (const piece of items) {
      yield piece;
      isEmpty = false;
    }
    yield isEmpty ? ']' : '\n  ]';
  }
  yield '\n}';
}

/** The items of a list, each an object with its own list, `depth` levels down. */
export async function* itemPieces(
  objects: AsyncIterable<{ fields: JsonObject; name: string; values: AsyncIterable<unknown> }>,
): AsyncGenerator<string, void> {
  let isFirst = true;
  for await (const { fields, name, values } of objects) {
    const head = Object.entries(fields).map(([key, value]) => `      ${JSON.stringify(key)}: ${pretty(value, 3)}`);
    yield `${isFirst ? '' : ','}\n    {\n${head.join(',\n')},\n      ${JSON.stringify(name)}: [`;
    isFirst = false;
    let count = 0;
    for await (const value of values) yield `${count++ === 0 ? '' : ','}\n        ${pretty(value, 4)}`;
    yield count === 0 ? ']\n    }' : '\n      ]\n    }';
  }
}

/** JSON strings contain no line breaks, so every line break belongs to the layout. */
function pretty(value: unknown, depth: number): string {
  return (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${'  '.repeat(depth)}`);
}
