import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';
import { temporaryDirectory } from '../drafts/support.ts';

const init = (session_id: string): JsonObject => ({
  ...{ type: 'system', subtype: 'init', session_id, cwd: '/project', model: 'a-model', permissionMode: 'default' },
  ...{ tools: [], mcp_servers: [], slash_commands: ['clear', 'compact', 'review'], agents: ['reviewer'] },
});

const earlier = (display: string, project = '/project', sessionId = 'old'): string =>
  `${JSON.stringify({ display, pastedContents: {}, timestamp: 1, project, sessionId })}\n`;

function draftsIn(home: string): string[] {
  const folder = join(home, 'drafts');
  // A file that is being written has another name until it is whole.
  const whole = existsSync(folder) ? readdirSync(folder).filter((name) => /^[\w-]+\.json$/.test(name)) : [];
  return whole.map((name) => readFileSync(join(folder, name), 'utf8'));
}

const sentTexts = (received: readonly JsonObject[]) =>
  received.flatMap(({ type, message }) => (type === 'user' ? [(message as { content: unknown }).content] : []));

test('[TUI-32] a prompt is in the history file before it is on the wire', async () => {
  const home = temporaryDirectory();
  const { terminal, received } = await openTerminal({ home });
  const inFile: string[] = [];
  const push = received.push.bind(received);
  received.push = (...lines) => {
    if (lines.some(({ type }) => type === 'user')) inFile.push(readFileSync(join(home, 'history.jsonl'), 'utf8'));
    return push(...lines);
  };
  terminal.type('keep me\r');
  await vi.waitFor(() => expect(inFile).toHaveLength(1));
  expect(JSON.parse(inFile[0] ?? '')).toMatchObject({
    ...{ display: 'keep me', project: '/project', sessionId: 'the-session' },
  });
});

test('up walks through earlier prompts of the directory; ctrl+r searches, and shows where', async () => {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'history.jsonl'), earlier('fix the parser') + earlier('fix the door', '/elsewhere'));
  const { terminal, sees } = await openTerminal({ home });
  await vi.waitFor(async () => {
    terminal.type('\x1b[A');
    expect(await terminal.shown()).toContain('❯ fix the parser');
  }, 5000);
  terminal.type('\x03');
  terminal.type('\x12');
  await sees(/search this directory: .*ctrl\+s: everywhere/);
  terminal.type('fix');
  expect(await sees(/search this directory: fix {3}1 of 1/)).toContain('❯ fix the parser');
  terminal.type('\x13');
  await sees(/search everywhere: fix {3}1 of 2/);
  terminal.type('\x12');
  expect(await sees(/search everywhere: fix {3}2 of 2/)).toContain('❯ fix the door');
  terminal.type('\x1b');
  await vi.waitFor(async () => expect(await terminal.shown()).not.toContain('search everywhere'), 5000);
  expect(await terminal.shown()).toContain('❯ fix the door');
});

test('[TUI-32] a draft is on disk while it is written, and gone when it is sent', async () => {
  const home = temporaryDirectory();
  const { terminal, received } = await openTerminal({ home });
  terminal.type('half a thought');
  await vi.waitFor(() => expect(draftsIn(home)).toEqual([expect.stringContaining('half a thought')]), 5000);
  terminal.type('\r');
  await vi.waitFor(() => expect(sentTexts(received)).toEqual(['half a thought']));
  await vi.waitFor(() => expect(draftsIn(home)).toEqual([]), 5000);
});

test('[TUI-32] the draft of a terminal that died is back, with the prompts that waited', async () => {
  const home = temporaryDirectory();
  const first = await openTerminal({ home });
  first.terminal.type('begin\r');
  await first.sees('❯ begin');
  first.terminal.type('and the tests\r');
  first.terminal.type('then al');
  await vi.waitFor(() => expect(draftsIn(home)).toEqual([expect.stringMatching(/then al.*and the tests/)]), 5000);
  // The other terminal is as good as dead: nobody has left it.
  const second = await openTerminal({ home });
  expect(await second.sees('❯ and the tests')).toContain('then al');
  expect(await second.sees('The draft of the earlier terminal is back')).toContain('then al');
  expect(sentTexts(second.received)).toEqual([]);
});

