import { describe, expect, test } from 'vitest';
import { giveBack, settle, withDraft, withFocus } from '../../../src/tui/focus/focus.ts';
import type { Completion, Focus, Phase } from '../../../src/tui/focus/focus-state.ts';
import { meaningOfEscape } from '../../../src/tui/focus/meanings.ts';
import { Person, paste } from './support.ts';

const submit = (text: string, priority = 'next') => ({ type: 'submit', text, images: [], priority });

describe('Enter', () => {
  test('puts the prompt into history before it sends it', () => {
    const person = new Person().press('fix it<enter>');
    expect(person.seen()).toEqual([{ type: 'remember', draft: { text: 'fix it', attachments: [] } }, submit('fix it')]);
    expect(person.text).toBe('');
  });

  test.each(['ctrl+j', 'shift+enter', 'alt+enter'])('%s is a new line', (name) => {
    expect(new Person().press(`a<${name}>b`).text).toBe('a\nb');
  });

  test('after a backslash it is a new line, after two it sends', () => {
    expect(new Person().press('a\\<enter>b').text).toBe('a\nb');
    expect(new Person().press('a\\\\<enter>').seen().at(-1)).toEqual(submit('a\\\\'));
  });

  test('sends nothing that is empty', () => {
    expect(new Person().press('  <enter>').seen()).toEqual([]);
  });

  test('Ctrl+X Enter and Ctrl+Enter are for later', () => {
    expect(new Person({ phase: 'busy' }).press('b<ctrl+x><enter>').seen().at(-1)).toEqual(submit('b', 'later'));
    expect(new Person({ phase: 'busy' }).press('b<ctrl+enter>').seen().at(-1)).toEqual(submit('b', 'later'));
  });

  test('a paste sends nothing, whatever is in it, and is sent whole', () => {
    const long = 'line\r\n'.repeat(9);
    const person = new Person().give(paste(`${long}\r`));
    expect(person.seen()).toEqual([]);
    expect(person.press('<enter>').seen().at(-1)).toEqual(submit(`${'line\n'.repeat(9)}\n`));
  });

  test('what is left out of a paste is named', () => {
    const person = new Person().give(paste('a\x1b[31mb'));
    expect(person.intents).toEqual([{ type: 'notice', text: 'Left out of the paste: \\u{1b}' }]);
    expect(person.text).toBe('a[31mb');
  });
});

describe('[TUI-30] Escape has one meaning at a time', () => {
  const menu: Completion = { from: 0, to: 1, items: [{ label: '/help', insert: '/help', onEnter: 'run' }] };

  test('the menu, then the turn', () => {
    const person = new Person({ phase: 'busy', menu }).press('/');
    expect(meaningOfEscape(person.state, person.world)).toBe('close the menu');
    expect(person.press('<escape>').seen()).toEqual([]);
    expect(meaningOfEscape(person.state, person.world)).toBe('interrupt');
    expect(person.press('<escape>').seen()).toEqual([{ type: 'interrupt' }]);
    expect(person.text).toBe('/');
  });

  test.each<Phase>(['busy', 'asking', 'compacting'])(
    '%s: it interrupts the first time, and the draft stays',
    (phase) => {
      const person = new Person({ phase }).press('draft<escape>');
      expect(person.seen()).toEqual([{ type: 'interrupt' }]);
      expect(person.text).toBe('draft');
    },
  );

  test('idle with a draft: the second one in 1.5 s puts it into history', () => {
    const person = new Person().press('draft<escape>');
    expect(person.seen()).toEqual([]);
    expect(person.wait(1501).press('<escape>').seen()).toEqual([]);
    expect(person.wait(1500).press('<escape>').seen()).toEqual([
      { type: 'remember', draft: { text: 'draft', attachments: [] } },
    ]);
    expect(person.text).toBe('');
  });

  test('another key between them: it begins anew', () => {
    expect(new Person().press('draft<escape>x<escape>').seen()).toEqual([]);
  });

  test.each([
    ['tree', [{ type: 'act', action: 'app:tree' }]],
    ['rewind', [{ type: 'act', action: 'app:rewind' }]],
    ['nothing', []],
  ] as const)('idle and empty, escEsc %s', (escEsc, intents) => {
    expect(new Person({ escEsc }).press('<escape><escape>').seen()).toEqual(intents);
  });

  test.each<Phase>(['starting', 'lost', 'ended'])('%s: nothing', (phase) => {
    expect(new Person({ phase }).press('draft<escape><escape>').seen()).toEqual([]);
  });
});

