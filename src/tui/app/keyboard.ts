import type { EditorView } from '../editor/layout.ts';
import { takeInput } from '../focus/focus.ts';
import type { FocusWorld, Intent } from '../focus/focus-state.ts';
import { meaningOfEscape } from '../focus/meanings.ts';
import type { InputEvent } from '../input/input-event.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Stage } from '../stage/stage.ts';
import type { LateTyping } from './late-typing.ts';
import type { Overlay } from './overlay.ts';
import { Panel } from './panel.ts';
import type { Prompts } from './prompt-sender.ts';
import type { Questions } from './questions.ts';
import type { VimSwitch } from './vim-switch.ts';
import type { Writing } from './writing.ts';

const MODE_CYCLE = ['default', 'acceptEdits', 'plan'];

/** Keys that are short for a command of the terminal. */
const COMMANDS: Readonly<Record<string, string>> = {
  'app:help': '/help',
  'app:toggleTranscript': '/transcript',
  'app:tree': '/tree',
  'app:rewind': '/rewind',
  'app:tasks': '/tasks',
  'task:background': '/background',
  'chat:killAgents': '/tasks stop',
  'chat:modelPicker': '/model',
  'chat:thinkingToggle': '/thinking',
};

export interface KeyboardParts {
  stage: Stage;
  writing: Writing;
  typing: LateTyping;
  prompts: Prompts;
  questions: Questions;
  overlay: Overlay;
  vim: VimSwitch;
}

/** From keys to what they mean: hands them to the focus, and does what it wants. */
export class Keyboard {
  readonly #stage: Stage;
  readonly #writing: Writing;
  readonly #typing: LateTyping;
  readonly #prompts: Prompts;
  readonly #questions: Questions;
  readonly #overlay: Overlay;
  readonly panel = new Panel();
  readonly vim: VimSwitch;

  constructor({ stage, writing, typing, prompts, questions, overlay, vim }: KeyboardParts) {
    this.#stage = stage;
    this.#writing = writing;
    this.#typing = typing;
    this.#prompts = prompts;
    this.#questions = questions;
    this.#overlay = overlay;
    this.vim = vim;
  }

  take(event: InputEvent): void {
    if (this.#leavesBranch(event)) return;
    this.#typing.loaded?.beforeKey();
    if (!this.#stopsShell(event) && !this.#takesImage(event)) this.#takeKey(event);
    this.#typing.loaded?.afterKey();
    this.#stage.look.loaded?.input(event);
  }

  /** Escape and Ctrl+C end a command of the person before anything else. */
  #stopsShell(event: InputEvent): boolean {
    const isStop = event.type === 'key' && ((event.key === 'escape' && !this.#isVims) || event.key === 'ctrl+c');
    return isStop && this.#writing.state.focus === 'editor' && this.#prompts.shell.stop();
  }

  /** The path of an image, dropped into the editor, is that image. */
  #takesImage(event: InputEvent): boolean {
    if (event.type !== 'paste' || this.#writing.state.focus !== 'editor') return false;
    return this.#typing.loaded?.tookPaste(event.text) === true;
  }

  #takeKey(event: InputEvent): void {
    const { state, intents } = takeInput(this.#writing.state, event, this.#world());
    this.#writing.set(state);
    for (const intent of intents) this.#act(intent);
  }

  /** Escape leaves a prompt that would be sent as another branch; its text stays. */
  #leavesBranch(event: InputEvent): boolean {
    const { focus } = this.#writing.state;
    const isEscape = event.type === 'key' && event.key === 'escape' && focus === 'editor';
    if (!isEscape || this.#isVims || !this.#prompts.beside || this.#stage.isBusy) return false;
    this.#prompts.sendBeside(null);
    return true;
  }

  /** Escape ends insert mode, a selection or a command of vim before anything else. */
  get #isVims(): boolean {
    return meaningOfEscape(this.#writing.state, this.#world()) === 'normal mode';
  }

  /** What keys would do now, for the status row. */
  hint(): string {
    const hasMode = this.#stage.look.loaded?.statusLine.hidesVimMode !== true;
    return [...this.vim.words({ hasMode }), this.#hintOfKeys()].filter((part) => part !== '').join(' \u00b7 ');
  }

  #hintOfKeys(): string {
    const { state } = this.#writing;
    if (state.chord) return `${state.chord.keys} \u2026`;
    if (state.search) return 'enter sends \u00b7 esc keeps \u00b7 ctrl+c restores';
    if (state.focus === 'picker') return this.#overlay.hint;
    if (state.focus === 'question') return this.#questions.hint;
    if (this.#questions.isOpen) return 'tab: answer the question';
    const meaning = meaningOfEscape(state, this.#world());
    if (meaning === 'interrupt') return 'esc: interrupt';
    return state.editor.text === '' ? '? for keys' : '';
  }

  #world(): FocusWorld {
    const { tracker, context } = this.#stage;
    const { view } = tracker;
    const editorView: EditorView = { columns: Math.max(1, context.width - 3), widths: context.widths, safe: safeLine };
    return {
      ...{
        now: this.#stage.now(),
        keymap: this.#typing.keymap,
        vim: this.#typing.loaded?.vim ?? null,
        view: editorView,
        question: this.#questions.forFocus(),
      },
      phase: view.phase === 'busy' && view.questions.length > 0 ? 'asking' : view.phase,
      ...{ picker: this.#overlay.context, pager: this.#overlay.pager, queued: view.queue.length },
      ...{ menu: this.#typing.menu(this.#writing.editor), history: this.#typing.history, ...this.#typing.where },
      escEsc: this.#typing.loaded?.settings.escEsc ?? 'nothing',
    };
  }

  #act(intent: Intent): void {
    switch (intent.type) {
      case 'submit':
        this.#prompts.submit(intent, this.#stage.isBusy ? intent.priority : undefined);
        break;
      case 'remember':
        this.#typing.remember(intent.draft);
        break;
      case 'interrupt':
        void this.#prompts.interrupt();
        break;
      case 'take-back':
        void this.#prompts.takeBack();
        break;
      case 'leave':
        this.#prompts.leave();
        break;
      case 'notice':
        this.#stage.notify(intent.text);
        break;
      case 'answer':
        this.#questions.act(intent);
        break;
      case 'act':
        this.#actOn(intent.action);
        break;
      case 'copy':
        void this.#stage.copy(intent.text).then((text) => this.#stage.notify(text));
        break;
      case 'pick':
        this.#overlay.picked(intent);
        break;
      case 'page':
        this.#overlay.paged(intent);
        break;
      default:
        throw intent satisfies never;
    }
  }

  #actOn(action: string): void {
    if (action === 'app:redraw') this.#stage.redraw();
    else if (action === 'app:suspend') void this.#stage.suspend();
    else if (Object.hasOwn(COMMANDS, action)) this.#prompts.command(COMMANDS[action] ?? '');
    else if (action === 'chat:cycleMode') this.#cycleMode();
    else if (action === 'app:toggleTodos') this.#toggleTodos();
    else this.#typing.loaded?.act(action);
  }

  #toggleTodos(): void {
    if (this.#stage.tracker.view.todos.length === 0) this.#stage.notify('There are no todos.');
    else this.panel.toggleTodos();
  }

  #cycleMode(): void {
    const at = MODE_CYCLE.indexOf(this.#stage.tracker.view.info.mode);
    void this.#prompts.setMode(MODE_CYCLE[(at + 1) % MODE_CYCLE.length] ?? 'default');
  }
}
