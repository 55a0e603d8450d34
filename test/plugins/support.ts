import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeSettingsFile } from '../../src/host/launch/change-settings-file.ts';
import { installPlugin } from '../../src/plugins/install-plugin.ts';
import { addMarketplace, type PluginStore } from '../../src/plugins/marketplaces.ts';
import type { PluginHome } from '../../src/plugins/plugin-home.ts';
import { findListed, type PreparedPlugin, preparePlugin } from '../../src/plugins/prepare-install.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createProcesses } from '../../src/util/process/process.ts';
import { silentLogger } from '../../src/util/system-runtime.ts';
import { afterTest } from '../support/after-test.ts';
import { put } from '../support/put.ts';

/** A config home, a project, and a folder for what is fetched. */
export interface Rig {
  base: string;
  home: PluginHome;
  store: PluginStore;
  /** A file of the plugins' folder, as JSON. */
  file(name: string): JsonObject;
  /** A marketplace in a directory, with one plugin `kit` of these files. */
  shop(files: Record<string, string>, entry?: JsonObject): string;
  /** Adds a marketplace and prepares its plugin `kit`. */
  prepare(source: JsonObject): Promise<PreparedPlugin>;
  install(id?: string, scope?: string): Promise<PreparedPlugin>;
}

export function createRig(): Rig {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-plugins-')));
  afterTest(() => rmSync(base, { recursive: true, force: true }));
  const configHome = join(base, 'home');
  const cwd = join(base, 'project');
  mkdirSync(cwd);
  const processes = createProcesses({ log: silentLogger });
  afterTest(() => processes.close());
  const home: PluginHome = { configHome, cwd, userHome: base, now: () => 1_800_000_000_000 };
  const env = { PATH: process.env.PATH, HOME: base, npm_config_cache: join(base, 'npm-cache') };
  const store: PluginStore = {
    home,
    tools: { env, run: processes.run, fetch, signal: new AbortController().signal, report() {} },
    changeSettings: (scope, change) => changeSettingsFile(scope, { cwd, configHome }, change),
  };
  const prepareIt = (id: string, scope: string) => preparePlugin(store, findListed(home, id), scope);
  return {
    base,
    home,
    store,
    file: (name) => JSON.parse(readFileSync(join(configHome, name), 'utf8')) as JsonObject,
    shop(files, entry = {}) {
      const root = join(base, 'shop');
      const plugins = [{ name: 'kit', source: './kit', ...entry }];
      put(join(root, '.claude-plugin/marketplace.json'), { name: 'shop', owner: { name: 'me' }, plugins });
      for (const [name, text] of Object.entries(files)) put(join(root, 'kit', name), text);
      return root;
    },
    async prepare(source) {
      await addMarketplace(store, source, 'user');
      const prepared = await prepareIt('kit@shop', 'user');
      afterTest(prepared.drop);
      return prepared;
    },
    async install(id = 'kit@shop', scope = 'user') {
      const prepared = await prepareIt(id, scope);
      await installPlugin(store, prepared);
      prepared.drop();
      return prepared;
    },
  };
}

/** A hook that runs a command when a turn ends. */
export const stopHook = (command: string) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });

/** Runs git for the test itself; resolves with its output. */
export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_GLOBAL: '/dev/null' },
  }).trim();
}

/** Makes a repository of a folder; resolves with the commit. */
export function commitAll(folder: string): string {
  if (!existsSync(join(folder, '.git'))) git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'x', '--allow-empty');
  return git(folder, 'rev-parse', 'HEAD');
}

/** The paths of all files below a folder, without those of git. */
export function treeOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.includes('.git/') && statSync(join(folder, path)).isFile())
    .sort();
}
