// The text of docs/reference/cli.md: every flag, from the table that parses them and the texts of --help; then the --help of
// each command.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSources } from './load-sources.mjs';
import { root } from './tree.mjs';

const SOURCES = `
  export { COMMAND_HELP } from './src/cli/commands/all-help.ts';
  export { GROUPS } from './src/cli/flags/help-text.ts';
  export { IGNORED_FLAGS } from './src/cli/flags/ignored-flags.ts';
  export { OPTION_CHECKS } from './src/sdk/options/option-checks.ts';
  export { FLAGS } from './src/wire/flags.ts';
`;

export async function cliReference() {
  const sources = await loadSources(SOURCES);
  const commands = Object.entries(sources.COMMAND_HELP).filter(([name]) => name !== 'heddle');
  const texts = await Promise.all(commands.map(async ([name, help]) => ({ name, text: await help() })));
  return [INTRODUCTION, flagSections(sources), ignoredSection(sources), commandSections(texts)].join('\n');
}

const INTRODUCTION = `<!-- Written by \`npm run docs\`. Do not edit: change the sources and run it again. -->
# Command line reference

Every flag and every command. [Command line](../cli.md) explains prompts, formats and exit codes.

A flag takes the next word as its value, or what follows its \`=\`. A list takes all words up to the next flag. \`--\`
ends the flags. The last column is the name of the same setting in a program: an option of the [SDK](../sdk.md), or, in
italics, only a field of \`RunConfig\`, which an [engine](../engine.md) takes.
`;

function flagSections({ FLAGS, GROUPS, OPTION_CHECKS }) {
  const options = optionsByKey(OPTION_CHECKS);
  const known = new Map(FLAGS.flatMap((flag) => [flag.name, ...(flag.aliases ?? [])].map((name) => [name, flag])));
  const explained = new Set();
  const sections = GROUPS.map(({ title, options: lines }) => {
    const rows = joined(lines).flatMap(({ spelling, text }) => {
      const flag = namesIn(spelling)
        .map((name) => known.get(name))
        .find(Boolean);
      if (flag) explained.add(flag.name);
      const others = namesIn(text)
        .map((name) => known.get(name))
        .filter((other) => other && !explained.has(other.name));
      for (const other of others) explained.add(other.name);
      return [row({ spelling, text, flag, options }), ...others.map((other) => sameRow(other, flag, options))];
    });
    return [`## ${title}`, '', ...HEAD, ...rows, ''].join('\n');
  });
  const missing = FLAGS.filter(({ name }) => !explained.has(name));
  if (missing.length > 0) throw new Error(`--help says nothing of ${missing.map(({ name }) => name).join(', ')}`);
  return sections.join('\n');
}

const HEAD = ['| flag | value | meaning | in a program |', '|---|---|---|---|'];

/** Lines of --help without a flag continue the one before. */
function joined(lines) {
  const all = [];
  for (const [spelling, text] of lines) {
    if (spelling === '') all.at(-1).text += ` ${text}`;
    else all.push({ spelling, text });
  }
  return all;
}

function namesIn(text) {
  return text.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? [];
}

function row({ spelling, text, flag, options }) {
  const names = [...new Set([...namesIn(spelling), ...(flag?.aliases ?? [])])].map((name) => `\`${name}\``).join(', ');
  const value = /[<[](.*?)[>\]]/.exec(spelling)?.[0] ?? spelling.split(' ')[1]?.replace(/^-.*/, '') ?? '';
  const page = PAGES[flag?.name];
  const words = text.replaceAll(/--[a-z][\w-]*(?: <\w+>)?/g, '`$&`');
  const meaning = page ? `${words} ([more](../${page}))` : words;
  return cells([names, valueText(value, flag), meaning, flag ? inProgram(flag, options) : '']);
}

/** One that --help only mentions beside another. */
function sameRow(flag, other, options) {
  const name = `\`${flag.name}\``;
  const meaning = flag.name.endsWith('-file') ? `\`${other.name}\`, from a file` : `See \`${other.name}\``;
  return cells([name, valueText(flag.name.endsWith('-file') ? '<path>' : '', flag), meaning, inProgram(flag, options)]);
}