describe('[TUI-33] Ctrl+C and Ctrl+D', () => {
  test('Ctrl+C copies a selection, else interrupts and leaves the text', () => {
    const person = new Person({ phase: 'busy' }).press('ab<shift+left><ctrl+c>');
    expect(person.seen()).toEqual([{ type: 'copy', text: 'b' }]);
    expect(person.press('<left><ctrl+c>').seen()).toEqual([{ type: 'interrupt' }]);
    expect(person.text).toBe('ab');
  });

  test('idle: the text goes to history; twice on an empty editor leaves', () => {
    const person = new Person().press('text<ctrl+c>');
    expect(person.seen()).toEqual([{ type: 'remember', draft: { text: 'text', attachments: [] } }]);
    expect(person.press('<ctrl+c>').seen()).toEqual([]);
    expect(person.wait(801).press('<ctrl+c>').seen()).toEqual([]);
    expect(person.wait(800).press('<ctrl+c>').seen()).toEqual([{ type: 'leave' }]);
  });

  test('Ctrl+D deletes forward, and twice on an empty editor leaves', () => {
    const person = new Person().press('ab<left><ctrl+d>');
    expect(person.text).toBe('a');
    expect(person.press('<backspace><ctrl+d><ctrl+d>').seen()).toEqual([{ type: 'leave' }]);
  });
});

describe('what waits', () => {
  test('Up in an empty editor takes the last one back', () => {
    expect(new Person({ queued: 2 }).press('<up>').seen()).toEqual([{ type: 'take-back' }]);
    expect(new Person({ queued: 2 }).press('x<up>').seen()).toEqual([]);
  });

  test('what comes back stands before the draft, and the caret stays', () => {
    const person = new Person().press('draft<left>');
    const state = giveBack(person.state, ['one', 'two']);
    expect(state.editor.text).toBe('one\n\ntwo\n\ndraft');
    expect(state.editor.text.slice(state.editor.caret)).toBe('t');
  });
});

describe('a question takes no key that was meant for the editor', () => {
  const question = { paintedAt: 10_000, takesText: false };

  test('it gets the keys when the editor is empty and none came for 600 ms', () => {
    const { state, world } = new Person({ question });
    expect(settle({ ...state, lastKeyAt: world.now - 599 }, world).focus).toBe('editor');
    expect(settle({ ...state, lastKeyAt: world.now - 600 }, world).focus).toBe('question');
    expect(settle(new Person().press('x').state, { ...world, now: 99_999 }).focus).toBe('editor');
  });

  test("a key that comes before the screen has given it the keys is the editor's", () => {
    const person = new Person({ question, now: 99_999 }).press('1<enter>');
    expect(person.seen().map(({ type }) => type)).toEqual(['remember', 'submit']);
  });

  test('no key acts in its first 300 ms, nor before it was painted', () => {
    for (const paintedAt of [null, 10_000 - 299]) {
      const person = new Person({ question: { paintedAt, takesText: false } }, { focus: 'question' });
      expect(person.press('1<enter><escape>').seen()).toEqual([]);
    }
  });

  test('digits, arrows and Enter choose; letters never answer', () => {
    const person = new Person({ question: { paintedAt: 9000, takesText: false } }, { focus: 'question' });
    expect(person.press('yn<down><enter>2v').seen()).toEqual([
      { type: 'answer', action: 'confirm:next' },
      { type: 'answer', action: 'confirm:yes' },
      { type: 'answer', action: 'key', text: '2' },
      { type: 'answer', action: 'key', text: 'v' },
    ]);
  });

  test('a paste does not answer: it waits in the editor', () => {
    const person = new Person({ question: { paintedAt: 0, takesText: false } }, { focus: 'question' }).give(
      paste('1\r'),
    );
    expect(person.seen()).toEqual([]);
    expect(person.text).toBe('1\n');
  });

  test('nor does one reach a text of it in its first moments', () => {
    const question = { paintedAt: 9900, takesText: true };
    const person = new Person({ question }, { focus: 'question' }).give(paste('text'));
    expect([person.seen(), person.text]).toEqual([[], 'text']);
  });

  test('a text of it is edited like any other', () => {
    const person = new Person({ question: { paintedAt: 0, takesText: true } }, { focus: 'question' });
    expect(person.press('no 1<ctrl+w>').seen()).toEqual([
      { type: 'answer', action: 'edit', edit: { type: 'type', text: 'no 1' } },
      { type: 'answer', action: 'edit', edit: { type: 'kill', to: 'blank-left' } },
    ]);
  });

  test.each(['<shift+tab>', '<ctrl+x>q'])('%s leaves it open and goes to the editor, which keeps the keys', (keys) => {
    const person = new Person({ question }, { focus: 'question' }).press(keys);
    expect(person.state.focus).toBe('editor');
    expect(settle(person.state, { ...person.world, now: 99_999 }).focus).toBe('editor');
    expect(person.press('<tab>').state.focus).toBe('question');
  });

  test('one that is gone gives the keys back', () => {
    const person = new Person({}, { focus: 'question' }).press('x');
    expect(person.text).toBe('x');
  });
});

