import fc from 'fast-check';
import { expect } from 'vitest';
import type { LeaderMail } from '../../../src/agent/team/leader-inbox.ts';
import { LEADER, messageTypeOf } from '../../../src/agent/team/mail.ts';
import type { TeamRuntimePort } from '../../../src/agent/team/member-loop.ts';
import { createTeam, restoreTeam } from '../../../src/agent/team/open-team.ts';
import { SHUTDOWN_PROMPT } from '../../../src/agent/team/reports.ts';
import { hasEnded } from '../../../src/agent/team/states.ts';
import type { Team } from '../../../src/agent/team/team.ts';
import { ToolError } from '../../../src/tools/tool.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { seededRuntime } from '../../../src/util/seeded-runtime.ts';
import { SESSION } from './support.ts';
import { World } from './world.ts';

const NAMES = ['ann', 'bob'];

/** What happens from outside: to the leader, to members, to the process. */
export const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('step' as const), choices: fc.array(fc.nat(50), { maxLength: 10 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('spawn' as const, 'say' as const, 'ask' as const, 'resume' as const),
      who: fc.constantFrom(...NAMES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), who: fc.constantFrom(...NAMES, 'all') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('lead' as const, 'shout' as const, 'end' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('kill' as const, 'delete' as const) }) },
);
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What a turn of a member does, beside reading. */
export const deed = fc.oneof(
  fc.constantFrom('quiet' as const, 'crash' as const, 'approve' as const, 'reject' as const, 'object' as const),
  fc.constantFrom('report' as const, 'gossip' as const, 'shout' as const),
);
export type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

/** One history of a team, and what it has to show for it. */
export class Run {
  readonly #world = new World();
  readonly #deeds: Deed[];
  #team: Team | null = null;
  #isWoken = false;
  #isLeading = false;
  #isHolding = false;
  #count = 0;
  /** What was acknowledged as sent, by recipient. */
  readonly #sent: { to: string; text: string }[] = [];
  readonly #abortedByUs = new Set<string>();
  readonly #faults: string[] = [];
  /** What the leader has begun and not finished. */
  #busy = 0;
  #isDeleted = false;

  constructor(deeds: readonly Deed[]) {
    this.#deeds = [...deeds];
  }

