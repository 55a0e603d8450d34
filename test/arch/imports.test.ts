import { expect, test } from 'vitest';
import { type Import, importsOf, type SourceFile, sourceFiles } from '../support/source-tree.ts';

const MIDDLE = ['model', 'tools', 'permissions', 'hooks', 'mcp', 'sessions', 'config'];

interface Rule {
  /** Folders whose values may be imported; types too. */
  values: string[];
  /** Folders of which only types may be imported. */
  types?: string[];
}

/** Who may import whom; a folder may always import itself. The picture is in ARCHITECTURE.md. */
const RULES: Record<string, Rule> = {
  'doors.ts': { values: [] },
  util: { values: [] },
  wire: { values: ['util'] },
  view: { values: ['util'], types: ['wire'] },
  define: { values: ['util', 'wire'] },
  ...Object.fromEntries(MIDDLE.map((folder) => [folder, { values: ['util', 'wire', 'define'], types: MIDDLE }])),
  agent: { values: ['util', 'wire', ...MIDDLE] },
  host: { values: ['util', 'wire', 'define', ...MIDDLE, 'agent', 'plugins'] },
  admin: { values: ['util', 'wire', 'view', 'define', ...MIDDLE, 'agent', 'plugins', 'host'] },
  cli: {
    values: ['util', 'wire', 'view', 'plugins', 'host', 'admin', 'server', 'web', 'acp', 'tui', 'sdk'],
    types: ['agent'],
  },
  sdk: { values: ['util', 'wire', 'define', 'sessions', 'config'] },
  testing: { values: ['util', 'wire', ...MIDDLE], types: ['agent'] },
  // Folders that are not there yet: their places are reserved.
  tui: { values: ['util', 'wire', 'view', 'sdk'] },
  plugins: { values: ['util', 'wire', 'define', 'config'], types: MIDDLE },
  server: { values: ['util', 'wire', 'define', ...MIDDLE, 'agent', 'host', 'admin'] },
  web: { values: ['util', 'wire', 'view', 'server'], types: ['sessions'] },
  acp: { values: ['util', 'wire', 'view', 'define', ...MIDDLE, 'agent', 'host', 'admin'] },
};

const files = sourceFiles();
const graph = new Map(files.map((file) => [file, importsOf(file)]));

test('[ARC-07] every folder of src has an import rule', () => {
  const unknown = [...new Set(files.map((file) => file.folder))].filter((folder) => !(folder in RULES));
  expect(unknown, 'add the folder to RULES and to ARCHITECTURE.md').toEqual([]);
});

test('[ARC-07] a file imports only from its own folder or from folders to its left', () => {
  expect(violations((file, each) => brokenRule(file, each))).toEqual([]);
});

test('[ARC-01] the SDK imports neither the loop nor the tools, not even their types', () => {
  const forbidden = new Set(['agent', 'host', 'tools', 'model']);
  const bad = violations((file, each) => {
    if (file.folder !== 'sdk' || !each.target || !forbidden.has(folderOf(each.target))) return null;
    return 'sdk speaks to the agent through a Transport only';
  });
  expect(bad).toEqual([]);
});

test('[TUI-01] the terminal imports neither the engine nor its tools, and the view nothing but util and types of the wire', () => {
  const forbidden = new Set(['agent', 'host', 'tools', 'model', 'permissions', 'hooks', 'mcp', 'admin', 'cli']);
  const bad = violations((file, { target, kind }) => {
    const folder = target ? folderOf(target) : '';
    if (file.folder === 'tui' && forbidden.has(folder))
      return 'the terminal is a host: it speaks over a Transport only';
    const mayView = folder === 'view' || folder === 'util' || (folder === 'wire' && kind === 'type');
    return file.folder === 'view' && target && !mayView ? 'the view knows lines, and nothing else' : null;
  });
  expect(bad).toEqual([]);
});

test('the progress line and `sessions show` draw from the view', () => {
  const drawn = ['src/cli/terminal/progress-state.ts', 'src/admin/shown-conversation.ts'];
  for (const path of drawn) {
    const file = files.find((each) => each.path === path);
    const targets =
      (file &&
        graph
          .get(file)
          ?.filter(({ kind }) => kind === 'value')
          .map(({ target }) => target)) ??
      [];
    expect(targets, path).toContain('src/view/tracker.ts');
  }
  const users = (target: string) =>
    [...graph].flatMap(([{ path }, imports]) => (imports.some((each) => each.target === target) ? [path] : []));
  expect(users('src/cli/terminal/progress-state.ts')).toContain('src/cli/terminal/progress.ts');
  expect(users('src/admin/shown-conversation.ts')).toEqual(['src/admin/session-views.ts']);
  expect(users('src/sessions/views/render-conversation.ts')).toEqual(['src/admin/session-views.ts']);
});

test('no file imports itself in a circle', () => {
  const values = new Map(
    [...graph].map(([file, imports]) => [
      file.path,
      imports.filter((each) => each.kind === 'value' && each.target).map((each) => each.target as string),
    ]),
  );
  expect(cycles(values).map((cycle) => cycle.join(' -> '))).toEqual([]);
});

function brokenRule(file: SourceFile, each: Import): string | null {
  const rule = RULES[file.folder];
  if (!rule || !each.target) return null;
  const folder = folderOf(each.target);
  if (folder === file.folder || rule.values.includes(folder)) return null;
  if (!rule.types?.includes(folder)) return `${file.folder}/ may not import from ${folder}/`;
  return each.kind === 'type' ? null : `${file.folder}/ may import only types from ${folder}/: use \`import type\``;
}

function violations(check: (file: SourceFile, each: Import) => string | null): string[] {
  return [...graph].flatMap(([file, imports]) =>
    imports.flatMap((each) => {
      const rule = check(file, each);
      return rule ? [`${file.path}:${each.line} imports ${each.specifier}: ${rule}`] : [];
    }),
  );
}

function folderOf(target: string): string {
  return target.split('/')[1] ?? '';
}

/** The circles that a walk depth first runs into; none if and only if there are none. */
function cycles(edges: Map<string, string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    if (done.has(node)) return;
    const at = path.indexOf(node);
    if (at >= 0) {
      found.push([...path.slice(at), node]);
      return;
    }
    path.push(node);
    for (const next of edges.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of edges.keys()) visit(node);
  return found;
}
