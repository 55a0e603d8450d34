import type { ModelRequest } from '../../../src/model/model.ts';
import type { Options } from '../../../src/sdk/index.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import type { Script } from '../../../src/testing/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { engine, sdk } from '../built.ts';
import type { Place } from '../place.ts';

/** Something that a newcomer gets wrong. */
export interface Mistake {
  what: string;
  /** Makes the mistake; what it returns is awaited, and a run is read to its end. */
  make(place: Place): unknown;
  /**
   * All that the program hears of it, whole: `warns: …`, then `throws CODE: …` or `result: …` (of a result that is an
   * error). ROOT stands for the place of the test.
   */
  told: string[];
}

/** Options of the wrong kind, as JavaScript lets one write them. */
// biome-ignore lint/suspicious/noExplicitAny: what is wrong here is what types would catch
export type Wrong = any;

/** Asks an agent in a process of its own once. */
export function ask(place: Place, options: Wrong = {}): Promise<unknown> {
  return sdk.prompt('hello', { cwd: place.cwd, env: place.env, ...options });
}

/** The same of an engine in this process, whose model answers by the script. */
export async function askHere(
  { cwd }: Place,
  script: Script<ModelRequest>,
  { options = {}, engineOptions = {} }: { options?: Wrong; engineOptions?: Wrong } = {},
): Promise<unknown> {
  const made = engine.createEngine({ cwd, store: createMemoryStore(), model: scriptedModel(script), ...engineOptions });
  try {
    return await sdk.prompt('hello', { transport: engine.inProcess(made), ...(options as Options) });
  } finally {
    await made.close();
  }
}
