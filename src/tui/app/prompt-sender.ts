import { stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { AttachedImage } from '../editor/attachments.ts';
import type { BesidePrompt, Stage } from '../stage/stage.ts';
import type { LateTyping } from './late-typing.ts';
import { Leaving } from './leaving.ts';
import { ShellCommands } from './shell-commands.ts';
import type { Writing } from './writing.ts';

/** What the person wants to send. */
export interface Draft {
  text: string;
  images: readonly AttachedImage[];
}

/** Sends prompts and commands, takes them back, interrupts. */
export class Prompts {
  readonly #stage: Stage;
  readonly #writing: Writing;
  readonly #typing: LateTyping;
  readonly shell: ShellCommands;
  readonly #leaving: Leaving;
  /** Written before the session was open. */
  readonly #early: Draft[] = [];
  /** Prompts that may wait, or be refused, by uuid. */
  readonly #sent = new Map<string, Draft>();
  /** The earlier prompt that the next one replaces on a branch of its own. */
  #beside: BesidePrompt | null = null;
  #isOpen = false;
  #hasFailed = false;
  #turns = 0;
  #interrupting = false;

  constructor(stage: Stage, writing: Writing, typing: LateTyping) {
    this.#stage = stage;
    this.#writing = writing;
    this.#typing = typing;
    this.shell = new ShellCommands(stage);
    this.#leaving = new Leaving(stage, this);
  }

  /** Who withdraws questions now: the person, whose interrupt the session has not answered yet, or the session. */
  get withdraws(): string {
    return this.#interrupting ? 'you: the turn was interrupted' : 'the session';
  }

  /** 1 when the last turn failed. */
  get exitCode(): number {
    return this.#hasFailed ? 1 : 0;
  }

  /** The session can take prompts now. */
  opened(first: string | undefined): void {
    this.#isOpen = true;
    if (this.#stage.tracker.view.info.modelProblem !== null) {
      // What was to be sent would fail; it waits in the editor.
      const drafts = [...(first === undefined ? [] : [{ text: first, images: [] }]), ...this.#early.splice(0)];
      if (drafts.length > 0) this.#giveBack(drafts);
      this.command('/login');
      return;
    }
    if (first !== undefined) this.submit({ text: first, images: [] });
    for (const draft of this.#early.splice(0)) this.submit(draft);
  }

  get beside(): BesidePrompt | null {
    return this.#beside;
  }

  /** The next prompt replaces this one on a branch of its own; null: it follows the conversation. */
  sendBeside(beside: BesidePrompt | null): void {
    this.#beside = beside;
    this.#stage.changed();
  }

  draftBeside(text: string, beside: BesidePrompt): void {
    this.#stage.draft(text);
    this.sendBeside(beside);
  }

  /** Another session is being opened: what is sent meanwhile waits for it. */
  closed(): void {
    this.#beside = null;
    this.#isOpen = false;
    this.#turns = 0;
    this.#hasFailed = false;
  }

  submit(draft: Draft, priority?: 'next' | 'later'): void {
    const text = draft.text.trim();
    if (text === '' && draft.images.length === 0) return;
    if (/^\/(exit|quit)$/.test(text)) this.leave();
    else if (!this.#isOpen) this.#early.push(draft);
    else if (text.startsWith('!')) void this.shell.run(text);
    else if (text.startsWith('/')) this.#command(text, draft, priority);
    else if (this.#beside && this.#stage.isBusy) void this.#askBeside(draft, this.#beside);
    else this.#send(draft, priority);
  }

  /** Sending it would interrupt the turn. The draft waits in the editor for the answer. */
  async #askBeside(draft: Draft, beside: BesidePrompt): Promise<void> {
    const { askChoice } = await import('../commands/run-command.ts');
    this.#writing.draft(draft.text);
    askChoice(this.#stage, 'A turn is running, which another branch interrupts', [
      { text: 'Not yet', run: () => {} },
      {
        text: 'Interrupt it, and send',
        run: () => {
          this.#writing.draft('');
          this.#beside = beside;
          this.#send(draft, undefined);
        },
      },
    ]);
  }

  turnEnded(isError: boolean): void {
    this.#turns++;
    this.#hasFailed = isError;
  }

  /** Interrupts the turn. What waited comes back to the editor, or is sent next where the person has set that. */
  async interrupt(): Promise<void> {
    const { link, tracker } = this.#stage;
    if (!link) return;
    const waiting = tracker.view.queue.map(({ uuid, text }) => ({ uuid, text }));
    const isGivenBack = this.#typing.loaded?.settings.onInterrupt !== 'send';
    this.#interrupting = true;
    const receipt = await link.call({ subtype: 'interrupt', cancel_queued: isGivenBack }).catch(() => ({}));
    this.#interrupting = false;
    const cancelled = new Set('cancelled' in receipt && Array.isArray(receipt.cancelled) ? receipt.cancelled : []);
    const back = waiting.filter(({ uuid }) => cancelled.has(uuid)).map((each) => this.#draftOf(each));
    if (back.length > 0) this.#giveBack(back);
  }

  /** The prompt that was sent last and has not begun. */
  async takeBack(): Promise<void> {
    const { link, tracker } = this.#stage;
    const last = tracker.view.queue.at(-1);
    if (!link || !last) return;
    const { cancelled } = await link
      .call({ subtype: 'cancel_async_message', message_uuid: last.uuid })
      .catch(() => ({ cancelled: false }));
    if (cancelled === true) this.#giveBack([this.#draftOf(last)]);
    else this.#stage.notify('It has begun already.');
  }

  async setMode(mode: string): Promise<void> {
    const { link } = this.#stage;
    try {
      const answer = await link?.call({ subtype: 'set_permission_mode', mode });
      // Before the first prompt the session tells its mode only in this answer.
      const permissionMode = stringField(answer, 'mode');
      if (permissionMode === undefined) return;
      const { tracker } = this.#stage;
      this.#stage.take(tracker.note({ type: 'system', subtype: 'status', permissionMode }, this.#stage.now()));
    } catch (error) {
      this.#stage.notify(messageOf(error));
    }
  }

  /** A prompt that the session did not take comes back. */
  refused(uuid: string): void {
    const draft = this.#sent.get(uuid);
    this.#sent.delete(uuid);
    if (draft) this.#giveBack([draft]);
  }

  #draftOf({ uuid, text }: { uuid: string; text: string }): Draft {
    return this.#sent.get(uuid) ?? { text, images: [] };
  }

  #giveBack(drafts: readonly Draft[]): void {
    this.#writing.giveBackPrompts(drafts);
    this.#stage.changed();
  }

  /** Asks first where something runs. */
  leave(): void {
    this.#leaving.leave();
  }

  leaveNow(): void {
    void this.#stage.leave(this.exitCode, this.#farewell());
  }

  /** The view has changed. */
  changed(): void {
    this.#leaving.changed();
  }

  #farewell(): string[] {
    const { info, meters } = this.#stage.tracker.view;
    if (info.sessionId === null || this.#turns === 0) return [];
    const cost = meters.costUsd > 0 ? ` \u00b7 $${meters.costUsd.toFixed(4)}` : '';
    const title = info.title ? `${info.title} \u00b7 ` : '';
    return [`${title}session ${info.sessionId}${cost}`, `heddle -r ${info.sessionId.slice(0, 8)} continues it`];
  }

  /** Shows the last turns of a conversation that one comes back to. */
  async showEarlier(): Promise<void> {
    const { printEarlier } = await import('../commands/run-command.ts');
    await printEarlier(this.#stage);
  }

  /** A command of the terminal that a key is short for. */
  command(text: string): void {
    this.#run(text).then(
      (isKnown) => {
        if (!isKnown) this.#stage.notify(`There is no ${text} here.`);
      },
      (error) => this.#stage.notify(messageOf(error)),
    );
  }

  #command(text: string, draft: Draft, priority: 'next' | 'later' | undefined): void {
    this.#run(text).then(
      (isKnown) => {
        if (!isKnown) this.#send(draft, priority);
      },
      (error) => this.#stage.notify(messageOf(error)),
    );
  }

  /** False: the terminal has no such command. Their code is loaded with the first one. */
  async #run(text: string): Promise<boolean> {
    const { runCommand } = await import('../commands/run-command.ts');
    return runCommand(text, this.#stage);
  }

  #send({ text, images }: Draft, priority: 'next' | 'later' | undefined): void {
    const { link, tracker } = this.#stage;
    const uuid = this.#stage.newId();
    const pictures = images.map(({ mediaType, data }) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: mediaType, data },
    }));
    const content =
      pictures.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...pictures];
    const message = {
      ...{ type: 'user', uuid, message: { role: 'user', content } },
      ...(this.#beside ? { parentUuid: this.#beside.parentUuid } : priority && { priority }),
    } as UserInput;
    this.#beside = null;
    this.#leaving.stay();
    if (this.#sent.size > 100) this.#sent.clear();
    this.#sent.set(uuid, { text, images });
    this.#stage.take(tracker.sent(message, this.#stage.now()));
    link?.send({ ...message }).catch((error) => {
      this.#giveBack([{ text, images }]);
      this.#stage.notify(messageOf(error));
    });
  }
}