function valueText(value, flag) {
  const choices = flag?.choices?.map((choice) => `\`${choice}\``).join(', ');
  if (choices) return choices;
  return value === '' ? '' : `\`${value}\``;
}

function inProgram({ key }, options) {
  const names = options.get(key);
  return names ? names.map((name) => `\`${name}\``).join(', ') : `*\`${key}\`*`;
}

function cells(texts) {
  return `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Options that become a field by way of a function of their own. */
const BY_FUNCTION = {
  thinking: ['thinking'],
  maxThinkingTokens: ['maxThinkingTokens', 'thinking'],
  mcpConfig: ['mcpServers'],
  jsonSchema: ['outputFormat'],
  settings: ['settings', 'sandbox'],
  systemPrompt: ['systemPrompt'],
  appendSystemPrompt: ['systemPrompt'],
};

/** Which options of the SDK a field of RunConfig is made of: read off the function that makes it. */
function optionsByKey(checks) {
  const source = readFileSync(join(root, 'src/sdk/options/to-launch.ts'), 'utf8');
  const fields = [...source.matchAll(/^ {4}(\w+): (.*options[.?].*),$/gm)];
  const found = fields.map(([, key, value]) => [
    key,
    [...value.matchAll(/options\??\.(\w+)/g)].map(([, name]) => name),
  ]);
  const all = new Map([...found, ...Object.entries(BY_FUNCTION)].map(([key, names]) => [key, [...new Set(names)]]));
  const unknown = [...all.values()].flat().filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) throw new Error(`src/sdk has no option ${unknown.join(', ')}`);
  return all;
}

function ignoredSection({ IGNORED_FLAGS }) {
  const names = IGNORED_FLAGS.map(({ names }) => names.map((name) => `\`${name}\``).join(' or '));
  return `## Accepted and ignored

These flags of the reference have no meaning here: its cloud, its editors, its appearance. Heddle accepts each, with its value
if it has one, and notes it on stderr. Any other flag is an error.

${names.join(', ')}.
`;
}

function commandSections(texts) {
  const sections = texts.map(({ name, text }) => `### ${name}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`);
  return ['## Commands', '', 'Each prints this with `--help`.', '', ...sections].join('\n');
}

/** Where a flag is explained at length. */
const PAGES = {
  '--output-format': 'cli.md#formats',
  '--input-format': 'wire.md#what-the-agent-reads',
  '--no-progress': 'cli.md#progress',
  '--model': 'models.md',
  '--fallback-model': 'models.md#fallbacks',
  '--effort': 'models.md#thinking-and-effort',
  '--thinking': 'models.md#thinking-and-effort',
  '--thinking-display': 'models.md#thinking-and-effort',
  '--init': 'hooks.md',
  '--teams': 'teams.md',
  '--on-end': 'background.md',
  '--allow-detach': 'background.md#commands-that-outlive-the-session',
  '--autocompact': 'context.md',
  '--json-schema': 'cli.md#structured-output',
  '--allowedTools': 'permissions.md',
  '--disallowedTools': 'permissions.md',
  '--permission-mode': 'permissions.md',
  '--permission-prompt-tool': 'mcp.md#names-and-permission',
  '--resume': 'sessions.md',
  '--fork-session': 'sessions.md',
  '--resume-drops-turn': 'sessions.md#continuing',
  '--continue-turn': 'sessions.md#continuing',
  '--worktree': 'worktrees.md',
  '--settings': 'settings.md',
  '--bare': 'cli.md#flags',
  '--safe-mode': 'cli.md#flags',
  '--trust': 'settings.md#trust',
  '--managed-settings': 'cli.md#managed-settings',
  '--mcp-config': 'mcp.md#servers-of-every-kind',
  '--agents': 'agents.md',
  '--agent': 'agents.md#the-main-thread-as-an-agent',
  '--plugin-dir': 'plugins.md',
  '--disable-slash-commands': 'commands.md',
  '--verbatim-prompts': 'memory.md#mentions',
  '--record': 'replay.md',
};