test('the draft is that of the session that the lines tell', async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'drafts'));
  writeFileSync(join(home, 'drafts', 'resumed.json'), JSON.stringify({ display: 'left here', queued: [] }));
  const { send, sees } = await openTerminal({ home });
  await send(init('resumed'));
  await sees('❯ left here');
});

test('without history nothing is stored, and nothing is read', async () => {
  const home = temporaryDirectory();
  writeFileSync(join(home, 'history.jsonl'), earlier('fix the parser'));
  const { terminal, received } = await openTerminal({ home, isKept: false });
  terminal.type('\x1b[A');
  terminal.type('a secret\r');
  await vi.waitFor(() => expect(sentTexts(received)).toEqual(['a secret']));
  expect(readFileSync(join(home, 'history.jsonl'), 'utf8')).not.toContain('secret');
  expect(draftsIn(home)).toEqual([]);
});

test('terminal.history of the settings turns history and drafts off', async () => {
  const home = temporaryDirectory();
  const settings = { terminal: { history: false, escEsc: 'never' } };
  const answers = { get_settings: () => ({ sources: [{ source: 'userSettings', settings }] }) };
  const { terminal, received, sees } = await openTerminal({ home, answers });
  await sees('Settings: terminal.escEsc must be "tree"');
  terminal.type('a secret\r');
  await vi.waitFor(() => expect(sentTexts(received)).toEqual(['a secret']));
  expect(existsSync(join(home, 'history.jsonl'))).toBe(false);
});

test('[TUI-51] the menu of commands: filter, hint, and enter runs only what is meant', async () => {
  const { terminal, send, sees, received } = await openTerminal();
  await send(init('s'));
  terminal.type('/');
  await sees(/▸ \/\w+/);
  terminal.type('mod');
  const shown = await sees(/▸ \/mode /);
  expect(shown).toMatch(/\/model +\[name\]/);
  terminal.type('e');
  terminal.type('l');
  await sees(/▸ \/model +\[name\]/);
  terminal.type('\t');
  await sees(/❯ \/model {2}\[name\]/);
  terminal.type('\x15');
  // Its description has the word: enter does not take it for the command.
  terminal.type('/window');
  await sees(/▸ \/context/);
  terminal.type('\r');
  await sees('There is no /window here');
  expect(sentTexts(received)).toEqual([]);
  expect(JSON.stringify(received)).not.toContain('get_context_usage');
});

test('[TUI-52] the menu of files asks for what is written, and takes a choice with quotes', async () => {
  const asked: unknown[] = [];
  const answers = {
    file_suggestions: ({ query }: JsonObject) => {
      asked.push(query);
      return {
        suggestions: [
          { path: 'src/a b.ts', positions: [4] },
          { path: 'src/\rc.ts' },
          { path: 'src/', is_directory: true },
        ],
      };
    },
  };
  const { terminal, send, sees } = await openTerminal({ answers });
  await send(init('s'));
  terminal.type('see @a');
  expect(await sees(/▸ src\/a b\.ts/)).not.toContain('c.ts');
  expect(asked.at(-1)).toBe('a');
  terminal.type('\t');
  await sees('❯ see @"src/a b.ts"');
  terminal.type('@rev');
  await sees(/agent-reviewer/);
});

test('[TUI-96] a paste sends nothing, whatever is in it', async () => {
  const { terminal, sees, received } = await openTerminal();
  terminal.type('\x1b[200~!rm -rf x\r/exit\r\x1b[201~');
  await sees(/! rm -rf x[\s\S]*\/exit/);
  expect(sentTexts(received)).toEqual([]);
});

