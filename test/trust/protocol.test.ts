import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, fail, hang, reply, text, thinking, toolUse } from '../../src/testing/index.ts';
import { command, settingsWith } from '../hooks/support.ts';
import { apiFaultsOf } from '../support/api-faults.ts';
import { runCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { REQUESTS, seededRandom } from '../support/fuzz.ts';
import { interrupt } from '../support/interrupts.ts';
import { pieceLine, sendInPieces } from '../support/line-pieces.ts';
import { isResult, kindOf } from '../support/lines.ts';
import { hugeLines, ODD_LINES } from '../support/odd-lines.ts';
import { responseIds, sendOddLines } from '../support/odd-lines-run.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { strayOutput } from '../support/stray-output.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const seed = trustSize('SEED', 1);
const ALLOWED = ['--allowedTools', 'Bash'];
const bash = (line: string) => toolUse('Bash', { command: line });
const userLine = (content: string) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;

describe('lines', () => {
  test('[P-1, P-4] after each odd line, of ten megabytes too, the next good one is answered', async () => {
    const place = await makePlace(() => 'ok');
    const lines = [...ODD_LINES, ...hugeLines()];
    const run = await sendOddLines(place, lines);
    figure('P-1', `${lines.length} odd lines, ${lines.length - run.answered} deaths`);
    figure('P-4', `${lines.length} odd lines, ${run.asked} of them requests with an id, ${run.responses} responses`);
    expect(run).toMatchObject({ answered: lines.length, responses: run.asked, faults: [] });
  });

  test('[P-11] a line cut at each of its bytes, two at once, 10 MB, and a last one without an end', async () => {
    const place = await makePlace(() => 'ok');
    const cuts = Array.from(pieceLine(0).bytes, (_, at) => at);
    const { sent, arrived } = await sendInPieces(place, { cuts, largeBytes: 10_000_000 });
    figure('P-11', `${cuts.length} cuts and 10 MB: ${arrived} of ${sent} lines intact`);
    expect(arrived).toBe(sent);
  });

  test('[P-14] what separates lines elsewhere does not here: one result a turn, last, and nothing else', async () => {
    const separators = [
      '\u2028',
      '\u2029',
      '\u0085',
      '\r',
      '\r\n',
      '\n',
      '\u0000',
      '\u000b',
      '\u000c',
      '\u001e',
      '\ud800',
    ];
    const place = await makePlace((_request, index) =>
      index % 2 === 0
        ? bash(`printf '%b' 'a\\xe2\\x80\\xa8b\\r\\x00c\\xff'; printf x >&2`)
        : [text(...separators, '.')],
    );
    const settings = settingsWith({ PreToolUse: [command('printf "\\342\\200\\250"; echo stray >&2')] });
    const cli = startCli([...STREAM_BOTH, ...ALLOWED, '--include-partial-messages', '--settings', settings], { place });
    for (const separator of separators) {
      cli.say(`a${separator}b`);
      expect((await cli.nextResult()).result).toBe(`${separators.join('')}.`);
    }
    cli.endInput();
    const { stdout, lines } = await cli.finished;
    const turns = lines.flatMap((line, at) => (kindOf(line) === 'system/init' ? [at] : []));
    const lasts = [...turns.slice(1).map((at) => lines[at - 1]), lines.at(-1)];
    const stray = strayOutput(stdout);
    figure(
      'P-14',
      `${lines.length} lines in ${turns.length} turns, ${stray.length} stray, ${lines.filter(isResult).length} results`,
    );
    expect(stray).toEqual([]);
    expect(lasts.map((line) => line?.type)).toEqual(separators.map(() => 'result'));
    expect(lines.filter(isResult).length).toBe(separators.length);
  });
});

describe('control requests', () => {
  test(`[P-3] 1,000 requests in one write, of seed ${seed}: each has one response, unknown ones an error`, async () => {
    const place = await makePlace();
    const random = seededRandom(seed);
    const cli = startCli(STREAM_BOTH, { place });
    const asked = Array.from({ length: 1000 }, (_, at) => {
      const known = REQUESTS[Math.floor(random() * REQUESTS.length)];
      const request = random() < 0.2 ? { subtype: `no_such_${at}` } : known;
      return { type: 'control_request', request_id: `burst-${at}`, request };
    });
    cli.write(asked.map((line) => `${JSON.stringify(line)}\n`).join(''));
    cli.endInput();
    const { code, lines, stdout } = await cli.finished;
    const ids = responseIds(cli);
    const unknown = asked
      .filter(({ request }) => request?.subtype.startsWith('no_such'))
      .map((line) => line.request_id);
    const failed = new Set(lines.flatMap(({ response }) => errorId(response)));
    figure(
      'P-3',
      `${asked.length.toLocaleString('en')} requests in one write, ${ids.length} responses, ${new Set(ids).size} ids`,
    );
    expect([code, strayOutput(stdout)]).toEqual([0, []]);
    expect(ids.toSorted()).toEqual(asked.map((line) => line.request_id).toSorted());
    expect(unknown.filter((id) => !failed.has(id))).toEqual([]);
  });
});

function errorId(response: unknown): string[] {
  const { subtype, request_id: id } = (response ?? {}) as { subtype?: string; request_id?: string };
  return subtype === 'error' && id !== undefined ? [id] : [];
}

describe('the end of the input', () => {
  const slow = reply([text('slow ', 'and ', 'whole')], { waitMs: 100, deltaMs: 50 });
  const DURING: Record<string, { script: AnswerLike[]; stdin: string; results: string[] }> = {
    'the wait for an answer': {
      script: [reply([text('late')], { waitMs: 1000 })],
      stdin: userLine('go'),
      results: ['late'],
    },
    'an answer': { script: [slow], stdin: userLine('go'), results: ['slow and whole'] },
    'a command': { script: [bash('sleep 1; echo $((40+2))'), 'ran'], stdin: userLine('go'), results: ['ran'] },
    'a line without an end': { script: ['ok'], stdin: userLine('go').trimEnd(), results: ['ok'] },
    'half a line': { script: ['ok'], stdin: `${userLine('go')}{"type":"us`, results: ['ok'] },
    'a retry': {
      script: [reply([text('half')], { fault: { after: { block: 0 }, how: 'cut' } }), 'ok'],
      stdin: userLine('go'),
      results: ['ok'],
    },
  };

  test('[P-12] at once it is a clean exit; during a turn the turn ends first', async () => {
    const nothing = await Promise.all(
      ['', '\n', '\n\n', '{"type":"keep_alive"}\n'].map(async (stdin) =>
        runCli(STREAM_BOTH, { place: await makePlace(), stdin }),
      ),
    );
    expect(nothing.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(nothing.map(() => [0, '', '']));
    let whole = 0;
    for (const [name, { script, stdin, results }] of Object.entries(DURING)) {
      const { code, lines } = await runCli([...STREAM_BOTH, ...ALLOWED], { place: await makePlace(script), stdin });
      expect([code, lines.filter(isResult).map(({ result }) => result), lines.at(-1)?.type], name).toEqual([
        0,
        results,
        'result',
      ]);
      whole++;
    }
    figure('P-12', `${nothing.length} ends at once, ${whole} during a turn: all exit 0, results whole`);
  });
});

describe('interrupts', () => {
  const MOST_MS = 2000;
  const hangsAfter = (content: Parameters<typeof reply>[0], after: { events: number } | { block: number }) =>
    reply(content, { fault: { after, how: 'hang' } });
  /** What the model does when it is interrupted. */
  const STREAMS: Record<string, AnswerLike> = {
    'before the head': hang(),
    'after the head': hangsAfter([text('x')], { events: 0 }),
    'in a text': hangsAfter([text('one ', 'two')], { block: 0 }),
    'in a thought': hangsAfter([thinking('hm')], { block: 0 }),
    'in the input of a call': hangsAfter([bash('touch canary')], { block: 0 }),
    'behind a whole call': hangsAfter([text('I will.'), bash('true'), text('x')], { block: 2 }),
    'in a wait before the next attempt': fail(529, 'overloaded_error', 'busy'),
  };
  const loads = Object.keys(ORPHAN_LOADS) as OrphanLoad[];

  test('[P-13] in a stream or in a tool: answered, the tree is gone, the result within 2 s, and the next turn works', async () => {
    const queue: AnswerLike[] = [];
    const place = await makePlace(() => queue.shift() ?? 'fine');
    const cli = startCli([...STREAM_BOTH, ...ALLOWED, '--include-partial-messages'], { place });
    const times: number[] = [];
    const interruptNow = async (name: string) => {
      const { result, ms } = await interrupt(cli);
      times.push(ms);
      expect(result, name).toMatchObject({ subtype: 'error_during_execution', is_error: true });
      cli.say('next');
      expect(await cli.nextResult(), name).toMatchObject({ result: 'fine' });
    };
    for (const [name, answer] of Object.entries(STREAMS)) {
      const before = place.api.requests.length;
      queue.push(answer);
      cli.say(name);
      await eventually(() => place.api.requests.length > before);
      await sleep(50); // what there is of the answer has arrived
      await interruptNow(name);
    }
    for (const load of loads) {
      queue.push(bash(ORPHAN_LOADS[load]));
      cli.say(load);
      const pid = await pidOfLoad(place.cwd, load);
      const started = Date.now();
      await interruptNow(load);
      await eventually(() => !isAlive(pid), MOST_MS - (Date.now() - started));
    }
    figure(
      'P-13',
      `${Object.keys(STREAMS).length} streams, ${loads.length} commands, ${Math.max(...times)} ms at most, 0 left`,
    );
    expect(Math.max(...times)).toBeLessThan(MOST_MS);
    expect(apiFaultsOf(place.api.requests)).toEqual([]);
  });

  test(`[P-13, M-15] at 40 moments of seed ${seed}: one answer and one result each, and requests stay valid`, async () => {
    const random = seededRandom(seed);
    const place = await makePlace(({ body }) =>
      JSON.stringify(body.messages).includes('tool_result') && random() < 0.3
        ? 'fine'
        : reply([text('one ', 'two ', 'three'), bash('sleep 0.05; echo out')], { deltaMs: 8 }),
    );
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    const moments = Array.from({ length: 40 }, () => Math.floor(random() * 200));
    const times: number[] = [];
    for (const [at, moment] of moments.entries()) {
      cli.say(`turn ${at}`);
      await sleep(moment);
      times.push((await interrupt(cli)).ms);
    }
    cli.endInput();
    const { lines, stdout } = await cli.finished;
    figure('P-13', `${moments.length} seeded moments, ${Math.max(...times)} ms at most`);
    expect(Math.max(...times)).toBeLessThan(MOST_MS);
    expect(lines.filter(isResult).length).toBe(moments.length);
    expect(strayOutput(stdout)).toEqual([]);
    expect(apiFaultsOf(place.api.requests)).toEqual([]);
  });
});
