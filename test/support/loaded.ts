import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMetafile } from './bundles.ts';
import type { Place } from './place.ts';

/** What a run of Node has loaded. */
export interface LoadedByRun {
  /** Files with code, the first one first. */
  files: string[];
  /** Modules of Node that programs can import. */
  builtIns: string[];
  /** Sources whose module in a bundle of the command line was run: `src/…`, `node_modules/…`. */
  sources: string[];
}

/** Writes down at the end which of its own modules Node has loaded. */
const PROBE = `process.on('exit', () => {
  const names = process.moduleLoadList.filter((each) => each.startsWith('NativeModule '));
  require('node:fs').writeFileSync(process.env.BUILT_INS, JSON.stringify(names.map((each) => each.slice(13))));
});`;

/** Runs a program in a place, to its end. */
export async function whatIsLoaded(place: Place, [file, ...args]: [string, ...string[]]): Promise<LoadedByRun> {
  const folder = mkdtempSync(join(place.root, 'loaded-'));
  const [probe, list, coverage] = ['probe.cjs', 'built-ins.json', 'coverage'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(probe, PROBE);
  const env = { ...place.env, BUILT_INS: list, NODE_V8_COVERAGE: coverage };
  const child = spawn(process.execPath, ['--require', probe, file, ...args], { cwd: place.cwd, env, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
  const loaded = readdirSync(coverage).flatMap((name) => readCoverage(join(coverage, name)));
  const files = loaded.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
  const all = JSON.parse(readFileSync(list, 'utf8')) as string[];
  return {
    files: files.filter((each) => each !== probe),
    builtIns: all.filter((name) => builtinModules.includes(name)).sort(),
    sources: loaded.flatMap(sourcesRun),
  };
}

interface Coverage {
  url: string;
  functions: { functionName: string; ranges: { count: number }[] }[];
}

export function readCoverage(file: string): Coverage[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { result: Coverage[] }).result;
}

/**
 * In a bundle, a module that runs when it is needed is a function that has the path of its source for a name. The others
 * run with the bundle.
 */
export function sourcesRun({ url, functions }: Coverage): string[] {
  const output = readMetafile().outputs[`dist/bundles/${basename(url)}`];
  if (!url.startsWith('file:') || !output) return [];
  const modules = functions.filter(({ functionName }) => SOURCE.test(functionName));
  const late = new Set(modules.map(({ functionName }) => functionName));
  const run = modules.filter(({ ranges }) => ranges[0]?.count !== 0).map(({ functionName }) => functionName);
  const withCode = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return [...withCode.map(([source]) => source).filter((source) => SOURCE.test(source) && !late.has(source)), ...run];
}

const SOURCE = /^(src|node_modules)\//;
