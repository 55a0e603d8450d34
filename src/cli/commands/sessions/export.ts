import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { htmlOf } from '../../../admin/html/export-html.ts';
import { createRedactor } from '../../../admin/html/redact.ts';
import { jsonOf, markdownOf, printableLines } from '../../../admin/session-views.ts';
import { findStored, newestStored, openLean, type SessionsLocation } from '../../../admin/sessions.ts';
import { errorCode } from '../../../util/error-code.ts';
import { systemReason } from '../../../util/files/system-reason.ts';
import { readPageFiles } from '../../../web/page-files.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { usage } from '../../flags/args.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { printPieces, printRemark } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions export [--md | --json | --html] [--leaf MESSAGE | --all-branches]
                              [--redact] [--no-outputs] [--output FILE [--force]]
                              [--home DIR] [SESSION]

Writes a session to stdout or into a file: its conversation from the very beginning, and its
subagents. Without SESSION: the newest of this directory.

  --md             as Markdown (default)
  --json           as JSON, with messages as on the wire
  --html           as one HTML file that opens without a network: the page of heddle web
  --leaf MESSAGE   the branch up to that message instead of the active one
  --all-branches   every branch, the active one first
  --redact         with --html: masks what looks like a credential, and the path of your home
  --no-outputs     with --html: without what tools have found and printed
  --output FILE    into a file, private to you; one that is there already is an error
  --force          overwrites it
  --home DIR       of another config home; nothing is written there

Examples:
  heddle sessions export 3f2a91c0 --output notes.md
  heddle sessions export --html --redact 3f2a91c0 --output session.html
  heddle sessions export --json --all-branches 3f2a91c0 > session.json
`;

export const exportSession: SessionsAction = {
  help: HELP,
  flags: {
    '--md': 'switch',
    '--json': 'switch',
    '--html': 'switch',
    '--redact': 'switch',
    '--no-outputs': 'switch',
    '--leaf': 'text',
    '--all-branches': 'switch',
    '--output': 'text',
    '--force': 'switch',
  },
  async run(args, location) {
    const [name] = takeWords(args.words, ['SESSION'], 0);
    if (['--md', '--json', '--html'].filter(args.has).length > 1) {
      throw usage('--md, --json and --html exclude each other');
    }
    for (const flag of ['--redact', '--no-outputs']) {
      if (args.has(flag) && !args.has('--html')) throw usage(`${flag} goes with --html`);
    }
    if (args.has('--leaf') && args.has('--all-branches')) {
      throw usage('--leaf and --all-branches exclude each other');
    }
    if (args.has('--html')) return exportHtml(name, args, location);
    const session = await openLean(name, location);
    const choice = { leaf: args.text('--leaf'), allBranches: args.has('--all-branches') };
    const document = args.has('--json') ? asLast(jsonOf(session, choice)) : paragraphs(markdownOf(session, choice));
    const output = args.text('--output');
    try {
      if (output === undefined) await printPieces(process.stdout.isTTY ? shown(document) : document);
      else await writeDocument(resolve(process.cwd(), output), document, { force: args.has('--force') });
    } finally {
      await session.close();
    }
    return 0;
  },
};

/** The session as one file with the page in it. */
async function exportHtml(name: string | undefined, args: CommandArgs, location: SessionsLocation): Promise<number> {
  const found = name === undefined ? await newestStored(location) : await findStored(name, location);
  const secrets = Object.entries(process.env).flatMap(([key, value]) =>
    value && SECRET_NAME.test(key) ? [value] : [],
  );
  const redactor = createRedactor({ secrets, homes: [homedir()] });
  const document = htmlOf(found, readPageFiles(), {
    leaf: args.text('--leaf'),
    allBranches: args.has('--all-branches'),
    noOutputs: args.has('--no-outputs'),
    redact: args.has('--redact') ? redactor.redact : (value) => value,
  });
  const output = args.text('--output');
  if (output === undefined) await printPieces(document);
  else await writeDocument(resolve(process.cwd(), output), document, { force: args.has('--force') });
  const { count } = redactor;
  if (args.has('--redact'))
    printRemark(`${count} ${count === 1 ? 'text was' : 'texts were'} masked; look at the file before you share it`);
  return 0;
}

/** Variables of the environment whose values are masked. */
const SECRET_NAME = /key|token|secret|password|credential/i;

async function* asLast(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield* pieces;
  yield '\n';
}

/** Puts an empty line between paragraphs. */
async function* paragraphs(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let before: string | null = null;
  for await (const piece of pieces) {
    if (before !== null) yield `${before}\n\n`;
    before = piece;
  }
  yield `${(before ?? '').trimEnd()}\n`;
}

/** A stored text must not act on the terminal; in a pipe it stays unchanged. A line may be in several pieces. */
async function* shown(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const piece of pieces) yield printableLines(piece).join('\n');
}

async function writeDocument(
  path: string,
  document: AsyncIterable<string>,
  { force }: { force: boolean },
): Promise<void> {
  const { file, isNew } = create(path, force);
  try {
    for await (const piece of document) writeFileSync(file, piece);
    closeSync(file);
  } catch (cause) {
    closeSync(file);
    if (isNew) rmSync(path, { force: true });
    throw HeddleError.isInstance(cause) ? cause : notWritten(path, cause);
  }
  printRemark(`written to ${path}`);
}

function create(path: string, force: boolean): { file: number; isNew: boolean } {
  try {
    return { file: openSync(path, 'wx', 0o600), isNew: true };
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw notWritten(path, cause);
    if (!force) throw usage(`${path} exists already: --force overwrites it`);
  }
  try {
    return { file: openSync(path, 'w', 0o600), isNew: false };
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

function notWritten(path: string, cause: unknown): HeddleError {
  return new HeddleError('storage_failed', `${path} cannot be written: ${systemReason(cause)}`, { cause });
}
