import { type AgentFile, readAgentFiles } from '../config/agent-files.ts';
import { DEFAULT_STYLE } from '../config/bundled.ts';
import { BUNDLED_AGENTS } from '../config/bundled-agents.ts';
import { bundledPrompts, bundledStyles } from '../config/bundled-texts.ts';
import { readCommands } from '../config/commands.ts';
import type { FileNotes, FileSource } from '../config/markdown-files.ts';
import { type OutputStyle, readOutputStyles } from '../config/output-styles.ts';
import type { Plugin } from '../config/plugins.ts';
import type { PromptFile } from '../config/prompt-file.ts';
import { LISTING_BUDGET, skillListing } from '../config/skill-listing.ts';
import { readSkills } from '../config/skills.ts';
import type { Trust } from '../config/trust-store.ts';
import { vouchFor } from '../config/vouched.ts';
import { plainName } from '../permissions/name-rules.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { positiveInteger } from '../util/setting-text.ts';
import { isOurs, OURS_ALONE, parseCommand } from './command-line.ts';
import type { ExtensionFolder, ExtensionOptions, Extensions, VouchedDirectories } from './extensions.ts';
import { isVouchedFor } from './launch-settings.ts';
import { readPlugins } from './load-plugins.ts';
import { noteIgnored, projectTrust, type TrustReport } from './settings.ts';

/**
 * Reads the extension files of a session, each folder once. What is wrong with one of them is said with its file and
 * line, and the others are there all the same. Those of a project that nobody has called trustworthy are texts and
 * nothing more: what they would run, allow or choose is left out, and said (ruling G1).
 */
export async function loadExtensions(
  folders: readonly ExtensionFolder[],
  options: ExtensionOptions,
  vouched: VouchedDirectories,
): Promise<Omit<Extensions, 'again'>> {
  const { configuration, env, log, places } = options;
  const trusts = await trustsIn(folders, options, vouched);
  const trust = reportOf(trusts);
  const notes = notesTo(log, trust);
  const { plugins, pluginErrors } = readPlugins(options, notes);
  const isTrusted = trusts.get(places.cwd) === 'trusted';
  const sourceOf = ({ scope, root }: ExtensionFolder): FileSource => {
    return { scope, confinedTo: scope === 'user' || trusts.get(root) === 'trusted' ? null : root, notes };
  };
  const read = <T>(kind: ExtensionFolder['kind'], reader: (path: string, source: FileSource) => T[]) =>
    folders
      .filter((folder) => folder.kind === kind)
      .map((folder) => ({ scope: folder.scope, all: reader(folder.path, sourceOf(folder)) }));

  const prompts = promptsOf([...read('skills', readSkills), ...read('commands', readCommands)], plugins, {
    ...options,
    notes,
  });
  const styles = stylesOf(read('output-styles', readOutputStyles), plugins, isTrusted);
  const agents = agentsOf(read('agents', readAgentFiles), plugins, { isTrusted, notes });
  if (trust) noteIgnored(trust, log);
  const skills = prompts.filter(({ forModel }) => forModel);
  const budget = positiveInteger(env.SLASH_COMMAND_TOOL_CHAR_BUDGET) ?? LISTING_BUDGET;
  const leftOut = skillListing(skills, budget)?.leftOut ?? 0;
  if (leftOut > 0) log('warn', `${leftOut} skills do not fit into the list for the model`);
  return {
    prompts,
    find: async (name) =>
      findPrompt(
        prompts.filter(({ forUser }) => forUser),
        name,
      ),
    skills,
    listing: (only) => skillListing(enabledSkills(skills, only), budget)?.text ?? null,
    agents,
    styles: [DEFAULT_STYLE, ...styles.map(({ name }) => name)],
    style: chosenStyle(configuration.settings.outputStyle, styles, log),
    plugins,
    pluginErrors,
    trust,
  };
}

/** By its name, or another name of it where only one has that. */
export function findPrompt(prompts: readonly PromptFile[], name: string): PromptFile | null {
  const exact = prompts.find((prompt) => prompt.name === name);
  if (exact) return exact;
  const [only, more] = prompts.filter(({ aliases }) => aliases.includes(name));
  return only !== undefined && more === undefined ? only : null;
}

/** Those that a host has named, by name; all when it has named none. */
export function enabledSkills(skills: readonly PromptFile[], only: readonly string[] | null): readonly PromptFile[] {
  if (only === null) return skills;
  return skills.filter(({ name, aliases }) => only.includes(name) || aliases.some((alias) => only.includes(alias)));
}

interface Read<T> {
  scope: ExtensionFolder['scope'];
  all: T[];
}

/** How far each directory is believed whose files are read. */
async function trustsIn(
  folders: readonly ExtensionFolder[],
  { config, configuration, places }: ExtensionOptions,
  vouched: VouchedDirectories,
): Promise<Map<string, Trust>> {
  const roots = new Set(folders.flatMap(({ scope, root }) => (scope === 'project' ? root : [])));
  const trusts = new Map<string, Trust>();
  for (const root of roots) {
    if (root === places.cwd) {
      trusts.set(root, await configuration.projectTrust());
      continue;
    }
    const mine = isVouchedFor(config) ? (vouched.get(root) ?? vouchFor(root)) : null;
    if (mine) vouched.set(root, mine);
    trusts.set(root, projectTrust(mine, { ...places, cwd: root }));
  }
  return trusts;
}

/** The state of the one that is trusted least. */
function reportOf(trusts: ReadonlyMap<string, Trust>): TrustReport | null {
  if (trusts.size === 0) return null;
  const state = [...trusts.values()].find((each) => each !== 'trusted') ?? 'trusted';
  return { state, ignored: [] };
}

