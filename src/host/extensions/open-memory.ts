import type { Attachment } from '../../agent/attachment.ts';
import { isAnyThere, type MemoryKind, memoryLocations, nestedLocations } from '../../config/memory/memory-locations.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { MemoryLoader } from './memory-loader.ts';
import type { InstructionsLoaded, LoadedMemory, MemoryOptions, SessionMemory, Touched } from './session-memory.ts';

/** Opens the memory of a session. It looks for files with every turn, and loads their reader with the first one. */
export function openMemory(options: MemoryOptions): SessionMemory {
  const { config, env, workspace, configHome } = options;
  const reads = (kind: MemoryKind) => config.settingSources === undefined || config.settingSources.includes(kind);
  const additional = isOn(env.CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD) ? workspace.roots.slice(1) : [];
  const roots = [workspace.cwd, ...additional];
  const locations = memoryLocations({ cwd: workspace.cwd, additional, configHome, userHome: env.HOME ?? '', reads });
  const touched = new Set<string>();
  const before: Attachment[] = [];
  let loaded: LoadedMemory | null = null;
  const listeners: ((loaded: InstructionsLoaded) => void)[] = [];
  const tell = (file: InstructionsLoaded) => {
    for (const listener of listeners) listener(file);
  };
  const takeTouched = (): Touched => {
    const files = [...touched];
    touched.clear();
    const nested = files.flatMap((trigger) =>
      roots
        .flatMap((root) => nestedLocations(trigger, root, reads))
        .filter((location) => isAnyThere([location]))
        .map((location) => ({ location, trigger })),
    );
    return { files, nested };
  };
  const isIdle = ({ nested }: Touched) => !loaded && before.length === 0 && nested.length === 0;
  const load = async () => {
    loaded ??= new MemoryLoader(locations, { ...options, onLoaded: (file) => tell(file) });
    for (const attachment of before.splice(0)) loaded.markReported(attachment);
    return loaded;
  };
  const memory: SessionMemory = {
    async pending() {
      const now = takeTouched();
      if (locations.length === 0 || (isIdle(now) && !isAnyThere(locations))) return null;
      return (await load()).pending(now);
    },
    async pendingNested() {
      const now = takeTouched();
      // Only a loaded memory has rules for some files.
      const isNothing = now.nested.length === 0 && (!loaded || now.files.length === 0);
      return isNothing ? null : (await load()).pendingNested(now);
    },
    markReported(attachment) {
      if (loaded) loaded.markReported(attachment);
      else before.push(attachment);
    },
    forget(why) {
      before.length = 0;
      loaded?.forget(why);
    },
    touch(paths) {
      if (locations.length > 0) for (const path of paths) touched.add(path);
    },
    files: () => loaded?.files() ?? [],
    async list() {
      const isNone = locations.length === 0 || (isIdle({ files: [], nested: [] }) && !isAnyThere(locations));
      return isNone ? [] : (await load()).list({ files: [], nested: [] });
    },
    onLoaded: (listener) => void listeners.push(listener),
  };
  return memory;
}
