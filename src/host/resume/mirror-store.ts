import { join, relative } from 'node:path';
import { entryJson } from '../sessions/entry-json.ts';
import type { SessionStore } from '../sessions/store.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { Launch } from '../wire/run-config.ts';
import type { Engine } from './engine.ts';
import type { Env } from './home.ts';
import type { Emit } from './voice.ts';

/** Frames stay below what the smallest readers of our lines take (ruling K34), unless one entry alone is larger. */
const MAX_FRAME_CHARS = 500_000;

/** What a launch with `--session-mirror` does otherwise. */
export interface Mirroring {
  /** The launch by which the place of its sessions is found. */
  place: Launch;
  wrap(store: SessionStore | null): SessionStore | null;
}

/**
 * A host that mirrors says with CLAUDE_CONFIG_DIR where it wants the files to be: it has put what is to be resumed there,
 * and takes names of transcripts for its own only below it. Hosts mirror files: where there are none, they have to know.
 */
export function mirroring(engine: Engine, launch: Launch, emit: Emit | undefined): Mirroring {
  const { config } = launch;
  const { log } = engine.runtime;
  const env = engine.envOf(launch);
  const place = env.CLAUDE_CONFIG_DIR ? { ...launch, env: { ...env, HEDDLE_HOME: undefined } } : launch;
  return {
    place,
    wrap(store) {
      if (store?.locate && engine.hasOwnStore && !config.noSessionPersistence) {
        const isHeard = emit !== undefined && config.outputFormat === 'stream-json';
        return isHeard ? mirroredStore(store, { emit, home: engine.homeOf(place), env, log }) : store;
      }
      log('warn', '--session-mirror has no effect: this session is not kept in a file');
      return store;
    },
  };
}

interface MirrorOptions {
  emit: Emit;
  /** The config home that the files are in. */
  home: string;
  env: Env;
  log: Logger;
}

/**
 * The same store, which tells the host of everything that it has taken, for hosts that keep a copy (ruling K48): a
 * `transcript_mirror` line for each append, when it is on disk and before anything that is said of it.
 */
function mirroredStore(store: SessionStore, { emit, home, env, log }: MirrorOptions): SessionStore {
  const append: SessionStore['append'] = async (key, entries, options) => {
    await store.append(key, entries, options);
    const path = store.locate?.(key);
    if (path === undefined) return;
    const filePath = pathForHost(path, home, env);
    try {
      for (const group of groupsOf(entries)) {
        await emit({ type: 'transcript_mirror', filePath, entries: group } as Message);
      }
    } catch (error) {
      // What was to be mirrored is on disk all the same. A reader that is gone is noticed with the next message.
      if (HeddleError.isInstance(error) && error.code === 'closed') return;
      log('warn', `Entries of ${path} could not be mirrored: ${messageOf(error)}`);
    }
  };
  // Not a copy of its properties: stores of programs are often instances of classes.
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Where the file would be if the home were the one that hosts of the reference count on: they know a transcript by that. */
function pathForHost(path: string, home: string, { CLAUDE_CONFIG_DIR, HOME }: Env): string {
  const below = relative(home, path);
  if (below.startsWith('..')) return path;
  if (CLAUDE_CONFIG_DIR) return join(CLAUDE_CONFIG_DIR, below);
  return HOME ? join(HOME, '.claude', below) : path;
}

function* groupsOf(entries: readonly Entry[]): Generator<Entry[], void> {
  let group: Entry[] = [];
  let size = 0;
  for (const entry of entries) {
    const chars = entryJson(entry).length;
    if (group.length > 0 && size + chars > MAX_FRAME_CHARS) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(entry);
    size += chars;
  }
  if (group.length > 0) yield group;
}
