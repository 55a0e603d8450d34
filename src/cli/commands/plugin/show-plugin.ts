import { type Acts, isEmpty, KINDS_OF_ACTS } from '../../../plugins/acts.ts';
import { originOf, withoutPassword } from '../../../plugins/marketplace-source.ts';
import type { PreparedPlugin } from '../../../plugins/prepare-install.ts';
import { isObject, stringField } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';

const TITLES: Record<(typeof KINDS_OF_ACTS)[number], string> = {
  hooks: 'hooks, which run when something happens',
  mcpServers: 'MCP servers, which run with the session',
  lspServers: 'language servers, which run with the session',
  bin: 'programs on the PATH of commands',
  shell: 'shell commands of skills and commands, which run when they are called',
  allowedTools: 'what skills and agents may do without a question',
};

/** What acts, one line for each, by kind. */
export function actLines(acts: Acts): string[] {
  const kinds = KINDS_OF_ACTS.filter((kind) => acts[kind].length > 0);
  return kinds.flatMap((kind) => [`  ${TITLES[kind]}:`, ...acts[kind].map((line) => `    ${printable(line)}`)]);
}

/** The names of what a plugin brings. */
export function contentLines({ examined: { plugin, problems } }: Pick<PreparedPlugin, 'examined'>): string[] {
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => printable(name)).join(', ');
  const of = (kind: 'skill' | 'command') => plugin.prompts.filter((prompt) => prompt.kind === kind);
  const rows = [
    ['skills', names(of('skill'))],
    ['commands', names(of('command'))],
    ['agents', names(plugin.agents)],
    ['output styles', names(plugin.styles)],
  ].filter(([, text]) => text !== '');
  return [
    ...rows.map(([kind, text]) => `  ${kind}: ${text}`),
    ...problems.slice(0, 10).map((problem) => `  note: ${printable(problem)}`),
  ];
}

/** Everything that a person needs to know who decides about a plugin. */
export function preparedLines(prepared: PreparedPlugin): string[] {
  const { id, version, commit, entry, examined, scope } = prepared;
  const from = originText(entry.values.source);
  const acts = examined.acts;
  return [
    `${printable(id)} ${printable(version)} (scope ${scope})`,
    ...(from === '' ? [] : [`  from: ${printable(from)}`]),
    ...(commit === undefined ? [] : [`  commit: ${commit}`]),
    `  content: ${examined.integrity}`,
    ...contentLines(prepared),
    ...(isEmpty(acts) ? ['  It has only texts: nothing of it acts by itself.'] : ['', 'This acts:', ...actLines(acts)]),
  ];
}

function originText(source: unknown): string {
  if (typeof source === 'string') return source;
  if (!isObject(source)) return '';
  const text = (key: string) => stringField(source, key);
  const where = originOf(source);
  const registry = source.source === 'npm' ? text('registry') : undefined;
  const from = registry === undefined ? undefined : `from ${withoutPassword(registry)}`;
  const more = [text('path'), text('ref'), text('version'), from].filter((each) => each !== undefined);
  return [withoutPassword(where), ...more].join(' ');
}
