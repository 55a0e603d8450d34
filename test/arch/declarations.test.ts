import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPackageJson } from '../support/package-json.ts';
import { ROOT } from '../support/root.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-consumer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/heddle'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

test('the published declarations compile for a user of the package', () => {
  expect(problemsOf(importingAll())).toBe('');
});

test('also for one who tells absent from undefined, and hands over what may be undefined', () => {
  const program = `${importingAll()}${MAYBE_UNDEFINED}`;
  expect(problemsOf(program, { exactOptionalPropertyTypes: true })).toBe('');
});

test('the root is found by the module resolution of old', () => {
  const old = {
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    ignoreDeprecations: '6.0',
  };
  expect(problemsOf(importing(['heddle']), old)).toBe('');
  expect(problemsOf(importing(['heddle/engine']), old)).toContain("Cannot find module 'heddle/engine'");
});

/** What is wrong with a program outside of the repository, which has the package installed, and with our declarations. */
function problemsOf(text: string, options: ts.CompilerOptions = {}): string {
  const file = join(folder, 'user.ts');
  writeFileSync(file, text);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    ...options,
  });
  const ours = program.getSourceFiles().filter(({ fileName }) => !/node_modules\/(?!heddle\/)/.test(fileName));
  const problems = ours.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]);
  return ts.formatDiagnostics([...program.getOptionsDiagnostics(), ...problems], {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => '\n',
  });
}

/** Everything that we publish. */
function importingAll(): string {
  const targets = Object.entries(readPackageJson().exports).filter(([, target]) => typeof target !== 'string');
  return importing(targets.map(([name]) => name.replace('.', 'heddle')));
}

function importing(names: readonly string[]): string {
  const imports = names.map((name, i) => `import * as m${i} from '${name}';`);
  // A name that cannot be resolved would be `any`, and then this would not be an error.
  const notAny = names.map((_name, i) => `// @ts-expect-error a module has no such export\nm${i}.noSuchExport;`);
  return [...imports, ...notAny, ''].join('\n');
}

/** What a program has from its own options, where each may be missing. */
const MAYBE_UNDEFINED = `
import { createSession, HeddleClient, listSessions, type Options, query, tool } from 'heddle';
import { createEngine, type EngineOptions } from 'heddle/engine';
declare const given: { dir?: string; turns?: number; callback?: Options['canUseTool']; env?: NodeJS.ProcessEnv; on?: boolean };
const options: Options = {
  ...{ cwd: given.dir, maxTurns: given.turns, canUseTool: given.callback, env: given.env, resume: given.dir },
  ...{ thinking: { type: 'enabled', budgetTokens: given.turns }, stderr: undefined, abortController: undefined },
  ...{ hooks: { PreToolUse: [{ matcher: given.dir, timeout: given.turns, hooks: [] }] } },
  ...{ mcpServers: { one: { command: 'x', args: undefined, env: undefined } }, agents: undefined },
  ...{ agents: { one: { description: '', prompt: '', model: given.dir, tools: undefined } } },
};
query({ prompt: 'x', options: given.on ? options : undefined });
const session = createSession({ model: given.dir });
session.send('x', { edits: given.dir, parentUuid: given.dir });
session.ask('x', { restoreFiles: given.on });
new HeddleClient({ cwd: given.dir });
listSessions({ dir: given.dir, limit: given.turns });
const engineOptions: EngineOptions = { cwd: '.', env: given.env, home: given.dir, store: undefined, log: undefined };
createEngine(engineOptions);
tool('name', 'what', {}, async () => ({ content: [], isError: given.on }));
`;
