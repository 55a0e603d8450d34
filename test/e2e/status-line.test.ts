import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hang } from '../../src/testing/index.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';
import { hasTmux, openPane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: the terminal is not tried end to end');
const inTmux = test.skipIf(!hasTmux);

function useStatusLine(folder: string, command: string, more: JsonObject = {}): void {
  mkdirSync(folder, { recursive: true });
  const statusLine = { type: 'command', command, ...more };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ statusLine }));
}

function script(place: Place, name: string, text: string): string {
  const path = join(place.root, name);
  writeFileSync(path, text);
  return path;
}

const ask = { subtype: 'status_line', columns: 90, rows: 30 };

test('[TUI-80] the command reads the JSON of the reference, in the directory of the session, without credentials', async () => {
  const place = await makePlace(['Done.']);
  const seen = join(place.root, 'seen');
  useStatusLine(place.home, `cat > ${seen}; env > ${seen}.env; pwd > ${seen}.cwd; echo a line`, { padding: 2 });
  const cli = startCli(STREAM_BOTH, { place, env: { ANTHROPIC_API_KEY: 'sk-status-line-secret' } });
  expect(await cli.control(ask)).toMatchObject({
    response: { configured: true, output: 'a line\n', exit_code: 0, padding: 2 },
  });
  const early = JSON.parse(readFileSync(seen, 'utf8'));
  expect(early.context_window).toMatchObject({ used_percentage: null, current_usage: null });
  cli.say('go');
  await cli.next(({ type }) => type === 'result');
  await cli.control({ ...ask, vim_mode: 'NORMAL' });
  const cwd = realpathSync(place.cwd);
  const input = JSON.parse(readFileSync(seen, 'utf8'));
  expect(input).toMatchObject({
    hook_event_name: 'Status',
    session_id: early.session_id,
    cwd,
    model: { id: expect.any(String), display_name: expect.stringMatching(/^[A-Z][a-z]+ \d/) },
    workspace: { current_dir: cwd, project_dir: cwd, added_dirs: [] },
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    output_style: { name: 'default' },
    cost: {
      total_cost_usd: expect.any(Number),
      total_duration_ms: expect.any(Number),
      total_api_duration_ms: expect.any(Number),
      total_lines_added: 0,
      total_lines_removed: 0,
    },
    context_window: { context_window_size: expect.any(Number), used_percentage: expect.any(Number) },
    exceeds_200k_tokens: false,
    thinking: { enabled: false },
    vim: { mode: 'NORMAL' },
    heddle: { mode: 'default', tasks: 0, queue: 0 },
  });
  const documented = documentedFields();
  expect(leaves(input).filter((field) => !documented.has(field))).toEqual([]);
  expect([...documented].flatMap(([field, isOptional]) => (isOptional ? [] : field))).toEqual(
    [...documented.keys()].filter((field) => !documented.get(field) && leaves(input).includes(field)),
  );
  const { current_usage: usage, total_input_tokens: total } = input.context_window;
  expect(usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens).toBe(total);
  expect(existsSync(input.transcript_path)).toBe(true);
  const env = readFileSync(`${seen}.env`, 'utf8');
  expect(env).toMatch(/^COLUMNS=90$/m);
  expect(env).toMatch(/^LINES=30$/m);
  expect(env).not.toContain('sk-status-line-secret');
  expect(readFileSync(`${seen}.cwd`, 'utf8').trim()).toBe(cwd);
  cli.endInput();
  await cli.finished;
});

/** The fields of docs/terminal.md, each with whether it may be missing. */
function documentedFields(): Map<string, boolean> {
  const page = readFileSync(join(ROOT, 'docs/terminal.md'), 'utf8');
  const table = page.split('The command reads these fields.')[1]?.split('\n## ')[0] ?? '';
  const cells = table.split('\n').flatMap((row) => row.match(/^\| (`[^|]+`) \|/)?.[1]?.match(/`[^`]+`/g) ?? []);
  return new Map(cells.map((cell) => [cell.replace(/[`?]/g, ''), cell.includes('?')]));
}

/** The paths of all values; a list is one, and so is what the last answer has used. */
function leaves(value: JsonObject, above = ''): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = `${above}${key}`;
    return isObject(inner) && key !== 'current_usage' ? leaves(inner, `${path}.`) : [path];
  });
}

