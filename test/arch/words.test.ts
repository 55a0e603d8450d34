import { basename } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { type SourceFile, sourceFiles } from '../support/source-tree.ts';

/** Private words of earlier versions, and what to write instead. A row is one word, or several that stand together. */
const INSTEAD: Readonly<Record<string, string>> = {
  acting: 'needing trust',
  aside: 'side question',
  bell: 'wakeup signal',
  bury: 'discard',
  'child-parts': 'agent thread',
  chosen: 'selected',
  chosens: 'selected',
  crew: 'members',
  desk: 'inbox',
  echo: 'replay',
  extras: 'turn scope, options',
  face: 'renderer, handler',
  faces: 'renderers, handlers',
  facts: 'details, info',
  fold: 'join',
  found: 'result, configured',
  fruitless: 'failed in a row',
  given: 'raw, configured',
  'go-on': 'continue, move to',
  halt: 'stop reason',
  halted: 'stopped by hook',
  hear: 'observe',
  'hold-session': 'take lease',
  'idle-rules': 'ineffective rules',
  'join-servers': 'wait for servers',
  kept: 'saved, retained, cached',
  'known-files': 'seen files',
  'last-words': 'final text',
  'later-requests': 'control table',
  'left-behind': 'restore state',
  looker: 'read-only agent',
  'make-room': 'compact now',
  mind: 'conversation',
  narrower: 'stricter',
  news: 'trigger, pending',
  past: 'history, earlier',
  patience: 'limit',
  place: 'location, directory, position, context',
  placed: 'entry',
  places: 'locations, directories, positions',
  reception: 'early lines',
  'remake-tools': 'rebuild tools',
  say: 'send, print',
  seam: 'dependency, port',
  seams: 'dependencies, port',
  shelf: 'files, library, catalog',
  spoken: 'line anchors',
  'stand-in': 'placeholder',
  'stand-ins': 'placeholders',
  'start-over': 'clear',
  stretch: 'segment',
  stretches: 'segments',
  'team-room': 'team service',
  tell: 'announce, report, print',
  telling: 'before record',
  told: 'reported, announced',
  undelivered: 'not recorded',
  unheld: 'without lease',
  unkept: 'unsaved',
  untold: 'unreported',
  voice: 'outbox',
  vouched: 'trusted by launch',
};

/** Names that programs outside of this repository use, or that come from a standard. The list may only shrink. */
const PUBLIC_NAMES = [
  'CliNotFoundError',
  'GivenOptions',
  'Places',
  'SessionPlaceOptions',
  'ToolExtras',
  'executableNotFound',
  'foldSessionSummary',
];
/** Files that are yet to be renamed. The list may only shrink. */
const FILES: string[] = [];

const files = sourceFiles();

test('exported names have words that newcomers know', () => {
  const bad = files.flatMap((file) =>
    exportedNames(file)
      .filter((name) => !PUBLIC_NAMES.includes(name))
      .flatMap((name) => complaints(name).map((text) => `${file.path}: ${name}: ${text}`)),
  );
  expect(bad).toEqual([]);
});

test('file names have words that newcomers know', () => {
  const bad = files
    .filter(({ path }) => !FILES.includes(path))
    .flatMap(({ path }) => complaints(basename(path).replace(/\.tsx?$/, '')).map((text) => `${path}: ${text}`));
  expect(bad).toEqual([]);
});

test('every exception is still needed', () => {
  const exported = new Set(files.flatMap(exportedNames));
  const paths = new Set(files.map(({ path }) => path));
  expect(PUBLIC_NAMES.filter((name) => !exported.has(name) || complaints(name).length === 0)).toEqual([]);
  expect(FILES.filter((path) => !paths.has(path))).toEqual([]);
});

test('names are split into words', () => {
  expect(complaints('readPastTODOs')).toEqual(['"past": write history, earlier']);
  expect(complaints('createStandIns')).toEqual(['"stand-ins": write placeholders']);
  expect(complaints('NOT_KEPT')).toEqual(['"kept": write saved, retained, cached']);
  expect([...complaints('placeholder'), ...complaints('displacement'), ...complaints('interface')]).toEqual([]);
});

function complaints(name: string): string[] {
  const text = `-${kebab(name)}-`;
  return Object.entries(INSTEAD)
    .filter(([word]) => text.includes(`-${word}-`))
    .map(([word, instead]) => `"${word}": write ${instead}`);
}

/** `readPastTODOs`, `READ_PAST` and `read-past` are all words with hyphens between them. */
function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z]{2})/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

/** What a file declares and exports, or exports under another name. */
function exportedNames({ ast }: SourceFile): string[] {
  return ast.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      return clause && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));
    }
    const { name } = statement as ts.Statement & { name?: ts.Node };
    return name && ts.isIdentifier(name) ? [name.text] : [];
  });
}
