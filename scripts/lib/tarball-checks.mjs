// What an installed tarball must be able to do. Each check throws an Error that says what is wrong.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

/** Unpacked, without ripgrep, which is a package of its own. */
const MAX_BYTES = 10 * 1024 * 1024;
const RUN_MS = 120_000;

const WANTED = [
  /^(package\.json|LICENSE|[A-Z]+\.md)$/,
  /^examples\/[\w-]+\.ts$/,
  /^docs\/.+\.(md|html|json|svg)$/,
  /^docs\/pictures\/[\w-]+\.(png|txt)$/,
  /^schema\/[\w-]+\.json$/,
  /^dist\/([\w/-]+\.(js|js\.map|cjs)|[\w-]+\.wasm\.gz|third-party-licenses\.txt|sbom\.cdx\.json)$/,
  /^dist\/web\/(notices\.txt|page\.(css|html))$/,
  /^dist\/types\/[\w/-]+\.d\.ts$/,
];

/** `files` is what `npm pack --json` lists. */
export function checkFiles({ files, unpackedSize }) {
  const stray = files.map((file) => file.path).filter((name) => !WANTED.some((pattern) => pattern.test(name)));
  if (stray.length > 0) throw new Error(`files that nobody asked for: ${stray.join(', ')}`);
  if (unpackedSize > MAX_BYTES) throw new Error(`${unpackedSize} bytes unpacked, and ${MAX_BYTES} is the limit`);
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const targets = [manifest.main, manifest.types, ...Object.values(manifest.exports), ...Object.values(manifest.bin)];
  const promised = targets.flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)));
  const there = new Set(files.map((file) => path.posix.normalize(file.path)));
  const missing = promised.filter((target) => !there.has(path.posix.normalize(target)));
  if (missing.length > 0) throw new Error(`package.json names files that are not packed: ${missing.join(', ')}`);
}

/** What a manifest may run when the package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** Nothing of ours runs at the installation, and the bill of materials names each package that the licences name. */
export function checkSupplyChain() {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const running = INSTALL_SCRIPTS.filter((name) => name in scripts);
  if (running.length > 0) throw new Error(`scripts that run at the installation: ${running.join(', ')}`);
  const { components } = JSON.parse(fs.readFileSync(path.join(root, 'dist/sbom.cdx.json'), 'utf8'));
  const licences = fs.readFileSync(path.join(root, 'dist/third-party-licenses.txt'), 'utf8');
  const bundled = components.filter(({ properties }) => properties.some(({ value }) => value === 'bundled'));
  const missing = bundled.filter(({ name, version }) => !licences.includes(`${name} ${version} (`));
  if (missing.length > 0) throw new Error(`no licence text: ${missing.map(({ purl }) => purl).join(', ')}`);
  const unhashed = components.filter(({ hashes }) => hashes === undefined);
  if (unhashed.length > 0) throw new Error(`no hash: ${unhashed.map(({ purl }) => purl).join(', ')}`);
}

/** Two builds of one source, in other folders at other times, give the same bytes. `packed`: what `npm pack --json` lists. */
export async function checkReproducible({ files }, temporary) {
  const again = path.join(temporary, 'again');
  const skipped = new Set(
    ['dist', '.git', 'bench/results', 'test-results', 'site'].map((name) => path.join(root, name)),
  );
  fs.cpSync(root, again, { recursive: true, verbatimSymlinks: true, filter: (from) => !skipped.has(from) });
  const env = { PATH: process.env.PATH, HOME: temporary, TZ: 'Asia/Kolkata', LC_ALL: 'C' };
  const { code, output } = await runCommand(process.execPath, ['scripts/build.mjs'], {
    cwd: again,
    env,
    limitMs: RUN_MS,
  });
  if (code !== 0) throw new Error(`the second build ended with ${code}:\n${output}`);
  const different = files
    .map((file) => file.path)
    .filter((name) => name.startsWith('dist/'))
    .filter((name) => {
      const [one, other] = [root, again].map((folder) => path.join(folder, name));
      return !fs.existsSync(other) || !fs.readFileSync(one).equals(fs.readFileSync(other));
    });
  if (different.length > 0) throw new Error(`other bytes in a second build: ${different.slice(0, 20).join(', ')}`);
}

/** A bundler may leave the place of a source in its output. */
export function checkMachinePaths(installed) {
  const places = [root, os.homedir()].filter((place) => place.length > 4);
  const files = fs.readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const telling = files
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      const text = fs.readFileSync(file, 'latin1');
      return places.some((place) => text.includes(`${place}/`));
    });
  if (telling.length > 0) throw new Error(`paths of this machine: ${telling.join(', ')}`);
}

