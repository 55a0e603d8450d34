// What a session pays to see that installed plugins are what was accepted: per plugin with 40 files, CPU where sizes and
// times are as recorded, and per MB where the content must be read. One process, the median of many rounds.
import fs from 'node:fs';
import path from 'node:path';
import { loadSources } from '../scripts/lib/load-sources.mjs';

const PLUGINS = 20;
const FILES = 40;
const BYTES = 4096;
const ROUNDS = 15;

const { integrityOf, standingOf } = await loadSources(
  `export { integrityOf } from './src/plugins/integrity.ts'; export { standingOf } from './src/plugins/plugin-lock.ts';`,
);
const base = path.join(process.cwd(), 'plugin-check');
const folders = Array.from({ length: PLUGINS }, (_, at) => furnish(path.join(base, `kit-${at}`)));
const acts = { hooks: [], mcpServers: [], lspServers: [], bin: [], shell: [], allowedTools: [] };
const lines = folders.map((folder) => ({ scope: 'user', acts, ...integrityOf(folder) }));
const unstamped = lines.map(({ stamp, ...line }) => line);
const megabytes = (PLUGINS * FILES * BYTES) / 1024 / 1024;
const perPluginMs = measure(lines) / PLUGINS;
const perMegabyteMs = measure(unstamped) / megabytes;
fs.rmSync(base, { recursive: true });
console.log(JSON.stringify({ perPluginMs, perMegabyteMs }));

/** CPU milliseconds of one check of all plugins. */
function measure(accepted) {
  const spent = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (const [at, folder] of folders.entries()) {
      if (!standingOf(folder, [accepted[at]]).line) throw new Error(`${folder} does not count as accepted`);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return spent.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

function furnish(folder) {
  for (let at = 0; at < FILES; at++) {
    const file = path.join(folder, 'skills', `s${at % 8}`, `f${at}.md`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${at}`.padEnd(BYTES, 'x'));
  }
  return folder;
}