  async begin(): Promise<void> {
    const port = this.#seams();
    const files = this.#world.files(this.#world.process);
    const opening = createTeam({
      home: '/home',
      name: 'crew',
      cwd: '/',
      leadSessionId: SESSION,
      leadModel: 'm',
      files,
      port,
    });
    this.#run(
      opening.then((team) => {
        this.#team = team;
      }),
    );
    await this.#drain();
  }

  async obey(command: Command): Promise<void> {
    const team = this.#team;
    if (command.do === 'step') {
      for (const choice of command.choices) await this.#world.step(choice);
      return;
    }
    if (command.do === 'kill') this.#restart();
    else if (team !== null) this.#act(team, command);
    await new Promise(setImmediate);
  }

  /** Everything comes to its end, also in a process that is killed when input has ended; and all read their mail. */
  async finish(choices: readonly number[]): Promise<void> {
    await this.#readAll();
    this.#run(this.#end());
    for (const choice of choices) await this.#world.step(choice);
    this.#restart();
    await this.#readAll();
    for (let times = 0; times < 2; times++) {
      this.#run(this.#end());
      await this.#settle();
    }
  }

  async #readAll(): Promise<void> {
    await this.#settle();
    this.#checkReports();
    while (this.#endedWithMail().length > 0) {
      for (const name of this.#endedWithMail()) this.#run(this.#team?.resume(name, 'go on'));
      await this.#settle();
    }
  }

  /** Nobody leaves with unread mail, and the leader has been told of everybody who is idle or has ended in trouble. */
  #checkReports(): void {
    const told = this.#world.mailsOf(LEADER).map(({ id }) => id);
    for (const { name, state, trouble, turnId } of this.#team?.members() ?? []) {
      const hasLeft = state === 'stopped' && trouble === undefined;
      if (hasLeft && this.#world.mailsOf(name).some(({ read }) => !read)) this.#faults.push(`${name} left with mail`);
      if (state === 'idle' && !told.includes(`idle-${turnId}`)) this.#faults.push(`${name} is idle in secret`);
      if (trouble && !told.includes(`end-${turnId}`)) this.#faults.push(`${name} has ended in secret`);
    }
  }

  /** Who has stopped or crashed before it could read everything. */
  #endedWithMail(): string[] {
    const ended = (this.#team?.members() ?? []).filter(({ state }) => hasEnded(state));
    return ended.map(({ name }) => name).filter((name) => this.#world.mailsOf(name).some(({ read }) => !read));
  }

  check(): void {
    expect(this.#faults).toEqual([]);
    for (const name of this.#world.names()) {
      const ids = this.#world.seenIds(name);
      expect(new Set(ids).size, `${name} has read a mail twice`).toBe(ids.length);
    }
    const told = this.#world.promptsOf(LEADER).filter((prompt) => prompt.includes(SHUTDOWN_PROMPT));
    expect(told.length, 'the leader was told to shut down more than once').toBeLessThanOrEqual(1);
    if (this.#isDeleted) return;
    for (const { to, text } of this.#sent) {
      const readers = this.#world.promptsOf(to).filter((prompt) => prompt.includes(text));
      expect(readers.length, `${text} for ${to} was read ${readers.length} times`).toBe(1);
    }
    for (const name of [LEADER, ...(this.#team?.members() ?? []).map((each) => each.name)]) {
      const unread = this.#world.mailsOf(name).filter(({ read }) => !read);
      expect(unread, `${name} has unread mail at the end`).toEqual([]);
    }
    this.#checkHandshakes();
    expect(this.#team?.active()).toEqual([]);
  }

  /** Who has stopped without trouble was asked, and has agreed; and the leader has read so. */
  #checkHandshakes(): void {
    const answers = this.#world
      .mailsOf(LEADER)
      .filter(({ text }) => messageTypeOf(text) === 'shutdown_response')
      .map(({ from, text }) => ({ from, ...(JSON.parse(text) as { requestId: string; approve: boolean }) }));
    for (const { from, requestId } of answers) {
      const isAsked = requestId !== '' && this.#world.promptsOf(from).join().includes(requestId);
      expect(isAsked, `${from} has answered what it has not read`).toBe(true);
    }
    const left = (this.#team?.members() ?? []).filter(({ state, trouble }) => state === 'stopped' && !trouble);
    for (const { name } of left) {
      expect(
        answers.some(({ from, approve }) => from === name && approve),
        `${name} has left without a word`,
      ).toBe(true);
    }
    if (left.length > 0) expect(this.#world.promptsOf(LEADER).join()).toContain('shutdown_response');
  }

  #act(team: Team, command: Exclude<Command, { do: 'step' | 'kill' }>): void {
    if (command.do !== 'lead' && command.do !== 'abort' && this.#isLeading) return;
    switch (command.do) {
      case 'spawn':
        this.#byLeader(this.#spawn(team, command.who));
        return;
      case 'say':
        this.#byLeader(this.#say(team, LEADER, command.who));
        return;
      case 'shout':
        this.#byLeader(this.#shout(team, LEADER));
        return;
      case 'ask':
        this.#byLeader(team.send(LEADER, { type: 'shutdown_request', recipient: command.who }));
        return;
      case 'resume':
        this.#byLeader(team.resume(command.who, 'go on'));
        return;
      case 'abort':
        for (const name of command.who === 'all' ? NAMES : [command.who]) this.#abortedByUs.add(name);
        this.#run(team.abort(command.who));
        return;
      case 'lead':
        this.#run(this.#lead(team));
        return;
      case 'end':
        this.#run(this.#end());
        return;
      case 'delete':
        this.#byLeader(this.#delete(team));
        return;
    }
  }

  async #spawn(team: Team, name: string): Promise<void> {
    const text = this.#token();
    await team.spawn({ name, prompt: text, agentType: 'a', model: 'm', cwd: '/' });
    this.#sent.push({ to: name, text });
  }

  async #say(team: Team, from: string, to: string): Promise<void> {
    const text = this.#token();
    await team.send(from, { type: 'message', recipient: to, content: text });
    this.#sent.push({ to, text });
  }

  async #shout(team: Team, from: string): Promise<void> {
    const text = this.#token();
    const { routing } = await team.send(from, { type: 'broadcast', content: text });
    for (const target of routing?.target.split(' ') ?? []) this.#sent.push({ to: target.slice(1), text });
  }

  /** A turn of the leader: only one at a time, and only when it was woken. */
  async #lead(team: Team): Promise<void> {
    if (this.#isLeading || !this.#isWoken) return;
    this.#isLeading = true;
    this.#isWoken = false;
    const mail = await team.leaderMail();
    if (mail !== null) await this.#read(mail);
    this.#isLeading = false;
  }

  async #read(mail: LeaderMail): Promise<void> {
    const { process } = this.#world;
    this.#isHolding = true;
    await this.#world.point(process);
    const isWanted = this.#count++ % 7 !== 0;
    if (isWanted) this.#world.record(LEADER, mail.prompt);
    await this.#world.point(process);
    this.#isHolding = false;
    if (isWanted) await mail.acknowledge();
    else mail.giveBack();
    if (!isWanted) this.#isWoken = true; // as a session is by the next prompt
  }

  /** Input has ended: asked when the leader does nothing else, as the port wants it. */
  async #end(): Promise<void> {
    const team = this.#team;
    if (team === null || this.#isLeading || this.#busy > 0) return;
    this.#isLeading = true;
    const mail = await team.inputEnded();
    if (mail?.prompt.includes(SHUTDOWN_PROMPT)) this.#checkQuiet(team);
    if (mail !== null) await this.#read(mail);
    this.#isLeading = false;
  }

  #checkQuiet(team: Team): void {
    if (team.active().length > 0) this.#faults.push('told to shut down while somebody works');
    const alive = team.members().filter(({ state }) => !hasEnded(state));
    const unread = alive.flatMap(({ name }) => this.#world.mailsOf(name)).filter(({ read }) => !read);
    if (unread.length > 0) this.#faults.push('told to shut down while there is mail');
  }

  async #delete(team: Team): Promise<void> {
    await team.delete();
    this.#isDeleted = true;
    this.#team = null;
  }

  #token(): string {
    return `[${this.#count++}]`;
  }

  #seams(): TeamRuntimePort {
    const world = this.#world;
    const { process } = world;
    const runtime = { ...seededRuntime(`process ${process}`), log: this.#log };
    return {
      runtime,
      wakeLeader: () => {
        if (!this.#isHolding) this.#isWoken = true; // while it holds mail, it is given no other
      },
      onIdle: async () => {
        await world.point(process);
        if (this.#deeds[0] !== 'object') return null;
        this.#deeds.shift();
        return 'not yet';
      },
      onGone: async () => {},
      seenIds: async (member) => {
        await world.point(process);
        return world.seenIds(member?.name ?? LEADER);
      },
      runTurn: async (member, prompt, { onRecorded, signal }) => {
        const pause = async () => {
          await world.point(process);
          if (!signal.aborted) return;
          if (!this.#abortedByUs.has(member.name)) this.#faults.push(`${member.name} was stopped by nobody`);
          throw signal.reason;
        };
        await pause();
        world.record(member.name, prompt);
        await pause(); // recorded, and not marked as read yet
        await onRecorded();
        await pause();
        await this.#do(this.#deeds.shift() ?? 'quiet', member.name, prompt);
        await pause();
        return { text: 'done' };
      },
    };
  }

  async #do(deed: Deed, name: string, prompt: string): Promise<void> {
    const team = this.#team;
    if (team === null) return;
    const other = NAMES[(NAMES.indexOf(name) + 1) % NAMES.length] ?? '';
    if (deed === 'crash') throw new Error('boom');
    const isAsked = prompt.includes('shutdown_request');
    const done = isAsked && ['quiet', 'report', 'shout'].includes(deed) ? 'approve' : deed;
    const work: Partial<Record<Deed, () => Promise<unknown>>> = {
      report: () => this.#say(team, name, LEADER),
      gossip: () => this.#say(team, name, other),
      shout: () => this.#shout(team, name),
      approve: () => team.send(name, { type: 'shutdown_response', approve: true }),
      reject: () => team.send(name, { type: 'shutdown_response', approve: false, content: `busy: ${prompt.length}` }),
    };
    await work[done]?.().catch(ignoreRefusal);
  }

  readonly #log = (level: string, message: string): void => {
    if (level !== 'debug') this.#faults.push(message);
  };

  #restart(): void {
    if (this.#team === null) return; // it is only just beginning
    this.#world.kill();
    this.#team = null;
    this.#isLeading = false;
    this.#isHolding = false;
    this.#isWoken = false;
    this.#busy = 0;
    this.#abortedByUs.clear();
    const files = this.#world.files(this.#world.process);
    const opening = restoreTeam({ home: '/home', name: 'crew', files, port: this.#seams() });
    this.#run(
      opening.then((team) => {
        this.#team = team;
        this.#isDeleted = team === null;
      }),
    );
  }

  #byLeader(work: Promise<unknown>): void {
    const { process } = this.#world;
    this.#busy++;
    const done = work.finally(() => {
      if (process === this.#world.process) this.#busy--;
    });
    this.#run(done);
  }

  #run(work: Promise<unknown> | undefined): void {
    work?.catch(ignoreRefusal).catch((error: unknown) => this.#faults.push(String(error)));
  }

  async #drain(): Promise<void> {
    await new Promise(setImmediate); // what was just begun comes to its first point
    for (let steps = 0; await this.#world.step(0); steps++) {
      if (steps > 20_000) throw new Error('it never comes to an end');
    }
  }

  /** Until nothing moves, the leader reading whenever it is woken. */
  async #settle(): Promise<void> {
    await this.#drain();
    for (let turns = 0; this.#isWoken && this.#team !== null; turns++) {
      if (turns > 100) throw new Error('the leader reads without end');
      this.#run(this.#lead(this.#team));
      await this.#drain();
    }
  }
}

/** A model may try what cannot be; it is told so. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ToolError) && !(error instanceof Aborted)) throw error;
}