test('[TUI-80] the status line of a project runs only where the project is trusted, and none where hooks are off', async () => {
  const place = await makePlace(['never']);
  const mark = join(place.root, 'ran');
  useStatusLine(join(place.cwd, '.claude'), `touch ${mark}; echo of the project`);
  const answers = async (flags: string[]) => {
    const cli = startCli([...STREAM_BOTH, ...flags], { place });
    const { response } = await cli.control(ask);
    cli.endInput();
    await cli.finished;
    return response;
  };
  expect(await answers([])).toEqual({ configured: false });
  expect(existsSync(mark)).toBe(false);
  expect(await answers(['--settings', '{"disableAllHooks":true}', '--trust'])).toEqual({ configured: false });
  expect(existsSync(mark)).toBe(false);
  expect(await answers(['--trust'])).toMatchObject({ configured: true, output: 'of the project\n' });
});

test('[TUI-80] a request that is withdrawn ends the command with all that it started; failures are told', async () => {
  const place = await makePlace(['never']);
  const pid = join(place.root, 'pid');
  useStatusLine(place.home, `echo $$ > ${pid}; (sleep 60) & wait`);
  const cli = startCli(STREAM_BOTH, { place });
  cli.send({ type: 'control_request', request_id: 'slow', request: ask });
  await vi.waitFor(() => expect(existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\d+\n/), 15_000);
  cli.send({ type: 'control_cancel_request', request_id: 'slow' });
  const id = Number(readFileSync(pid, 'utf8'));
  await vi.waitFor(() => expect(isAlive(id)).toBe(false), 15_000);
  cli.endInput();
  await cli.finished;
  useStatusLine(place.home, 'echo half; echo no jq >&2; exit 3');
  const failing = startCli(STREAM_BOTH, { place });
  expect(await failing.control(ask)).toMatchObject({
    response: { configured: true, output: '', exit_code: 3, error: 'it ended with the exit code 3: no jq' },
  });
  expect(await failing.control({ ...ask, columns: 0 })).toMatchObject({ error_code: 'invalid_request' });
  failing.endInput();
  await failing.finished;
});

test('[TUI-80] a status line that is set while the session is open runs without a new turn', async () => {
  const place = await makePlace(['never']);
  const cli = startCli(STREAM_BOTH, { place });
  expect(await cli.control(ask)).toMatchObject({ response: { configured: false } });
  useStatusLine(place.home, 'echo new');
  expect(await cli.control(ask)).toMatchObject({ response: { configured: true, output: 'new\n' } });
  cli.endInput();
  await cli.finished;
});

test('[TUI-80] print mode runs no status line', async () => {
  const place = await makePlace(['Hello.']);
  const mark = join(place.root, 'ran');
  useStatusLine(place.home, `touch ${mark}`);
  const cli = startCli(['-p', 'hi'], { place });
  expect((await cli.finished).code).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

const BASH = `input=$(cat)
name=$(sed -n 's/.*"display_name":"\\([^"]*\\)".*/\\1/p' <<< "$input")
printf '\\033[32m[%s]\\033[0m in %s columns\\nsecond \\033[1mrow\\033[0m\\n' "$name" "$COLUMNS"`;

const NODE = `let text = '';
process.stdin.on('data', (data) => { text += data; });
process.stdin.on('end', () => {
  const { cost, context_window: { used_percentage: used } } = JSON.parse(text);
  console.log('$' + cost.total_cost_usd.toFixed(2) + ' | ' + (used ?? 0) + '% of the window');
});`;

inTmux('[TUI-80] status lines of bash and of Node stand in the terminal, with their colours and rows', async () => {
  const place = await makePlace(['The answer.']);
  useStatusLine(place.home, `bash ${script(place, 'line.sh', BASH)}`);
  const pane = openPane(place, '');
  await pane.sees(/❯\n\[.+\] in 90 columns\nsecond row\n {2}\? for keys/);
  pane.resize(70, 20);
  await pane.sees('in 70 columns');
  pane.keys('/exit', 'Enter');
  await pane.isOver();
  useStatusLine(place.home, `${process.execPath} ${script(place, 'line.cjs', NODE)}`);
  const other = openPane(place, '"say something"');
  await other.sees(/The answer\.[\s\S]*\$0\.0\d \| \d+% of the window\n {2}\? for keys/);
  other.keys('C-d', 'C-d');
  await other.isOver();
});

inTmux('[TUI-80] a status line that never ends holds nothing up, and ends with the terminal', async () => {
  const place = await makePlace([hang()]);
  const pid = join(place.root, 'line-pid');
  useStatusLine(place.home, `echo $$ > ${pid}; sleep 600`);
  const pane = openPane(place, '');
  await vi.waitFor(() => expect(existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\d+\n/), 15_000);
  pane.keys('typed');
  await pane.sees('❯ typed');
  const id = Number(readFileSync(pid, 'utf8'));
  pane.keys('C-c', 'C-d', 'C-d');
  await pane.isOver();
  expect(isAlive(id)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
