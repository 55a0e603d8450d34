import { type Attachment, type AttachmentEntry, attachedContent } from '../../agent/attachment.ts';
import type { Ledger } from '../../agent/ledger.ts';
import { addUserContent, userContent } from '../../agent/messages/api-messages.ts';
import type { EventRecorder } from '../../agent/messages/event-recorder.ts';
import type { RecordedCommand } from '../../agent/messages/local-command-entries.ts';
import type { Recorder } from '../../agent/messages/recorder.ts';
import type { Tally } from '../../agent/turn.ts';
import type { ContextWindow, TurnConversation } from '../../agent/turn-conversation.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { HeddleError, toHeddleError } from '../../wire/errors.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { TurnTrigger } from '../background/turn-triggers.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { ExpandedPrompt } from '../extensions/expand-command.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import { lifecycleLines, replayLine, timeOf } from '../link/message-lifecycle.ts';
import { storedTodos } from '../resume/restore-state.ts';
import type { ConversationOptions, ConversationTranscript } from './conversation-options.ts';
import { LineAnchors, unknownParent } from './line-anchors.ts';
import type { Reminders } from './reminders.ts';
import type { SessionTitle } from './session-title.ts';
import { textOfInput } from './user-input.ts';

/** Reads the files and resources that a prompt mentions, for the model to see with the prompt. */
export type ReadMentions = (input: UserInput, signal: AbortSignal) => Promise<Attachment[]>;

/** Why a message is refused. */
export interface Refusal {
  error: string;
  details: { error_code: string; input_uuid?: string };
}

/** What a prompt is recorded with. */
export interface PromptOptions {
  /** What the command in the prompt stands for; null: the prompt calls none. */
  expanded: ExpandedPrompt | null;
  /** Set when the session itself begins the turn. */
  trigger: TurnTrigger | null;
  readMentions: ReadMentions;
  signal: AbortSignal;
}

export interface RecordedPrompt {
  uuid: string;
  asked: ContentBlock[];
  /** Lines for the host about what was recorded with the prompt. */
  lines: Message[];
}

/** The running turn that messages join. */
export interface JoinedTurn {
  tally: Tally;
  /** Receives the content of each message that joins. */
  asked: ContentBlock[];
  readMentions: ReadMentions;
  signal: AbortSignal;
}

/**
 * One conversation: the messages that the model gets, and their entries on disk. It is the only writer of both: every
 * method records first and changes the messages afterwards.
 */
export class Conversation {
  readonly transcript: ConversationTranscript;
  /** Records what happens around the messages. */
  readonly events: EventRecorder;
  /** How full the model's window is. */
  readonly window: ContextWindow;
  readonly memory: SessionMemory;
  readonly title: SessionTitle;
  /** The uuids in use: the store saves each once, so a message must bring a new one. */
  readonly uuids: Set<string>;
  readonly anchors: LineAnchors;
  /** Null unless files are saved for rewinds. */
  readonly checkpoints: Checkpoints | null;
  readonly #options: ConversationOptions;
  readonly #recorder: Recorder;
  readonly #messages: ApiMessage[];
  readonly #reminders: Reminders;
  /** Whether the leaf has to be recorded with every turn, because the last entry of the file may be another one. */
  #leafIsChosen: boolean;

  constructor(options: ConversationOptions) {
    const { transcript, recorder, messages, context, title, main } = options;
    this.transcript = transcript;
    this.events = recorder.events;
    this.#recorder = recorder;
    this.window = context.window;
    this.memory = context.memory;
    this.title = title;
    this.uuids = new Set(main?.uuids);
    this.anchors = new LineAnchors(recorder);
    this.checkpoints = main?.checkpoints ?? null;
    this.#options = options;
    this.#messages = messages;
    this.#reminders = context.reminders;
    this.#leafIsChosen = main?.leafIsChosen ?? false;
  }

  /** The messages on the active branch. */
  get messages(): readonly ApiMessage[] {
    return this.#messages;
  }

  /** The parent of the next entry; null when it begins a conversation. */
  get leaf(): string | null {
    return this.#recorder.leaf;
  }

