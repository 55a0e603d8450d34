import type { Engine } from '../../host/engine/engine.ts';

/**
 * Reads what a session may still need. Nobody watches it: it must not end because of an upgrade, after which code that is
 * loaded late is gone, or another version's.
 *
 * The build reads all bundles before this module runs (`scripts/lib/outputs.mjs`). The function itself reads the parser of
 * commands, which lies outside of them, and what most sessions use of the rest.
 */
export async function readWholeProgram({ readCommand, runtime }: Engine): Promise<void> {
  try {
    await import('../../host/control/control-table.ts');
    await import('../../host/link/read-permission-answer.ts');
    await readCommand(EVERY_KIND_OF_WORD);
  } catch (error) {
    runtime.log('debug', `Not all code could be loaded: ${error}`);
  }
}

const EVERY_KIND_OF_WORD = 'for each in "$@"; do true "$(false)"; done';
