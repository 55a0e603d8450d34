import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { makePlace } from '../support/place.ts';
import { hasTmux, openPane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: what reaches a terminal is not tried end to end');

/** As a package would: on a signal, so that the test says when. */
const LOUD = `process.on('SIGUSR2', () => {
  process.emitWarning('warned by node');
  console.error('said on stderr');
  console.log('said on stdout');
});
`;

/** It writes to its stderr, and past it to the terminal, if there is one. */
const SERVER = `process.stderr.write('said by a server\\n');
try { require('node:fs').writeFileSync('/dev/tty', 'straight from a server'); } catch {}
process.stdin.resume();
`;

test.skipIf(!hasTmux)(
  '[TUI-97] warnings, the console, servers and commands reach the terminal only through us',
  async () => {
    const command = '(echo straight > /dev/tty) 2>/dev/null || echo no terminal here';
    const place = await makePlace([toolUse('Bash', { command }), 'done']);
    mkdirSync(place.cwd, { recursive: true });
    const loud = join(place.root, 'loud.cjs');
    const server = join(place.root, 'server.cjs');
    writeFileSync(loud, LOUD);
    writeFileSync(server, SERVER);
    const config = join(place.root, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { own: { command: process.execPath, args: [server] } } }));
    const flags = `--permission-mode bypassPermissions --mcp-config ${config}`;
    const pane = openPane(place, `"go" ${flags}`, { node: `--require ${loud}`, env: { MCP_TIMEOUT: '1000' } });
    await pane.sees('done');
    pane.keys('-l', 'a draft');
    await pane.sees('❯ a draft');
    process.kill(pane.pid(), 'SIGUSR2');
    await pane.sees(/! .*warned by node/);
    await pane.sees('! said on stderr');
    await pane.sees('! said on stdout');
    await pane.sees('❯ a draft');
    const shown = pane.shown();
    expect(shown).not.toContain('straight from');
    expect(shown).not.toMatch(/^straight/m);
    expect(shown).not.toMatch(/^said/m);
    expect(JSON.stringify(place.api.requests.at(-1)?.body)).toContain('no terminal here');
    pane.keys('C-u');
    pane.keys('-l', '/exit');
    pane.keys('Enter');
    await pane.isOver();
  },
);
