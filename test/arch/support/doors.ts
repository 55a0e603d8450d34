import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../support/root.ts';
import { importsOf, lineOf, type SourceFile } from '../../support/source-tree.ts';
import type { Finding } from './exceptions.ts';
import { nodesOf } from './program.ts';

const TABLE = 'src/doors.ts';

interface LateImport {
  file: string;
  line: number;
  /** The file of ours that is loaded, or the expression that says which. */
  target: string;
}

/** Every `import()` of own code. One whose target is computed counts: nobody can see what it loads. */
export function lateImports(files: readonly SourceFile[]): LateImport[] {
  return files.flatMap((file) => {
    const named = importsOf(file)
      .filter(({ kind }) => kind === 'dynamic')
      .flatMap(({ target, line }) => (target ? [{ file: file.path, line, target }] : []));
    const computed = nodesOf(file.ast, ts.isCallExpression)
      .filter(({ expression, arguments: [what] }) => isImport(expression) && what && !ts.isStringLiteral(what))
      .map((call) => ({ file: file.path, line: lineOf(file, call), target: call.arguments[0]?.getText() ?? '' }));
    return [...named, ...computed];
  });
}

/** All files that the table of doors names, by path from the root, and all expressions; null while there is no table. */
export function namedDoors(): ReadonlySet<string> | null {
  const text = readIfThere(join(ROOT, TABLE));
  if (text === null) return null;
  const ast = ts.createSourceFile(TABLE, text, ts.ScriptTarget.Latest, true);
  const names = nodesOf(ast, ts.isStringLiteralLike).map(({ text: name }) =>
    name.includes('/') ? name.replace(/^(\.\/|src\/)*/, 'src/') : name,
  );
  return new Set(names);
}

/** Late imports in files, or of files, that the table does not name. */
export function undeclaredDoors(late: readonly LateImport[], doors: ReadonlySet<string> | null): Finding[] {
  return late
    .filter(({ file, target }) => !doors?.has(file) || !doors.has(target))
    .map(({ file, line, target }) => ({
      key: `${file} -> ${target}`,
      text: `${file}:${line} loads ${target} late: import it plainly, or measure what that costs and add a row to ${TABLE}`,
    }));
}

/** How many files are loaded late, if they are too many. */
export function targetCount(late: readonly LateImport[], limit: number): Finding[] {
  const { size } = new Set(late.map(({ target }) => target));
  const text = `${size} files are loaded late, ${limit} may be: import plainly what costs little`;
  return size > limit ? [{ key: 'targets', amount: size, text }] : [];
}

function isImport(node: ts.Expression): boolean {
  return node.kind === ts.SyntaxKind.ImportKeyword;
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
