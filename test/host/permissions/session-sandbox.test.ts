import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { SandboxSettings } from '../../../src/wire/sandbox-settings.ts';
import { describeSandboxed } from '../../support/sandbox.ts';
import { createHouse, resultsOf, tempDir } from '../support.ts';

const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
const withSandbox = (sandbox: SandboxSettings | JsonObject = {}) => ({
  settings: JSON.stringify({ sandbox: { enabled: true, ...sandbox } }),
  settingSources: [],
});
const asking = { permissionPromptTool: 'stdio' };

describe('a sandbox that cannot be had', () => {
  const nowhere = { PATH: '/no/such/directory' };

  test('[R-20, B-047] keeps the session from starting, and says what to install', async () => {
    const house = createHouse(['never'], { env: nowhere });
    const exit = await house.connect(withSandbox()).end();
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(
      /The sandbox cannot be used: bwrap is not installed: .*apt-get install bubblewrap socat/,
    );
    expect(house.model.requests).toEqual([]);
  });

  test('[B-047] is done without only where the settings say so, aloud', async () => {
    const house = createHouse(['fine'], { env: nowhere });
    const client = house.connect(withSandbox({ failIfUnavailable: false }));
    await client.ask('go');
    expect(client.of('system/init')[0]?.sandbox).toEqual({
      enabled: false,
      unavailable: expect.stringContaining('bwrap is not installed'),
    });
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('Commands run without it') });
  });

  test('a bwrap that does not work is found out at the start', async () => {
    const bin = tempDir();
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n');
    chmodSync(join(bin, 'bwrap'), 0o755);
    const { stderr } = await createHouse(['never'], { env: { PATH: bin } })
      .connect(withSandbox())
      .end();
    expect(stderr).toMatch(/No permissions to create new namespace. It needs user namespaces/);
  });

  test('nor one that does not confine', async () => {
    const bin = tempDir();
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
    chmodSync(join(bin, 'bwrap'), 0o755);
    const house = createHouse(['never'], { env: { PATH: bin } });
    const { stderr } = await house.connect(withSandbox()).end();
    expect(stderr).toContain('could write outside of it');
    expect(readdirSync(house.dir)).toEqual([]);
  });

  test('programs in the working directory are not used to make one', async () => {
    const house = createHouse(['never'], { env: nowhere });
    mkdirSync(join(house.dir, 'bin'));
    writeFileSync(join(house.dir, 'bin/bwrap'), '#!/bin/sh\n');
    chmodSync(join(house.dir, 'bin/bwrap'), 0o755);
    const client = house.connect(withSandbox(), { env: { PATH: join(house.dir, 'bin') } });
    expect((await client.end()).stderr).toContain('bwrap lies where commands may write');
  });
});

describe('the setting', () => {
  test('[R-18] of the wrong kind is an error at the start', async () => {
    const { stderr } = await createHouse(['never'])
      .connect(withSandbox({ enabled: 'yes' }))
      .end();
    expect(stderr).toContain('sandbox.enabled must be true or false');
    const domains = withSandbox({ network: { allowedDomains: ['https://x.test'] } });
    expect((await createHouse(['never']).connect(domains).end()).stderr).toContain(
      "host names (example.com, *.example.com), not 'https://x.test'",
    );
  });

  test('[K43] that is there but not enabled confines nothing; unknown keys are said', async () => {
    const house = createHouse(['fine']);
    const client = house.connect(withSandbox({ enabled: false, ripgrep: {}, filesystem: { denyReed: ['/x'] } }));
    await client.ask('go');
    expect(client.of('system/init')[0]?.sandbox).toEqual({ enabled: false });
    expect(house.logs.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        'The setting sandbox.ripgrep has no effect in this version',
        'The setting sandbox.filesystem.denyReed has no effect in this version. Did you mean denyRead?',
      ]),
    );
  });
});