/** Checks that need the installed package: `{ name, run(app) }`; `app` is a folder in which nothing else is installed. */
export const INSTALLED_CHECKS = [
  {
    name: 'npx heddle --version',
    async run(app) {
      const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
      const said = await app.run('npx', ['--no', '--', 'heddle', '--version']);
      if (!said.includes(version)) throw new Error(`it says ${said}`);
    },
  },
  {
    name: 'heddle -p, offline',
    async run(app) {
      const heddle = path.join(app.folder, 'node_modules/.bin/heddle');
      const said = await app.run(heddle, ['-p', '--model', 'offline', 'list files matching *.md']);
      if (!said.includes('notes.md')) throw new Error(`it does not find the file: ${said}`);
    },
  },
  { name: 'the SDK and every other export', run: (app) => app.program('program.mjs', PROGRAM) },
  {
    name: 'the types of every export',
    run: (app) => app.compile({ 'program.ts': TYPED_PROGRAM }, { skipLibCheck: false }),
  },
];

const PROGRAM = `import { query, HeddleError, tool, createSdkMcpServer } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { scriptedModel, startFakeApi, storeCases } from 'heddle/testing';
import { encodeLine, LineDecoder } from 'heddle/wire';
import { createViewTracker } from 'heddle/view';
import { createJsonlStore } from 'heddle/stores/jsonl';
import { createMemoryStore } from 'heddle/stores/memory';
import 'heddle/sdk-tools';
import assert from 'node:assert/strict';

const run = async (options) => {
  const results = [];
  for await (const message of query({ prompt: 'list files matching *.md', options })) {
    if (message.type === 'result') results.push(message.result);
  }
  return results.join('');
};
assert.match(await run({ model: 'offline' }), /notes\\.md/, 'in a process of its own');
const engine = createEngine({ cwd: process.cwd(), model: scriptedModel(['Hello']), store: createMemoryStore() });
assert.equal(await run({ transport: inProcess(engine) }), 'Hello');
await engine.close?.();
for (const made of [tool, createSdkMcpServer, createViewTracker, startFakeApi, storeCases, LineDecoder, HeddleError, createJsonlStore]) {
  assert.equal(typeof made, 'function');
}
assert.equal(encodeLine({ type: 'keep_alive' }), '{"type":"keep_alive"}\\n');
`;

const TYPED_PROGRAM = `import { type Options, query, type SDKMessage } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { scriptedModel } from 'heddle/testing';
import type { Transport } from 'heddle/wire';
import { type Block, createViewTracker } from 'heddle/view';
import 'heddle/stores/jsonl';
import 'heddle/stores/memory';
import 'heddle/sdk-tools';

const engine = createEngine({ cwd: '.', model: scriptedModel(['Hello']) });
const options: Options = { transport: inProcess(engine), maxTurns: 2 };
export async function texts(): Promise<string[]> {
  const found: string[] = [];
  for await (const message of query({ prompt: 'hello', options })) found.push(textOf(message));
  return found;
}
const textOf = (message: SDKMessage): string =>
  message.type === 'result' && message.subtype === 'success' ? message.result : message.type;
export const blocks = (line: Record<string, unknown>): Block[] =>
  createViewTracker()
    .note(line, 0)
    .flatMap((change) => (change.type === 'done' ? change.block : []));
export const isReady = (transport: Transport): boolean => transport.isReady();
`;

/** What the checks may do: everything runs in a folder with one file, with a home of its own and no environment of ours. */
export function openApp(folder) {
  const [home, cwd] = [path.join(folder, 'home'), path.join(folder, 'work')];
  for (const each of [home, cwd]) fs.mkdirSync(each);
  fs.writeFileSync(path.join(cwd, 'notes.md'), 'hello\n');
  const env = { PATH: process.env.PATH, HOME: home, HEDDLE_HOME: path.join(home, '.heddle') };
  const run = async (command, args) => {
    const { code, output } = await runCommand(command, args, { cwd, env, limitMs: RUN_MS });
    if (code === 0) return output;
    throw new Error(`${path.basename(command)} ${args.join(' ')} ended with ${code}:\n${shortened(output.trim())}`);
  };
  return {
    folder,
    run,
    program(name, text) {
      fs.writeFileSync(path.join(folder, name), text);
      return run(process.execPath, [path.join(folder, name)]);
    },
    compile(files, options) {
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
      const config = {
        compilerOptions: { ...COMPILING, ...options, typeRoots: [path.join(root, 'node_modules/@types')] },
        files: Object.keys(files),
      };
      fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
      return run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    },
  };
}

/** Node shows the line of an error, and a line of the command line is a file of it. */
function shortened(output) {
  return output.replace(/^.{300}.*$/gm, (line) => `${line.slice(0, 300)}…`);
}

/** Only the types of Node come from here: a host has them, too. */
const COMPILING = {
  target: 'ES2023',
  lib: ['ES2024', 'ESNext.Disposable', 'DOM'],
  module: 'NodeNext',
  strict: true,
  noEmit: true,
  types: ['node'],
};