test('[TUI-55] keybindings.json is in force, is read again when it changes, and a wrong one changes nothing', async () => {
  const home = temporaryDirectory();
  const path = join(home, 'keybindings.json');
  const bind = (keys: string) =>
    JSON.stringify({ bindings: [{ context: 'Chat', bindings: { [keys]: 'history:search' } }] });
  writeFileSync(path, bind('ctrl+y'));
  const { terminal, sees, app } = await openTerminal({ home });
  const later = (ms: number) => vi.spyOn(app, 'now').mockReturnValue(Date.now() + ms);
  terminal.type('\x19');
  await sees('search this directory');
  terminal.type('\x1b');
  await sees('? for keys');
  writeFileSync(path, bind('ctrl+y ctrl+y'));
  later(5000);
  terminal.type('\x19');
  await sees('ctrl+y …');
  terminal.type('\x19');
  await sees('search this directory');
  terminal.type('\x1b');
  await sees('? for keys');
  appendFileSync(path, 'x');
  later(10_000);
  terminal.type('\x19');
  await sees(/keybindings\.json, line 1: it is\s+no JSON/);
  await sees('ctrl+y …');
});

test('terminal.onInterrupt: what waits is sent after an interrupt', async () => {
  const settings = { terminal: { onInterrupt: 'send' } };
  const answers = { get_settings: () => ({ sources: [{ source: 'userSettings', settings }] }) };
  const { terminal, received, sees } = await openTerminal({ answers });
  terminal.type('one\r');
  await sees('waiting for the model');
  terminal.type('\x1b');
  const interrupts = () =>
    received.flatMap(({ request }) => ((request as JsonObject)?.subtype === 'interrupt' ? [request] : []));
  await vi.waitFor(() => expect(interrupts()).toEqual([{ subtype: 'interrupt', cancel_queued: false }]));
});

test('! runs a command over the wire, and Escape withdraws it', async () => {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { terminal, received, sees, send } = await openTerminal({ holds: { shell_command: held } });
  const requests = (subtype: string) =>
    received.flatMap(({ request }) => ((request as JsonObject)?.subtype === subtype ? [request] : []));
  terminal.type('!npm test');
  await sees('! npm test');
  terminal.type('\r');
  await sees(/! npm test · runs · esc stops it/);
  expect(requests('shell_command')).toEqual([{ subtype: 'shell_command', command: 'npm test', should_query: false }]);
  terminal.type('\x1b');
  await sees('! npm test: stopped');
  expect(received).toContainEqual(expect.objectContaining({ type: 'control_cancel_request' }));
  await send(
    { type: 'user', uuid: 'a', message: { role: 'user', content: '<bash-input>npm test</bash-input>' } },
    {
      type: 'user',
      uuid: 'b',
      message: { role: 'user', content: '<bash-stdout>3 passed</bash-stdout><bash-stderr></bash-stderr>' },
    },
  );
  await sees('3 passed');
  end();
});

test('[TUI-32] a session that is continued says which one it is, before its first turn: its draft is back', async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'drafts'));
  writeFileSync(join(home, 'drafts', 'resumed.json'), JSON.stringify({ display: 'left here', queued: [] }));
  const answers = { session_messages: () => ({ messages: [{ type: 'user', session_id: 'resumed' }], total: 1 }) };
  const { sees } = await openTerminal({ home, sessionId: null, answers });
  await sees('❯ left here');
});

test('[TUI-96] on a terminal that does not bracket pastes, many characters at once send nothing', async () => {
  const { terminal, sees, received } = await openTerminal({ env: { TERM: 'linux' } });
  terminal.type('the first line\rthe second line\r');
  await sees(/the first line\s+the second line/);
  expect(sentTexts(received)).toEqual([]);
});

test('@ completes the resources of MCP servers; one that no mention can express is left out', async () => {
  const resources = [
    { server: 'docs', uri: 'file:///guide', name: 'Guide', description: 'How to begin' },
    { server: 'docs', uri: 'file:///a b', name: 'With a blank' },
    { server: 'docs', uri: 'file:///\u202egnp', name: 'Backwards' },
  ];
  const { terminal, sees, received } = await openTerminal({ answers: { mcp_list_resources: () => ({ resources }) } });
  terminal.type('read @doc');
  const shown = await sees(/docs:file:\/\/\/guide +How to begin/);
  expect(shown).not.toMatch(/blank|Backwards/);
  terminal.type('\t');
  await sees('read @docs:file:///guide');
  terminal.type('\r');
  await vi.waitFor(() => expect(sentTexts(received)).toEqual(['read @docs:file:///guide ']));
  expect(JSON.stringify(received).split('"mcp_list_resources"')).toHaveLength(2);
});