describe('history', () => {
  const past = (text: string, project = '/project', sessionId = 'other') => ({
    text,
    attachments: [],
    project,
    sessionId,
  });
  const history = [
    past('first'),
    past('elsewhere', '/other'),
    past('second'),
    past('second'),
    past('third', '/project', 'session'),
  ];

  test('Up and Down walk through the prompts of the project, and come back to the draft', () => {
    const person = new Person({ history }).press('draft<up>');
    const texts = [person.text];
    for (const name of ['<up>', '<up>', '<up>', '<down>', '<down>', '<down>', '<down>'])
      texts.push(person.press(name).text);
    expect(texts).toEqual(['third', 'second', 'first', 'first', 'second', 'third', 'draft', 'draft']);
  });

  test('Up moves in a text of several rows first', () => {
    const person = new Person({ history }).press('a<ctrl+j>b<up>');
    expect(person.text).toBe('a\nb');
    expect(person.press('<up>').text).toBe('third');
  });

  test('Ctrl+R searches, Ctrl+S takes the next scope, Enter sends, Ctrl+C brings back', () => {
    const person = new Person({ history }).press('draft<ctrl+r>e');
    expect(person.text).toBe('second');
    expect(person.press('lse').text).toBe('second');
    expect(person.press('<ctrl+s>').text).toBe('elsewhere');
    expect(person.press('<ctrl+c>').text).toBe('draft');
    expect(person.state.focus).toBe('editor');
    expect(person.press('<ctrl+r>fir<enter>').seen().at(-1)).toEqual(submit('first'));
  });

  test('Escape and Tab keep what was found', () => {
    for (const name of ['<escape>', '<tab>']) {
      const person = new Person({ history }).press(`<ctrl+r>thi${name}`);
      expect([person.text, person.state.focus, person.seen()]).toEqual(['third', 'editor', []]);
    }
  });
});

describe('the menu', () => {
  const menu: Completion = {
    from: 0,
    to: 2,
    items: [
      { label: '/model', insert: '/model ', onEnter: 'run' },
      { label: '/mcp', insert: '/mcp', onEnter: 'run' },
      { label: '/compact', insert: '/compact', onEnter: 'send' },
    ],
  };

  test('Tab takes the highlighted one', () => {
    expect(new Person({ menu }).press('/m<down><tab>').text).toBe('/mcp');
  });

  test('Enter runs it only where its name is meant', () => {
    expect(new Person({ menu }).press('/m<down><enter>').seen().at(-1)).toEqual(submit('/mcp'));
    expect(new Person({ menu }).press('/m<up><enter>').seen().at(-1)).toEqual(submit('/m'));
    const files: Completion = { from: 0, to: 2, items: [{ label: 'src', insert: '@src ', onEnter: 'take' }] };
    expect(new Person({ menu: files }).press('@s<enter>').text).toBe('@src ');
  });

  test('one that was closed opens with the next change', () => {
    const person = new Person({ menu }).press('/m<escape><enter>');
    expect(person.seen().at(-1)).toEqual(submit('/m'));
  });
});

test('a chord waits a second; an unknown one does nothing', () => {
  expect(new Person().press('<ctrl+x>t').seen()).toEqual([{ type: 'act', action: 'app:tree' }]);
  const late = new Person().press('<ctrl+x>').wait(1001).press('t');
  expect([late.seen(), late.text]).toEqual([[], 't']);
  const unknown = new Person().press('<ctrl+x>z');
  expect([unknown.seen(), unknown.text]).toEqual([[], '']);
});

test('Ctrl+S puts the draft away and back', () => {
  const person = new Person().press('draft<ctrl+s>');
  expect(person.text).toBe('');
  expect(person.press('<ctrl+s>').text).toBe('draft');
});

test('? asks for help in an empty editor, and is a character in a text', () => {
  expect(new Person().press('?').seen()).toEqual([{ type: 'act', action: 'app:help' }]);
  expect(new Person().press('why?').text).toBe('why?');
});

test('Ctrl+B moves work to the background while there is some, else it moves left', () => {
  expect(new Person({ phase: 'busy' }).press('<ctrl+b>').seen()).toEqual([{ type: 'act', action: 'task:background' }]);
  expect(new Person().press('ab<ctrl+b>c').text).toBe('acb');
});

test.each<Focus>(['search', 'picker', 'pager', 'question'])('[TUI-30] %s has a way out', (focus) => {
  const question = focus === 'question' ? { paintedAt: 0, takesText: false } : null;
  const search = { query: '', scope: 'project', index: 0, before: { text: '', attachments: [] } } as const;
  const person = new Person({ question }, { focus, search: focus === 'search' ? search : null });
  person.press('<escape>');
  if (focus !== 'question') expect(person.state.focus).toBe('editor');
  // A question is closed by its answer; until then Shift+Tab leaves it.
  else expect(person.seen()).toEqual([{ type: 'answer', action: 'confirm:no' }]);
  expect(person.press('<shift+tab>').state.focus).toBe('editor');
});

test('drafts and other programs put their text into the editor', () => {
  const person = new Person().press('old');
  person.state = withFocus(withDraft(person.state, { text: 'new', attachments: [] }), 'editor');
  expect(person.text).toBe('new');
  expect(person.press('<ctrl+_>').text).toBe('old');
});