  /** Records the prompt of a turn, with mentions, pending reminders, and the ends of tasks from earlier processes. */
  async recordPrompt(
    input: UserInput,
    { expanded, trigger, readMentions, signal }: PromptOptions,
  ): Promise<RecordedPrompt> {
    const { runtime, permissions, main } = this.#options;
    const prompt = expanded
      ? { ...input, message: { role: 'user' as const, content: commandBlocks(expanded) } }
      : input;
    const mentions = await readMentions(prompt, signal);
    const reminders = await this.#reminders.pending(); // after the mentions, whose directories may have memory files
    const earlier = (await main?.earlierTasks?.unreported()) ?? null;
    const uuid = input.uuid ?? runtime.ids.uuid();
    const asked = [...userContent(prompt.message)];
    await this.#addUserMessage(asked, {
      attachments: [...mentions, ...reminders, ...(earlier ? [earlier.attachment] : [])],
      reminders,
      record: async (attachments) => {
        await trigger?.beforeRecord?.(uuid);
        await earlier?.beforeRecord(attachments);
        await this.#recorder.prompt(input, {
          uuid,
          permissionMode: permissions.policy.mode,
          attachments,
          ...(expanded && { expanded: { ...expanded, uuid: runtime.ids.uuid() } }),
        });
        await trigger?.recorded?.();
        await earlier?.recorded();
        await this.title.recordPending();
      },
    });
    return { uuid, asked, lines: earlier?.lines ?? [] };
  }

  /** Adds messages that came during a turn to that turn. Returns the lines for the host. */
  async joinTurn(inputs: Iterable<UserInput>, { tally, asked, ...turn }: JoinedTurn): Promise<Message[]> {
    const { runtime, hooks, sessionId } = this.#options;
    const newId = () => runtime.ids.uuid();
    const lines: Message[] = [];
    for (const input of inputs) {
      const uuid = input.uuid ?? newId();
      const blocked = await hooks.current?.submit(input, turn.signal);
      if (blocked) {
        lines.push(...lifecycleLines(input, ['started', 'completed'], newId, sessionId), blocked.line);
        continue;
      }
      lines.push(...(await this.#join(input, uuid, turn)));
      asked.push(...userContent(input.message));
      tally.userMessageUuids.push(uuid);
    }
    return lines;
  }

  /**
   * Records a message with `shouldQuery: false`: it is part of the conversation, and no turn answers it. `prepare` moves
   * the conversation to the message's parent, or throws. Never rejects: resolves with the lines for the host, or with why
   * the message was not recorded.
   */
  async append(
    input: UserInput,
    { prepare, readMentions }: { prepare(): Promise<void>; readMentions: ReadMentions },
  ): Promise<{ lines: Message[] } | Refusal> {
    const { runtime, hooks, sessionId } = this.#options;
    const newId = () => runtime.ids.uuid();
    const { signal } = new AbortController(); // hooks have their own time limits
    try {
      await prepare();
      await hooks.current?.begin(signal);
      const blocked = await hooks.current?.submit(input, signal);
      if (blocked) return { lines: [...lifecycleLines(input, ['cancelled'], newId, sessionId), blocked.line] };
      const lines = await this.#join(input, input.uuid ?? newId(), { readMentions, signal });
      await this.#markChosenLeaf(input);
      return { lines };
    } catch (error) {
      return this.#appendRefusal(input, toHeddleError(error));
    }
  }

  /** Records the prompt of an agent, with pending reminders. Returns its line. */
  async recordTask(prompt: string, parentToolUseId: string | null): Promise<Message> {
    const { runtime, sessionId: session_id } = this.#options;
    const uuid = runtime.ids.uuid();
    const reminders = await this.#reminders.pending();
    const content: ContentBlock[] = [{ type: 'text', text: prompt }];
    const record = (attachments: AttachmentEntry[]) => this.#recorder.task(prompt, { uuid, attachments });
    await this.#addUserMessage(content, { attachments: reminders, reminders, record });
    const ids = { parent_tool_use_id: parentToolUseId, session_id, uuid, timestamp: timeOf(runtime) };
    return { type: 'user', message: { role: 'user', content }, ...ids } as Message;
  }

  /** Records a slash command and its output. */
  async recordCommand(command: RecordedCommand): Promise<void> {
    addUserContent(this.#messages, await this.#recorder.localCommand(command));
  }

  /** Records the memory of directories that tools worked in, and the texts that hooks added, during a turn. */
  async attachPending(): Promise<void> {
    const nested = await this.memory.pendingNested();
    const contexts = this.#takeContexts();
    if (!nested && contexts.length === 0) return;
    await this.#addUserMessage([], {
      attachments: nested ? [nested] : [],
      contexts,
      record: async (entries) => {
        await this.#recorder.attach(entries);
        if (nested) this.memory.markReported(nested);
      },
    });
  }

  /**
   * Continues from another message of the session; later messages stay in the file, as another branch. Null begins a new
   * conversation in the same file. Rejects with `unknown_parent`, without any change. Call it only between turns.
   * `lastPrompt`: the last prompt there; with it the move is recorded at once, and not only with the next turn.
   */
  async moveTo(uuid: string | null, lastPrompt?: string): Promise<void> {
    if (uuid === null) this.#clear();
    else if (this.anchors.entryOf(uuid) !== this.leaf) await this.#follow(uuid);
    if (lastPrompt !== undefined) await this.#recorder.state.leaf(lastPrompt);
  }

  async #follow(uuid: string): Promise<void> {
    const history = await this.transcript.historyAt(this.anchors.entryOf(uuid)).catch((error) => {
      throw HeddleError.isInstance(error) && error.code === 'session_not_found' ? unknownParent(uuid, error) : error;
    });
    const messages = history.messages([]);
    this.#messages.length = 0;
    for (const message of messages) this.#messages.push(message);
    this.window.tokens = history.lastTokens;
    this.#recorder.moveTo(history.leaf);
    this.#reminders.restart(history.reminders);
    const { main } = this.#options;
    if (main) main.todos.current = storedTodos({ messages, earlier: history.earlier });
    if (this.checkpoints) this.checkpoints.follow((await history.checkpoints()).messages);
    this.#leafIsChosen = true;
  }

  /** The next message begins an empty conversation. */
  #clear(): void {
    this.#messages.length = 0;
    this.window.tokens = 0;
    this.#recorder.moveTo(null);
    this.#reminders.restart([]);
  }

  /**
   * Begins the conversation of a fork with a copy of its caller's, which is recorded as its own beginning. Null: it is
   * resumed, and has the copy already. The copied messages hold all reminders, so that none of them is pending.
   */
  async beginFork(caller: { messages: readonly ApiMessage[]; tokens: number } | null): Promise<void> {
    const { ids } = this.#options.runtime;
    if (caller) {
      this.#messages.push(...caller.messages);
      this.window.tokens = caller.tokens;
      await this.#recorder.retain(this.#messages.map((retained) => ({ retained, uuid: ids.uuid() })));
    }
    this.#reminders.markSent(await this.#reminders.pending());
  }

  /** Records what the session has cost so far, once per turn, so that a resumed session continues counting. */
  async endTurn(input: UserInput, ledger: Ledger): Promise<void> {
    const { costUsd: totalCostUSD, apiMs: totalAPIDuration, modelUsage } = ledger;
    if (Object.keys(modelUsage).length > 0)
      await this.#recorder.state.cost({ totalCostUSD, totalAPIDuration, modelUsage });
    await this.#markChosenLeaf(input);
  }

  /** The part of a turn that reads and writes the conversation. */
  forTurn(): TurnConversation {
    return {
      messages: this.#messages,
      window: this.window,
      record: (message, details) => {
        // A summary replaces everything the model was told, so that all reminders are due again.
        if (details?.isCompactSummary) this.#reminders.summarised();
        return this.#recorder.record(message, details);
      },
      ...(this.#recorder.mark && { mark: this.#recorder.mark }),
      retain: (retained) => this.#recorder.retain(retained),
      pendingAttachments: async () => {
        const reminders = await this.#reminders.pending();
        this.#reminders.markSent(reminders);
        return reminders;
      },
      attach: (attachments) => this.#recorder.attach(this.#asEntries(attachments)),
      rewind: (uuids) => this.#recorder.rewind(uuids),
    };
  }

  /** Adds a message without a turn of its own. Returns the lines for the host. */
  async #join(input: UserInput, uuid: string, turn: Pick<JoinedTurn, 'readMentions' | 'signal'>): Promise<Message[]> {
    const { runtime, permissions, sessionId, main } = this.#options;
    const attachments = await turn.readMentions(input, turn.signal);
    await this.#addUserMessage(userContent(input.message), {
      attachments,
      record: (entries) => {
        const permissionMode = permissions.policy.mode;
        return this.#recorder.join(input, { uuid, permissionMode, attachments: entries });
      },
    });
    const lines = lifecycleLines(input, ['started', 'completed'], () => runtime.ids.uuid(), sessionId);
    if (main?.replayUserMessages) lines.push(replayLine(input, uuid, { sessionId, runtime }));
    return lines;
  }

  /** Every message of the user is added here: recorded with its attachments, then given to the model. */
  async #addUserMessage(
    content: readonly ContentBlock[],
    { attachments, contexts = this.#takeContexts(), reminders = [], record }: UserMessage,
  ): Promise<void> {
    const all = [...attachments, ...contexts];
    await record(this.#asEntries(all));
    this.#reminders.markSent(reminders);
    addUserContent(this.#messages, [...content, ...attachedContent(all)]);
  }

  /** The texts that hooks have added for the model. */
  #takeContexts(): Attachment[] {
    return this.#options.hooks.current?.takeContexts() ?? [];
  }

  #asEntries(attachments: readonly Attachment[]): AttachmentEntry[] {
    const { ids } = this.#options.runtime;
    return attachments.map((attachment) => ({ attachment, uuid: ids.uuid() }));
  }

  async #markChosenLeaf(input: UserInput): Promise<void> {
    if (this.#leafIsChosen) await this.#recorder.state.leaf(textOfInput(input));
  }

  /** The message is not part of the session, so that the host may send it again. */
  #appendRefusal({ uuid }: UserInput, { code, message }: { code: string; message: string }): Refusal {
    if (uuid !== undefined) this.uuids.delete(uuid);
    const details = { error_code: code, ...(uuid !== undefined && { input_uuid: uuid }) };
    return { error: `The message was not appended: ${message}`, details };
  }
}

interface UserMessage {
  attachments: readonly Attachment[];
  /** Texts of hooks; absent: those that were added since the last message. */
  contexts?: readonly Attachment[];
  /** Those of the attachments that count as sent once they are on disk. */
  reminders?: readonly Attachment[];
  record(attachments: AttachmentEntry[]): Promise<unknown>;
}

function commandBlocks({ said, blocks }: ExpandedPrompt): ContentBlock[] {
  return [{ type: 'text', text: said }, ...blocks];
}
