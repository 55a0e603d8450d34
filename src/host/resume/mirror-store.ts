import { join, relative } from 'node:path';
import { entryJson } from '../../sessions/files/entry-json.ts';
import type { SessionStore } from '../../sessions/store.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { Launch } from '../../wire/run-config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Env } from '../engine/environment.ts';
import type { Emit } from '../link/outbox.ts';

/** The smallest readers of our lines take frames of this size. A single larger entry gets a larger frame. */
const MAX_FRAME_CHARS = 500_000;

/** How a launch with `--session-mirror` opens its store. */
export interface Mirroring {
  /** The launch whose environment names the folder of the sessions. */
  launch: Launch;
  wrap(store: SessionStore | null): SessionStore | null;
}

/**
 * A mirroring host names the folder of the files with CLAUDE_CONFIG_DIR: it has put the session to resume there, and
 * accepts only transcript names below it. Hosts mirror files, so that a session without files is reported to them.
 */
export function mirroring(engine: Engine, launch: Launch, emit: Emit | undefined): Mirroring {
  const { config } = launch;
  const { log } = engine.runtime;
  const env = engine.envOf(launch);
  const place = env.CLAUDE_CONFIG_DIR ? { ...launch, env: { ...env, HEDDLE_HOME: undefined } } : launch;
  return {
    launch: place,
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
  /** The config home that holds the files. */
  home: string;
  env: Env;
  log: Logger;
}

/**
 * Wraps a store for a host that keeps a copy: sends a `transcript_mirror` line for each append, once the entries are on
 * disk and before any line about them.
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
      // The entries are on disk either way. The next message notices a reader that is gone.
      if (HeddleError.isInstance(error) && error.code === 'closed') return;
      log('warn', `Entries of ${path} could not be mirrored: ${messageOf(error)}`);
    }
  };
  // The store is wrapped, not spread: stores of embedding programs are often instances of classes.
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') return append;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The path of the file below the home that hosts of the reference expect: they recognise a transcript by it. */
function pathForHost(path: string, home: string, { CLAUDE_CONFIG_DIR, HOME }: Env): string {
  if (!isInside(home, path)) return path;
  const below = relative(home, path);
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
