import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { put } from '../support/put.ts';
import type { Rig } from './rig.ts';

/** Both command lines work on one config home. */
function commandLines({ cli, ours, cwd, env }: Rig) {
  const quiet = { DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const run = async (program: string, args: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...env, ...quiet } });
    return JSON.parse(stdout) as unknown;
  };
  const theirs = (...args: string[]) => run(cli, ['plugin', ...args, '--json']);
  const here = (...args: string[]) => run(process.execPath, [ours, 'plugin', ...args, '--json']);
  return { theirs, here };
}

/** A marketplace in a folder, whose plugin has a hook. */
function makeShop({ cwd }: Rig): string {
  const shop = join(cwd, 'shop');
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] };
  const plugins = [{ name: 'kit', source: './kit', description: 'Knits', version: '1.0.0' }];
  put(join(shop, '.claude-plugin/marketplace.json'), { name: 'shop', owner: { name: 'me' }, plugins });
  put(join(shop, 'kit/commands/hello.md'), 'Hello');
  put(join(shop, 'kit/hooks/hooks.json'), { hooks });
  return shop;
}

type Row = Record<string, unknown>;

/** Without what only one of them says. */
function shared(rows: unknown): Row[] {
  return (rows as Row[]).map(({ state: _state, ...row }) => row);
}

export async function theirPlugin(rig: Rig): Promise<void> {
  const { theirs, here } = commandLines(rig);
  await theirs('marketplace', 'add', makeShop(rig));
  await theirs('install', 'kit@shop');
  deepStrictEqual(shared(await here('list')), shared(await theirs('list')));
  strictEqual(((await here('list')) as Row[])[0]?.state, 'unknown');
  await here('accept', '--yes', 'kit@shop');
  strictEqual(((await here('list')) as Row[])[0]?.state, 'accepted');
  await here('disable', 'kit');
  strictEqual(((await theirs('list')) as Row[])[0]?.enabled, false);
  await here('uninstall', 'kit');
  deepStrictEqual(await theirs('list'), []);
}

export async function ourPlugin(rig: Rig): Promise<void> {
  const { theirs, here } = commandLines(rig);
  await here('marketplace', 'add', makeShop(rig));
  await here('install', '--yes', 'kit@shop');
  deepStrictEqual(await here('marketplace', 'list'), await theirs('marketplace', 'list'));
  deepStrictEqual(shared(await theirs('list')), shared(await here('list')));
  match(JSON.stringify(await theirs('disable', 'kit@shop')), /"command":"disable","outcome":"ok","plugin":"kit@shop"/);
  strictEqual(((await here('list')) as Row[])[0]?.enabled, false);
  await theirs('uninstall', 'kit');
  deepStrictEqual(await here('list'), []);
  await theirs('marketplace', 'remove', 'shop');
  deepStrictEqual(await here('marketplace', 'list'), []);
}
