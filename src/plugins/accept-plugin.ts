import { messageOf } from '../util/message-of.ts';
import { type Acts, newActs } from './acts.ts';
import { type Examined, examine, lineOf } from './examine.ts';
import { pluginAsRead } from './installed-list.ts';
import { pluginError, splitId } from './plugin-error.ts';
import { installedPlugins, isOfScope, type PluginHome, whileAlone } from './plugin-home.ts';
import { changeLock, linesFor, lockFile, readLock } from './plugin-lock.ts';

/** A plugin that is there, as another program has installed or changed it. */
export interface Acceptable {
  id: string;
  scope: string;
  folder: string;
  examined: Examined;
  /** What was accepted before. */
  before: Acts | null;
  /** What was not. */
  fresh: Acts | null;
  isAccepted: boolean;
}

/** The plugin as a session would find it. Throws `plugin_failed` when it is missing or cannot be checked. */
export function acceptable(home: PluginHome, id: string): Acceptable {
  const { name, marketplace } = splitId(id);
  if (marketplace === null) throw pluginError(`Name it with its marketplace: ${name}@MARKET`);
  try {
    const { folder, entry } = pluginAsRead(home, id);
    const examined = examine(folder, { name, entry });
    const records = (installedPlugins(home).get(id) ?? []).filter((record) => isOfScope(home, record.scope, record));
    const scope = (records.find((each) => each.scope !== 'user') ?? records[0])?.scope ?? 'user';
    const lines = linesFor(readLock(lockFile(home.configHome)).get(id), home.cwd);
    const same = lines.find((line) => line.integrity === examined.integrity);
    const before = lines.at(-1)?.acts ?? null;
    const fresh = newActs(before ?? NOTHING, examined.acts);
    return { id, scope, folder, examined, before, fresh, isAccepted: same !== undefined };
  } catch (error) {
    throw pluginError(`${id}: ${messageOf(error)}`, error);
  }
}

const NOTHING: Acts = { hooks: [], mcpServers: [], lspServers: [], bin: [], shell: [], allowedTools: [] };

/** From now on this content acts. */
export async function acceptPlugin(home: PluginHome, { id, scope, examined }: Acceptable): Promise<void> {
  const projectPath = scope === 'user' || scope === 'managed' ? {} : { projectPath: home.cwd };
  const line = lineOf(examined, { scope, ...projectPath, now: home.now() });
  await whileAlone(home, () =>
    changeLock(lockFile(home.configHome), id, (lines) => [
      ...lines.filter((each) => !isOfScope(home, scope, { ...each })),
      line,
    ]),
  );
}
