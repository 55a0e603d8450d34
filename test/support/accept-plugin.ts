import { examine, lineOf } from '../../src/plugins/examine.ts';
import { changeLock, lockFile } from '../../src/plugins/plugin-lock.ts';
import type { JsonObject } from '../../src/util/json.ts';

/** Accepts a plugin as it is now, as `heddle plugin accept` does. */
export async function acceptPlugin(home: string, folder: string, entry: JsonObject | null = null): Promise<void> {
  const examined = examine(folder, { name: 'kit', entry });
  const line = lineOf(examined, { scope: 'user', now: 0 });
  await changeLock(lockFile(home), 'kit@shop', () => [line]);
}
