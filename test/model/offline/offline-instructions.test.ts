import { describe, expect, it } from 'vitest';
import { parseInstructions } from '../../../src/model/offline/offline-instructions.ts';

function steps(prompt: string) {
  const instructions = parseInstructions(prompt);
  return instructions.understood ? instructions.steps : instructions.passage;
}

describe('parseInstructions', () => {
  it.each([
    ['read notes.txt', { kind: 'read', file: 'notes.txt' }],
    ['Please read the file "my notes.txt".', { kind: 'read', file: 'my notes.txt' }],
    ['list files', { kind: 'list' }],
    ['list all files in src', { kind: 'list', directory: 'src' }],
    ['list files matching **/*.ts', { kind: 'list', glob: '**/*.ts' }],
    ['list the files in src/a matching *.ts', { kind: 'list', directory: 'src/a', glob: '*.ts' }],
    ['find TODO', { kind: 'find', text: 'TODO' }],
    ['find made in japan in src', { kind: 'find', text: 'made in japan', directory: 'src' }],
    ['find "a in b"', { kind: 'find', text: 'a in b' }],
    ['run: echo hi && echo there', { kind: 'run', command: 'echo hi && echo there' }],
    ['run `npm test`', { kind: 'run', command: 'npm test' }],
    ['run: "a b" "c d"', { kind: 'run', command: '"a b" "c d"' }],
    ['run: if true; then echo yes; fi', { kind: 'run', command: 'if true; then echo yes; fi' }],
    ["run: echo 'x then read y'", { kind: 'run', command: "echo 'x then read y'" }],
    ['write a.txt: Hello: world', { kind: 'write', file: 'a.txt', text: 'Hello: world' }],
    ['write a.txt: one\ntwo', { kind: 'write', file: 'a.txt', text: 'one\ntwo' }],
    ['write a.txt: "say then read b"', { kind: 'write', file: 'a.txt', text: 'say then read b' }],
    ['write a.txt:', { kind: 'write', file: 'a.txt', text: '' }],
    ['replace foo with bar in a.txt', { kind: 'replace', from: 'foo', to: 'bar', file: 'a.txt' }],
    ["replace 'a with b' with 'c in d' in x.ts.", { kind: 'replace', from: 'a with b', to: 'c in d', file: 'x.ts' }],
  ])('understands %j', (prompt, step) => {
    expect(steps(prompt)).toEqual([step]);
  });

  it.each([
    'read a.txt then write b.txt: hi then run: ls',
    'Read a.txt, then write b.txt: hi and then run: ls',
    'First read a.txt\nwrite b.txt: hi\nrun: ls',
    '1. read a.txt\n2. write b.txt: hi\n3. run: ls',
    '- read a.txt\n- then write b.txt: hi\n- run: ls\n',
    'please read a.txt. Then write b.txt: hi\n\nfinally run: ls'.replace('finally run', 'then run'),
  ])('takes several steps from %j', (prompt) => {
    expect(steps(prompt)).toEqual([
      { kind: 'read', file: 'a.txt' },
      { kind: 'write', file: 'b.txt', text: 'hi' },
      { kind: 'run', command: 'ls' },
    ]);
  });

  it.each(['', '   ', 'What is the meaning of life?', 'run tests', 'reading is fun', 'read'])(
    'does not pretend to understand %j',
    (prompt) => {
      expect(parseInstructions(prompt).understood).toBe(false);
    },
  );

  it('follows nothing when one passage is no instruction, and names it', () => {
    expect(steps('delete the backup then run: make')).toBe('delete the backup');
    expect(steps('read a.txt\nand summarise it')).toBe('read a.txt\nand summarise it');
  });
});
