import type { Attachment } from '../agent/attachment.ts';
import { isAnyThere, type MemoryKind, memoryPlaces, nestedPlaces } from '../config/memory-places.ts';
import type { Workspace } from '../tools/workspace.ts';
import { isOn } from '../util/setting-text.ts';
import type { RunConfig } from '../wire/run-config.ts';
import type { Env } from './home.ts';
import type { InstructionsLoaded, LoadedMemory, Touched } from './loaded-memory.ts';

/** The memory files of a session: `AGENTS.md`, `CLAUDE.md`, rules and what they import (docs/memory.md). */
export interface SessionMemory {
  /** What of them the model does not know yet, or knows otherwise; null when there is nothing. */
  news(): Promise<Attachment | null>;
  /** Only what came up below the working directory since it was last asked; all else waits for the next turn. */
  nestedNews(): Promise<Attachment | null>;
  /** The model has been told this, now or in a past that is gone on with. */
  told(attachment: Attachment): void;
  /** The model knows of none any more: a summary has replaced the conversation, or another one begins. */
  forget(why: 'compact' | 'restart'): void;
  /** A tool names these files: what their directories have to say is told with the next request. */
  touch(paths: readonly string[]): void;
  /** The files in force, as they were last read. */
  files(): { path: string; type: MemoryKind }[];
  /** The same in full, as they are now; the rules that wait for a file among them. */
  list(): Promise<ListedMemory[]>;
  /** Called for every file that the model was told of: the seam for InstructionsLoaded hooks. */
  onLoaded: (loaded: InstructionsLoaded) => void;
}

/** A memory file, and why it counts. */
export interface ListedMemory {
  path: string;
  kind: MemoryKind;
  /** Of what the model is told; null: it is a rule for files of which none was worked on. */
  bytes: number | null;
  /** The files that a rule is for. */
  globs?: readonly string[] | undefined;
  importedBy?: string | undefined;
  /** The file that was worked on. */
  trigger?: string | undefined;
}

export interface MemoryOptions {
  config: RunConfig;
  env: Env;
  configHome: string | null;
  workspace: Workspace;
  /** Tells which files no rule hides. Not to be kept beyond one reading. */
  readFilter(): Promise<(path: string) => boolean>;
  /** Globs of absolute paths that are left out (`claudeMdExcludes`). */
  excludes(): readonly string[];
  warn(text: string): void;
}

/** Most sessions have no memory files: they look for some with every turn, and load nothing for it. */
export function openMemory(options: MemoryOptions): SessionMemory {
  const { config, env, workspace, configHome } = options;
  const reads = (kind: MemoryKind) => config.settingSources === undefined || config.settingSources.includes(kind);
  const additional = isOn(env.CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD) ? workspace.roots.slice(1) : [];
  const roots = [workspace.cwd, ...additional];
  const places = memoryPlaces({ cwd: workspace.cwd, additional, configHome, userHome: env.HOME ?? '', reads });
  const touched = new Set<string>();
  const before: Attachment[] = [];
  let loaded: LoadedMemory | null = null;
  const takeTouched = (): Touched => {
    const files = [...touched];
    touched.clear();
    const nested = files.flatMap((trigger) =>
      roots
        .flatMap((root) => nestedPlaces(trigger, root, reads))
        .filter((place) => isAnyThere([place]))
        .map((place) => ({ place, trigger })),
    );
    return { files, nested };
  };
  const isIdle = ({ nested }: Touched) => !loaded && before.length === 0 && nested.length === 0;
  const load = async () => {
    const { createLoadedMemory } = await import('./loaded-memory.ts');
    loaded ??= createLoadedMemory(places, { ...options, onLoaded: (file) => memory.onLoaded(file) });
    for (const attachment of before.splice(0)) loaded.told(attachment);
    return loaded;
  };
  const memory: SessionMemory = {
    async news() {
      const now = takeTouched();
      if (places.length === 0 || (isIdle(now) && !isAnyThere(places))) return null;
      return (await load()).news(now);
    },
    async nestedNews() {
      const now = takeTouched();
      // Rules for some files are known to a memory that is loaded.
      const isNothing = now.nested.length === 0 && (!loaded || now.files.length === 0);
      return isNothing ? null : (await load()).nestedNews(now);
    },
    told(attachment) {
      if (loaded) loaded.told(attachment);
      else before.push(attachment);
    },
    forget(why) {
      before.length = 0;
      loaded?.forget(why);
    },
    touch(paths) {
      if (places.length > 0) for (const path of paths) touched.add(path);
    },
    files: () => loaded?.files() ?? [],
    async list() {
      const isNone = places.length === 0 || (isIdle({ files: [], nested: [] }) && !isAnyThere(places));
      return isNone ? [] : (await load()).list({ files: [], nested: [] });
    },
    onLoaded: () => {},
  };
  return memory;
}
