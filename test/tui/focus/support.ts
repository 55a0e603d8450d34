import { takeInput } from '../../../src/tui/focus/focus.ts';
import { FIRST_FOCUS, type FocusState, type FocusWorld, type Intent } from '../../../src/tui/focus/focus-state.ts';
import { createKeymap } from '../../../src/tui/focus/keymap.ts';
import type { InputEvent } from '../../../src/tui/input/input-event.ts';
import { viewOf } from '../editor/support.ts';

export const WORLD: FocusWorld = {
  now: 10_000,
  phase: 'idle',
  keymap: createKeymap(),
  vim: null,
  view: viewOf(40),
  question: null,
  picker: null,
  pager: null,
  queued: 0,
  menu: null,
  history: [],
  project: '/project',
  sessionId: 'session',
  escEsc: 'tree',
};

export const key = (name: string): InputEvent => ({ type: 'key', key: name });
export const text = (typed: string): InputEvent => ({ type: 'text', text: typed });
export const paste = (pasted: string): InputEvent => ({ type: 'paste', text: pasted, isCut: false });

/** A person at the terminal: events in a row, and what came of them. */
export class Person {
  state: FocusState;
  world: FocusWorld;
  intents: Intent[] = [];

  constructor(world: Partial<FocusWorld> = {}, state: Partial<FocusState> = {}) {
    this.world = { ...WORLD, ...world };
    this.state = { ...FIRST_FOCUS, ...state };
  }

  /** Words are text, names in `<>` are keys: `fix it<enter>`; `<lt>` is the character `<`. */
  press(keys: string): this {
    for (const [, name, typed] of keys.matchAll(/<([^<>]+)>|([^<>]+|>)/g)) {
      if (name === 'lt') this.give(text('<'));
      else this.give(name === undefined ? text(typed ?? '') : key(name));
    }
    return this;
  }

  give(event: InputEvent): this {
    const { state, intents } = takeInput(this.state, event, this.world);
    this.state = state;
    this.intents.push(...intents);
    return this;
  }

  wait(ms: number): this {
    this.world = { ...this.world, now: this.world.now + ms };
    return this;
  }

  /** What happened since the last look, without the hints. */
  seen(): Intent[] {
    const seen = this.intents.filter(({ type }) => type !== 'notice');
    this.intents = [];
    return seen;
  }

  get text(): string {
    return this.state.editor.text;
  }
}
