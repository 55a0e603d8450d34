import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/root.ts';

const SAMPLES = join(ROOT, 'test/interop/samples');

/** `npm run interop` compiles them against the reference itself, too, so that they are what hosts of it write. */
test('[ARC-14] host programs for the reference compile, with nothing changed but where their import leads', async () => {
  const files = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const family of ['messages', 'hooks-later', 'control-answers', 'stores']) {
    expect(files).toContain(join('0.3.325', `${family}.ts`));
  }
  const folder = mkdtempSync(join(tmpdir(), 'heddle-hosts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2024', 'ESNext.Disposable'], module: 'NodeNext', strict: true, noEmit: true },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true, types: ['node'] },
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: {
      '@anthropic-ai/claude-agent-sdk': [join(ROOT, 'src/sdk/index.ts')],
      zod: [join(ROOT, 'node_modules/zod/index.d.ts')],
    },
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: files.map((file) => join(SAMPLES, file)) }));
  expect(await compile(config)).toEqual({ code: 0, output: '' });
}, 120_000);

function compile(config: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const tsc = spawn(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config], { cwd: ROOT });
    let output = '';
    tsc.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    tsc.on('close', (code) => resolve({ code, output: output.trim() }));
  });
}
