import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { withFieldComments } from '../../scripts/lib/declarations.mjs';
// @ts-expect-error a script without declarations
import { rowIdsIn, withoutRowIds } from '../../scripts/lib/row-ids.mjs';
import { ROOT } from '../support/root.ts';

/** What people read who only have the package: its declarations, its pages, and nothing of spec/. */
const TYPES = join(ROOT, 'dist/types');
const declarations = readdirSync(TYPES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map(inDocs)];

function inDocs(name: string): string {
  return posix.join('docs', name);
}

describe('numbers of rulings and rows', () => {
  test('are not in the published declarations', () => {
    const telling = declarations.flatMap((file) => {
      const comments = readFileSync(join(TYPES, file), 'utf8').match(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm) ?? [];
      const ids = comments.flatMap((comment) => rowIdsIn(comment) as string[]);
      return ids.length > 0 ? [`${file}: ${ids.join(', ')}`] : [];
    });
    expect(declarations.length).toBeGreaterThan(100);
    expect(telling).toEqual([]);
  });

  test('are not in the README and the pages', () => {
    const telling = pages
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) => {
        const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
        return lines.flatMap((line, at) => ((rowIdsIn(line) as string[]).length > 0 ? [`${page}:${at + 1}`] : []));
      });
    expect(telling).toEqual([]);
  });

  test.each([
    ['Said once (ruling K2).', 'Said once.'],
    ['Said (rulings K15, K21), and more.', 'Said, and more.'],
    ['Held [FLD-29]. Also [CHK-02, CHK-03].', 'Held. Also.'],
    ['Killed (trust P-15)', 'Killed'],
    ['As it is printed (wire.md 7.3)', 'As it is printed'],
    ['What a person said (in a chat) [not here]', 'What a person said (in a chat) [not here]'],
  ])('%s', (given, published) => {
    expect(withoutRowIds(given)).toBe(published);
    expect(rowIdsIn(published)).toEqual([]);
  });

  test.each(['(K24)', 'ruling K2', 'G5, K44', '| K6 |', '[FLD-29]', 'see P10'])('%s is found', (text) => {
    expect(rowIdsIn(text)).not.toEqual([]);
  });
});

describe('what is packed', () => {
  let packed: Set<string>;
  beforeAll(() => {
    const list = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, stdio: 'pipe' });
    const [{ files }] = JSON.parse(String(list)) as [{ files: { path: string }[] }];
    packed = new Set(files.map(({ path }) => path));
  }, 60_000);

  test('every link of a packed page leads to a packed file', () => {
    const documents = [...packed].filter((path) => path.endsWith('.md'));
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/sdk.md', 'GLOSSARY.md']));
    const dead = documents.flatMap((document) =>
      linksIn(document)
        .filter((link) => !leadsTo(posix.join(dirname(document), link)))
        .map((link) => `${document}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test('every example that a packed page names is packed, and all of them are', () => {
    const named = [...packed]
      .filter((path) => path.endsWith('.md'))
      .flatMap((page) => readFileSync(join(ROOT, page), 'utf8').match(/\bexamples\/[\w-]+\.\w+/g) ?? []);
    expect([...new Set(named)].filter((path) => !packed.has(path))).toEqual([]);
    const examples = readdirSync(join(ROOT, 'examples')).map((name) => `examples/${name}`);
    expect(examples.filter((path) => !packed.has(path))).toEqual([]);
  });

  test('nothing is packed that a build has only worked with', () => {
    expect([...packed].filter((path) => /types-of-tsc|\.tsbuildinfo$|meta\.json$/.test(path))).toEqual([]);
  });

  /** A file, or a folder with something in it. */
  function leadsTo(path: string): boolean {
    return packed.has(path) || [...packed].some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
  }
});

/** Those that stay in the package, without their anchors. */
function linksIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^(`{3,}).*\n(?:.*\n)*?\1.*$/gm, '');
  const links = [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  const inside = links.filter((target) => !/^[a-z][a-z\d+.-]*:|^#/i.test(target));
  return inside.map((target) => target.replace(/#.*$/, ''));
}

describe('what an editor shows over a field', () => {
  const PROGRAM = `import type * as heddle from '${join(TYPES, 'sdk/index.d.ts')}';
declare const { query, createSession }: typeof heddle;
for await (const message of query({ prompt: 'x' })) {
  if (message.type === 'assistant') message.error;
  if (message.type !== 'result') continue;
  message.is_error; message.subtype; message.num_turns; message.total_cost_usd; message.duration_api_ms;
  message.permission_denials; message.usage.input_tokens; message.modelUsage.x!.costUSD; message.errors;
  if (message.subtype === 'success') { message.result; message.structured_output; }
}
const { result } = await createSession().ask('x');
result.user_message_uuids;
`;
  const file = join(ROOT, 'hover.ts');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    types: ['node'],
  };
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? PROGRAM : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });

  function shownOver(field: string): string {
    const info = service.getQuickInfoAtPosition(file, PROGRAM.indexOf(`.${field};`) + 1);
    return ts.displayPartsToString(info?.documentation);
  }

  test('the program compiles', () => {
    expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([]);
  }, 60_000);

  test.each([
    ['is_error', /Look at this first/],
    ['subtype', /look at `is_error`/],
    ['num_turns', /One more than/],
    ['total_cost_usd', /US dollars, of the session with all its resumes, not of the turn/],
    ['duration_api_ms', /Milliseconds.*of the session, not of the turn/],
    ['permission_denials', /not allowed to run/],
    ['input_tokens', /Tokens that were sent/],
    ['costUSD', /US dollars/],
    ['errors', /What went wrong/],
    ['result', /The text of the answer/],
    ['structured_output', /in the shape that was asked for/],
    ['error', /instead of an answer/],
    ['user_message_uuids', /input messages that this result answers/],
  ])('%s', (field, text) => {
    expect(shownOver(field)).toMatch(text);
  });
});

describe('comments of fields', () => {
  const comments = new Map([
    ['Outer', { members: new Map([field('a', 'An a.'), field('inner', 'Of its own.', 'Inner'), field('b', '')]) }],
    ['Inner', { members: new Map([field('a', 'Another a.')]) }],
  ]);
  function field(name: string, text: string, ...parts: string[]) {
    return [name, { text, parts }] as const;
  }

  test('stand above the field that they are about, at every depth', () => {
    const given = `export declare const Outer: import("../schema.ts").Schema<{
    a: string;
    inner?: {
        a: number;
        other: string;
    } | undefined;
    b: string;
}>;
export declare const Unknown: import("../schema.ts").Schema<{
    a: string;
}>;`;
    expect(
      withFieldComments(given, 'src/wire/x.ts', comments),
    ).toBe(`export declare const Outer: import("../schema.ts").Schema<{
    /** An a. */
    a: string;
    /** Of its own. */
    inner?: {
        /** Another a. */
        a: number;
        other: string;
    } | undefined;
    b: string;
}>;
export declare const Unknown: import("../schema.ts").Schema<{
    a: string;
}>;`);
  });
});