function notesTo(log: Logger, trust: TrustReport | null): FileNotes {
  return {
    warn(file, problem, line) {
      log('warn', printable(`${file}${line === undefined ? '' : `:${line}`}: ${problem}`));
    },
    ignore(file, keys) {
      trust?.ignored.push({ file, keys: [...keys] });
    },
  };
}

/** The user's go before the project's, skills before commands, plugins' behind; what comes with the program last. */
function promptsOf(
  read: readonly Read<PromptFile>[],
  plugins: readonly Plugin[],
  { config, notes }: ExtensionOptions & { notes: FileNotes },
): PromptFile[] {
  if (config.disableSlashCommands) return [];
  const inOrder = (['user', 'project'] as const).flatMap((scope) =>
    read.filter((each) => each.scope === scope).flatMap(({ all }) => all),
  );
  const fromFiles = [...inOrder, ...plugins.flatMap((plugin) => plugin.prompts)];
  const usable = fromFiles.flatMap((prompt) => callable(prompt, notes) ?? []);
  const all = unique([...usable, ...bundledPrompts()]);
  // As the reference lists them.
  return [...all.filter(({ scope }) => scope === 'bundled'), ...all.filter(({ scope }) => scope !== 'bundled')];
}

/** As it can be called: by users, by the model alone, or (null) not at all. */
function callable(prompt: PromptFile, notes: FileNotes): PromptFile | null {
  const { name, path, scope, mayRun, forUser, forModel } = prompt;
  const why = whyNotTyped(name);
  // A file stands in for a command of ours, but none of a project that nobody trusts: what a name means is no text.
  const isMeant = scope !== 'project' || mayRun || !isOurs(name);
  if (!forUser || (why === null && isMeant)) return prompt;
  const who = forModel ? 'only the model calls for this one' : 'this one is never called';
  if (why !== null) notes.warn(path ?? name, `${why}, so that ${who}. Give the file another name.`);
  else if (path !== null) notes.ignore(path, ['name']);
  return forModel ? { ...prompt, forUser: false } : null;
}

function whyNotTyped(name: string): string | null {
  if (OURS_ALONE.includes(name)) return `/${name} is a command of the program itself`;
  return parseCommand(`/${name}`)?.name === name ? null : `/${name} cannot be typed as a command`;
}

/** Untrusted, the project's styles do not count: a style is how the agent itself is instructed. */
function stylesOf(read: readonly Read<OutputStyle>[], plugins: readonly Plugin[], isTrusted: boolean): OutputStyle[] {
  const of = (scope: Read<unknown>['scope']) => read.flatMap((each) => (each.scope === scope ? each.all : []));
  const fromFiles = [...(isTrusted ? of('project') : []), ...of('user'), ...plugins.flatMap((plugin) => plugin.styles)];
  const all = unique([...fromFiles, ...bundledStyles()]);
  return [...all.filter(({ scope }) => scope === 'bundled'), ...all.filter(({ scope }) => scope !== 'bundled')];
}

/** A project's agent stands in for the user's, or for ours, of the same name once the project is trusted. */
function agentsOf(
  read: readonly Read<AgentFile>[],
  plugins: readonly Plugin[],
  { isTrusted, notes }: { isTrusted: boolean; notes: FileNotes },
): AgentFile[] {
  const of = (scope: Read<unknown>['scope']) => read.flatMap((each) => (each.scope === scope ? each.all : []));
  const fromPlugins = plugins.flatMap((plugin) => plugin.agents);
  for (const scope of ['user', 'project'] as const) tellTwins(of(scope), notes);
  if (isTrusted) return unique([...of('project'), ...of('user'), ...fromPlugins]);
  const isOurs = ({ name }: AgentFile) => BUNDLED_AGENTS.some((ours) => plainName(ours.name) === plainName(name));
  for (const { path } of of('project').filter(isOurs)) notes.ignore(path, ['name']);
  return unique([...of('user'), ...of('project').filter((agent) => !isOurs(agent)), ...fromPlugins]);
}

/** Between scopes one stands in for the other; of two in one scope somebody may want both. */
function tellTwins(agents: readonly AgentFile[], notes: FileNotes): void {
  const firsts = new Map(agents.toReversed().map((agent) => [agent.name, agent]));
  const twins = agents.flatMap((agent) => {
    const first = firsts.get(agent.name);
    return first && first !== agent ? [{ agent, first }] : [];
  });
  for (const { agent, first } of twins.slice(0, MAX_TOLD)) {
    notes.warn(agent.path, `there is another agent ${agent.name} (${first.path}), so that this one is left out`);
  }
  const more = twins[MAX_TOLD]?.agent.path;
  if (more !== undefined)
    notes.warn(more, `this and ${twins.length - MAX_TOLD - 1} more agents have the names of others`);
}

const MAX_TOLD = 5;

function chosenStyle(wanted: string | undefined, styles: readonly OutputStyle[], log: Logger): OutputStyle | null {
  if (wanted === undefined || wanted.toLowerCase() === DEFAULT_STYLE) return null;
  const found =
    styles.find(({ name }) => name === wanted) ??
    styles.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const near = nearestWord(
    wanted,
    styles.map(({ name }) => name),
  );
  const hint = near === null ? '' : ` Did you mean ${near}?`;
  log('warn', printable(`There is no output style '${wanted}', so that none is used.${hint}`));
  return null;
}

/** The first of each name. */
function unique<T extends { name: string }>(all: readonly T[]): T[] {
  const seen = new Set<string>();
  return all.filter(({ name }) => {
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
