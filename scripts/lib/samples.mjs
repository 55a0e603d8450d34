// Type-checks the host programs of test/interop/samples: against the reference, and, with nothing changed but where the
// import leads, against ours.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { assignmentsFile } from './assignable.mjs';
import { nameOf, REFERENCE_VERSIONS } from './reference.mjs';
import { filesBelow, root } from './tree.mjs';

const FOLDER = 'test/interop/samples';
const PACKAGE = '@anthropic-ai/claude-agent-sdk';
const OURS = path.join(root, 'dist/types/sdk/index.d.ts');
const LATEST = REFERENCE_VERSIONS.at(-1);

/** One check per version and one for ours: `{ name, ok, output }`. A sample in a folder is for that version only. */
export async function checkSamples({ installed, temporary }) {
  const samples = filesBelow(FOLDER).filter((file) => file.endsWith('.ts'));
  const checks = [
    ...REFERENCE_VERSIONS.map((version) => ({
      name: `samples against the reference ${version}`,
      entry: path.join(installed, 'node_modules', nameOf(version), 'sdk.d.ts'),
      files: samples.filter((file) => versionOf(file) === null || versionOf(file) === version),
    })),
    { name: 'samples against heddle', entry: OURS, files: samples },
    { name: `types against the reference ${LATEST}`, entry: OURS, files: [assignments({ installed, temporary })] },
  ];
  const results = [];
  for (const check of checks) results.push(await compile({ ...check, installed, temporary }));
  return results;
}

function assignments({ installed, temporary }) {
  const declarations = path.join(installed, 'node_modules', nameOf(LATEST), 'sdk.d.ts');
  return assignmentsFile({ declarations, ours: OURS, folder: temporary });
}

function versionOf(file) {
  const [folder, name] = file.slice(FOLDER.length + 1).split('/');
  return name === undefined ? null : folder;
}

/** A host has zod of its own; everything else comes with the SDK. */
function compile({ name, entry, files, installed, temporary }) {
  const config = path.join(temporary, `tsconfig.${name.replace(/\W+/g, '-')}.json`);
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2024', 'ESNext.Disposable'],
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    paths: {
      [PACKAGE]: [entry],
      zod: [path.join(installed, 'node_modules/zod/index.d.ts')],
    },
  };
  fs.writeFileSync(config, JSON.stringify({ compilerOptions, files: files.map((file) => path.resolve(root, file)) }));
  return new Promise((resolve) => {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const child = spawn(process.execPath, [tsc, '-p', config], { cwd: root });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (data) => {
      output += data;
    });
    child.on('close', (code) => resolve({ name, ok: code === 0, output: output.trimEnd() }));
  });
}
