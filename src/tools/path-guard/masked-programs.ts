import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { shellQuoted } from '../../util/text/shell-word.ts';
import type { Replacement } from './walls.ts';

/** A program that a rule forbids with every argument. */
export interface DeniedProgram {
  readonly name: string;
  /** The rule, as it is written, and its origin. */
  readonly rule: string;
}

/** Commands need a shell to run at all, and scripts need one to say that they were replaced. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'ash']);
/** One file that is many programs: to replace it would take all of them away. */
const MANY_IN_ONE = new Set(['busybox', 'toybox', 'coreutils', 'uutils']);

/**
 * The programs of these names on a PATH, each with a script in its place that names the rule. The scripts are made in
 * `directory`.
 */
export function maskedPrograms(
  programs: readonly DeniedProgram[],
  path: string | undefined,
  directory: string,
): Replacement[] {
  const folders = (path ?? '').split(':').filter(isAbsolute);
  return programs.flatMap((program) => {
    const places = new Set(folders.flatMap((folder) => realProgram(join(folder, program.name))));
    const found = [...places].filter((place) => !SHELLS.has(basename(place)) && !MANY_IN_ONE.has(basename(place)));
    if (found.length === 0) return [];
    const by = stubFor(program, directory);
    return found.map((place) => ({ path: place, by }));
  });
}

function realProgram(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function stubFor({ name, rule }: DeniedProgram, directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  const says = shellQuoted(`${name}: the rule ${rule} forbids this program`);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' ${says} >&2\nexit 126\n`, { mode: 0o755 });
  return path;
}
