import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, test } from 'vitest';
import { readPackageJson } from '../support/package-json.ts';
import { ROOT } from '../support/root.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-consumer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the published declarations compile for a user of the package', () => {
  const program = ts.createProgram([consumer()], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  });
  const ours = program.getSourceFiles().filter(({ fileName }) => !/node_modules\/(?!heddle\/)/.test(fileName));
  const problems = ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  const text = ts.formatDiagnostics(problems, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => '\n',
  });
  expect(text).toBe('');
});

/** A program outside of the repository that imports everything we publish, as an installed package. */
function consumer(): string {
  const file = join(folder, 'user.ts');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  rmSync(join(folder, 'node_modules/heddle'), { force: true });
  symlinkSync(ROOT, join(folder, 'node_modules/heddle'));
  const names = Object.entries(readPackageJson().exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([name]) => name.replace('.', 'heddle'));
  const imports = names.map((name, i) => `import * as m${i} from '${name}';`);
  // A name that cannot be resolved would be `any`, and then this would not be an error.
  const notAny = names.map((_name, i) => `// @ts-expect-error a module has no such export\nm${i}.noSuchExport;`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(file, [...imports, ...notAny, ''].join('\n'));
  return file;
}
