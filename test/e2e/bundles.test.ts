import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

/** A program with an agent in a process of its own. */
const QUERY = `import { query } from 'heddle';
async function main() {
  const { HEDDLE_AT } = process.env;
  const options = { model: 'offline', ...(HEDDLE_AT && { pathToHeddleExecutable: HEDDLE_AT }) };
  for await (const message of query({ prompt: 'list files matching *.md', options })) {
    if (message.type === 'result') console.log(message.result);
  }
}
main().catch((error) => console.log(error.code, error.message));
`;

/** A program that is the agent itself. The model searches, then runs a command that a parser must read. */
const ENGINE = `import { query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';
async function main() {
  const calls = [
    toolUse('Grep', { pattern: 'loom', output_mode: 'content' }),
    toolUse('Bash', { command: 'cat notes.md 2>&1 | tee copy.md' }),
  ];
  const engine = createEngine({
    cwd: process.cwd(),
    env: process.env,
    store: createMemoryStore(),
    model: scriptedModel([...calls, 'done']),
  });
  const options = { transport: inProcess(engine), allowedTools: ['Bash(cat:*)', 'Bash(tee:*)'] };
  for await (const message of query({ prompt: 'go', options })) {
    if (message.type === 'user') console.log(JSON.stringify(message.message.content[0].content));
    if (message.type === 'result') console.log(message.result);
  }
  await engine.close();
}
main().catch((error) => console.log(error.code, error.message));
`;

const base = mkdtempSync(join(tmpdir(), 'heddle-bundles-'));
const formats: readonly Format[] = ['cjs', 'esm'];
afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeAll(async () => {
  install(join(base, 'project'));
  for (const [name, source] of Object.entries({ query: QUERY, engine: ENGINE })) {
    writeFileSync(join(base, 'project', `${name}.mjs`), source);
    for (const format of formats) await bundle(name, format);
  }
}, 60_000);

/** As npm would: the package, and what it depends on beside it. */
function install(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/heddle'));
}

const fileOf = (name: string, format: Format) => `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`;

async function bundle(name: string, format: Format): Promise<void> {
  await build({
    entryPoints: [join(base, 'project', `${name}.mjs`)],
    outfile: join(base, 'bundles', fileOf(name, format)),
    bundle: true,
    platform: 'node',
    format,
    logLevel: 'error',
  });
}

/** A folder with a bundle in it and nothing else, unless `ship` puts it there. */
function deploy(name: string, format: Format, ship: (folder: string) => void = () => {}): string {
  const folder = mkdtempSync(join(base, 'deployed-'));
  const file = join(folder, fileOf(name, format));
  cpSync(join(base, 'bundles', fileOf(name, format)), file);
  ship(folder);
  return file;
}

function run(file: string, env: Record<string, string> = {}): string {
  const work = mkdtempSync(join(base, 'work-'));
  writeFileSync(join(work, 'notes.md'), 'the loom is warm\n');
  const own = { PATH: process.env.PATH ?? '', HOME: base, HEDDLE_HOME: join(base, 'home') };
  const options = { cwd: work, env: { ...own, ...env }, encoding: 'utf8', timeout: 60_000 } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [file], options);
  return `${stdout}${stderr}`.trim();
}

test('a program that is neither a module nor a bundle can require the package', () => {
  const folder = mkdtempSync(join(base, 'required-'));
  install(folder);
  const file = join(folder, 'program.cjs');
  writeFileSync(
    file,
    `const names = ['heddle', 'heddle/engine'].map((name) => Object.keys(require(name)).length > 5);
console.log(names.join());`,
  );
  expect(run(file)).toBe('true,true');
});

describe.each(formats)('a program that was bundled (%s)', (format) => {
  describe('with query()', () => {
    test('finds the package where it is installed', () => {
      const file = deploy('query', format, install);
      expect(run(file)).toContain('notes.md');
    });

    test('finds heddle on the PATH', () => {
      const bin = mkdtempSync(join(base, 'bin-'));
      writeFileSync(join(bin, 'heddle'), `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/dist/heddle.cjs" "$@"\n`);
      chmodSync(join(bin, 'heddle'), 0o755);
      expect(run(deploy('query', format), { PATH: `${bin}:${process.env.PATH}` })).toContain('notes.md');
    });

    test('uses the one that it is told', () => {
      expect(run(deploy('query', format), { HEDDLE_AT: join(ROOT, 'dist/heddle.cjs') })).toContain('notes.md');
    });

    test('finds the command line that is shipped beside it', () => {
      const file = deploy('query', format, (folder) => {
        for (const each of ['heddle.cjs', 'bundles', 'vendor'])
          cpSync(join(ROOT, 'dist', each), join(folder, each), COPY);
        shipRipgrep(folder);
      });
      expect(run(file)).toContain('notes.md');
    });

    test('says what to do where there is none', () => {
      const file = deploy('query', format);
      const said = run(file, { PATH: '/nonexistent' });
      expect(said).toMatch(/^cli_not_found Heddle not found: .*heddle\.cjs \(neither there nor on the PATH/);
      expect(said).toContain('options.pathToHeddleExecutable');
      expect(said).toContain('docs/bundlers.md');
    });
  });

  describe('with an engine', () => {
    test('works where the package is installed', () => {
      const said = run(deploy('engine', format, install)).split('\n');
      expect(said).toEqual(['"notes.md:1:the loom is warm"', '"the loom is warm"', 'done']);
    });

    test('works with what docs/bundlers.md names', () => {
      const file = deploy('engine', format, (folder) => {
        for (const each of WASM) cpSync(join(ROOT, 'dist', each), join(folder, each));
        shipRipgrep(folder);
      });
      expect(run(file).split('\n')).toEqual(['"notes.md:1:the loom is warm"', '"the loom is warm"', 'done']);
    });

    test('says what is missing where it is alone', () => {
      const [grep, bash, end] = run(deploy('engine', format)).split('\n');
      expect(grep).toMatch(/ripgrep.* is not installed .*@vscode\/ripgrep.*docs\/bundlers\.md/);
      expect(grep).not.toContain('cannot be used');
      expect(bash).toMatch(/web-tree-sitter\.wasm\.gz is missing/);
      expect(bash).not.toContain('not a plain sequence');
      expect(end).toBe('done');
    });
  });

  test('is told when its Node is too old', () => {
    const preload = join(base, 'old.cjs');
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } });`,
    );
    const file = deploy('query', format);
    expect(run(file, { NODE_OPTIONS: `--require=${preload}` })).toContain('heddle needs Node 20.19 or newer');
  });
});

function shipRipgrep(folder: string): void {
  for (const each of ['ripgrep', `ripgrep-${process.platform}-${process.arch}`]) {
    const name = join('node_modules/@vscode', each);
    cpSync(join(ROOT, name), join(folder, name), COPY);
  }
}

const COPY = { recursive: true, dereference: true } as const;
const WASM = ['tree-sitter-bash.wasm.gz', 'web-tree-sitter.wasm.gz'];