describeSandboxed('a session with a sandbox', () => {
  test('[K43, SBX-02] says so, tells the model, and asks nobody for what runs inside', async () => {
    const house = createHouse([bash('touch in; touch ../out'), 'done']);
    const asked: JsonObject[] = [];
    const client = house.connect({ ...withSandbox(), ...asking }, { answer: (request) => void asked.push(request) });
    const { permission_denials } = await client.ask('go');
    expect(client.of('system/init')[0]?.sandbox).toEqual({
      enabled: true,
      provider: 'bubblewrap',
      network: 'off',
      allowed_hosts: [],
      unix_sockets: 'none',
      weaker: false,
      auto_allow: true,
      may_leave: false,
    });
    expect(asked.filter(({ subtype }) => subtype === 'can_use_tool')).toEqual([]);
    expect(permission_denials).toEqual([]);
    expect(existsSync(join(house.dir, 'in'))).toBe(true);
    expect(existsSync(join(house.dir, '../out'))).toBe(false);
    expect(JSON.stringify(house.model.requests[0])).toContain('Commands run in a sandbox');
  });

  test('asks where it shall not stand in for that, and in plan mode', async () => {
    const house = createHouse([bash('touch in'), 'no', bash('touch in'), 'no']);
    expect(
      (await house.connect(withSandbox({ autoAllowBashIfSandboxed: false })).ask('go')).permission_denials,
    ).toHaveLength(1);
    expect(
      (await house.connect({ ...withSandbox(), permissionMode: 'plan' }).ask('go')).permission_denials,
    ).toHaveLength(1);
    expect(existsSync(join(house.dir, 'in'))).toBe(false);
  });

  test('[SBX-03] excluded commands run outside, and need permission', async () => {
    const bin = tempDir();
    const house = createHouse(
      (_request, index) => [bash('docker run x'), bash('docker run x | cat'), 'done'][index % 3] ?? '',
      {
        env: { PATH: `${bin}:${process.env.PATH}` },
      },
    );
    const mark = join(house.dir, '..', 'docker-ran');
    writeFileSync(join(bin, 'docker'), `#!/bin/sh\ntouch ${mark} && echo outside\n`);
    chmodSync(join(bin, 'docker'), 0o755);
    const settings = withSandbox({ excludedCommands: ['docker'] });
    const denied = await house.connect(settings).ask('go');
    expect(denied.permission_denials).toMatchObject([{ tool_input: { command: 'docker run x' } }]);
    expect(existsSync(mark)).toBe(false);
    const client = house.connect({ ...settings, allowedTools: ['Bash(docker:*)'] });
    await client.ask('go');
    const [outside, inside] = resultsOf(client.lines);
    expect(outside?.content).toBe('outside');
    expect(inside?.content).not.toContain('outside');
  });

  const wantsOut = bash('touch ../out && echo left', { dangerouslyDisableSandbox: true });

  test('[SBX-04, SBX-12, PRM-17] a command that wants out is asked for, even where Bash is allowed', async () => {
    const house = createHouse([wantsOut, 'done', wantsOut, 'done']);
    const asked: JsonObject[] = [];
    const answer = (request: JsonObject) => {
      asked.push(request);
      return { behavior: 'allow' };
    };
    const config = { ...withSandbox({ allowUnsandboxedCommands: true }), ...asking, allowedTools: ['Bash'] };
    const client = house.connect(config, { answer });
    await client.ask('go');
    expect(asked).toMatchObject([
      {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        input: { dangerouslyDisableSandbox: true },
        decision_reason: expect.stringContaining('outside of the sandbox'),
      },
    ]);
    expect(resultsOf(client.lines)[0]?.content).toBe('left');
    expect(existsSync(join(house.dir, '../out'))).toBe(true);
    const headless = {
      ...withSandbox({ allowUnsandboxedCommands: true }),
      permissionMode: 'bypassPermissions' as const,
    };
    expect((await house.connect(headless).ask('go')).permission_denials).toHaveLength(1);
  });

  test('[SBX-04, K43] is refused where that is not permitted, also when the host sets the flag', async () => {
    const house = createHouse([wantsOut, 'done', bash('touch ../out'), 'done']);
    const asked: JsonObject[] = [];
    const client = house.connect({ ...withSandbox(), ...asking }, { answer: (request) => void asked.push(request) });
    await client.ask('go');
    expect(resultsOf(client.lines)[0]).toMatchObject({
      is_error: true,
      content: expect.stringContaining('dangerouslyDisableSandbox is not permitted here'),
    });
    expect(asked).toEqual([]);
    const answer = ({ input }: JsonObject) => ({
      behavior: 'allow',
      updatedInput: { ...(input as object), dangerouslyDisableSandbox: true },
    });
    const changing = house.connect({ ...withSandbox({ autoAllowBashIfSandboxed: false }), ...asking }, { answer });
    await changing.ask('go');
    expect(resultsOf(changing.lines)[0]).toMatchObject({ content: expect.stringContaining('not permitted here') });
    expect(existsSync(join(house.dir, '../out'))).toBe(false);
  });

  test('leaves nothing behind when it ends', async () => {
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = tempDir();
    try {
      const house = createHouse([bash('touch x /tmp/y'), 'done']);
      const client = house.connect(withSandbox({ network: { allowedDomains: ['localhost'] } }));
      await client.ask('go');
      expect(readdirSync(tmpdir()).join()).toContain('heddle-sandbox-');
      await client.end();
      expect(readdirSync(tmpdir()).join()).not.toContain('heddle-sandbox-');
      expect(readdirSync(house.dir)).toEqual(['x']);
    } finally {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
    }
  });
});
