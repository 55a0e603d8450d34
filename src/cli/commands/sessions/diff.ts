import { type BranchComparison, type BranchSide, compareBranches } from '../../../admin/compare-branches.ts';
import { entryLines } from '../../../admin/session-views.ts';
import { openLean, type SessionsLocation } from '../../../admin/sessions.ts';
import { stringField } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printPieces, terminalOf } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions diff [--all] [--json] [--home DIR] A B

Compares two branches, of one session or of two: what they have in common, what each has alone, and
the files that each has changed. A and B are SESSION, its active branch, or SESSION#MESSAGE, the
branch up to that message; B may be #MESSAGE, a branch of the session of A.

  --all        outputs, inputs and thoughts in full length
  --json       as JSON, with the uuids of the messages
  --home DIR   of another config home; nothing is written there

Examples:
  heddle sessions diff 3f2a91c0 "#81b0d2aa"
  heddle sessions diff "the big refactoring" 9c1d77e0
`;

export const diff: SessionsAction = {
  help: HELP,
  flags: { '--all': 'switch', '--json': 'switch' },
  async run(args, location) {
    const [first = '', second = ''] = takeWords(args.words, ['A', 'B']);
    const a = await openSide(first, location);
    const b = await openSide(second.startsWith('#') ? `${a.name}${second}` : second, location).catch(async (error) => {
      await a.session.close();
      throw error;
    });
    try {
      const compared = compareBranches(a, b);
      if (args.has('--json')) printJson(shownJson(compared));
      else await printPieces(textOf(compared, args.has('--all')));
    } finally {
      await a.session.close();
      await b.session.close();
    }
    return 0;
  },
};

async function openSide(word: string, location: SessionsLocation) {
  const [, name = '', message] = /^(.*?)(?:#([^#]*))?$/s.exec(word) ?? [];
  if (name === '' || message === '') throw usage(`'${printable(word)}' is neither SESSION nor SESSION#MESSAGE`);
  return { session: await openLean(name, location), name, message };
}

async function* textOf({ a, b, common }: BranchComparison, everything: boolean): AsyncGenerator<string, void> {
  const terminal = terminalOf(process.stdout, process.env);
  const { paint } = terminal;
  const upTo = common.last ? `, up to ${common.last.uuid.slice(0, 8)} ${common.last.text}` : '';
  yield `${counted(common.messages, 'message')} in common${upTo}\n`;
  for (const [name, side] of [['A', a] as const, ['B', b] as const]) {
    yield `\n${paint.bold(`only in ${name}`)} ${paint.dim(`${side.sessionId} · ${counted(side.turns, 'turn')}`)}\n\n`;
    for await (const lines of entryLines(side.session, side.own, { ...terminal, everything })) {
      if (lines.length > 0) yield `${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`;
    }
    if (side.own.length === 0) yield '  nothing\n';
  }
  const lines = filesText(a, b);
  if (lines.length > 0) yield `\n${paint.bold('files changed')}\n\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function filesText(a: BranchSide, b: BranchSide): string[] {
  const all = [...new Set([...a.files, ...b.files])].sort();
  return all.map((file) => {
    const [inA, inB] = [a.files.includes(file), b.files.includes(file)];
    return `${inA ? 'A' : ' '} ${inB ? 'B' : ' '}  ${printable(file)}`;
  });
}

function shownJson({ a, b, common }: BranchComparison) {
  const side = ({ sessionId, leaf, own, turns, files }: BranchSide) => ({
    ...{ session_id: sessionId, leaf_uuid: leaf, turns },
    ...{ only: own.flatMap((entry) => stringField(entry, 'uuid') ?? []), files_changed: files },
  });
  return { common: { messages: common.messages, last_uuid: common.last?.uuid ?? null }, a: side(a), b: side(b) };
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
