import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../support/root.ts';

interface PackageJson {
  name: string;
  version: string;
  scripts: Record<string, string>;
}

/** What is wrong with a line of npm commands, or null: they name scripts of the repository, and flags that those know. */
export function npmProblem(line: string): string | null {
  const commands = line.replace(/\s+#.*$/, '').split(/\s*&&\s*/);
  return commands.map((command) => commandProblem(command)).find((problem) => problem !== null) ?? null;
}

function commandProblem(command: string): string | null {
  const { name, version, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageJson;
  const words = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word));
  const [, verb = '', ...rest] = words;
  if (words[0] !== 'npm') return `only npm commands may stand on a line of npm: ${command}`;
  if (verb === 'ci') return null;
  if (verb === 'install' || verb === 'i') return installProblem(rest, [name, `${name}-${version}.tgz`]);
  const script = verb === 'run' ? rest.shift() : verb;
  if (!script || !Object.hasOwn(scripts, script)) return `package.json has no script ${script}`;
  return flagProblem(scripts[script] ?? '', rest);
}

/** Ours, by name or as `npm pack` makes it, or what programs on the pages import. */
function installProblem(words: readonly string[], own: readonly string[]): string | null {
  const packages = words.filter((word) => !word.startsWith('-'));
  const unknown = packages.filter((word) => !own.includes(basename(word)) && !isInstalled(word));
  return unknown.length === 0 ? null : `nothing is known of the package ${unknown.join(', ')}`;
}

function isInstalled(name: string): boolean {
  return existsSync(join(ROOT, 'node_modules', name.replace(/(?<=.)@.*$/, '')));
}

/** A flag is known when the sources of the script name it. */
function flagProblem(script: string, words: readonly string[]): string | null {
  const files = script.split(/\s+/).filter((word) => /^(scripts|bench)\/\S+\.mjs$/.test(word));
  const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const flags = words.filter((word) => /^--\w/.test(word)).map((word) => word.replace(/=.*$/, ''));
  const unknown = flags.filter((flag) => !sources.includes(flag) && !sources.includes(`'${flag.slice(2)}'`));
  return unknown.length === 0 ? null : `the script does not know ${unknown.join(', ')}`;
}
