import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './root.ts';

/** The built library, as programs import it: `heddle` and `heddle/engine`. */
export const sdk = await load<typeof import('../../src/sdk/index.ts')>('dist/index.js');
export const engine = await load<typeof import('../../src/host/index.ts')>('dist/engine.js');

async function load<Module>(file: string): Promise<Module> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(ROOT, file)).href)) as Module;
}
