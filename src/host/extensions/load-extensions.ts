import { type AgentFile, readAgentFiles } from '../../config/extensions/agent-files.ts';
import { DEFAULT_STYLE } from '../../config/extensions/bundled.ts';
import { BUNDLED_AGENTS } from '../../config/extensions/bundled-agents.ts';
import { bundledPrompts, bundledStyles } from '../../config/extensions/bundled-texts.ts';
import { readCommands } from '../../config/extensions/commands.ts';
import type { FileNotes, FileSource } from '../../config/extensions/markdown-files.ts';
import { type OutputStyle, readOutputStyles } from '../../config/extensions/output-styles.ts';
import type { Plugin } from '../../config/extensions/plugins.ts';
import type { PromptFile } from '../../config/extensions/prompt-file.ts';
import { LISTING_BUDGET, skillListing } from '../../config/extensions/skill-listing.ts';
import { readSkills } from '../../config/extensions/skills.ts';
import type { Trust } from '../../config/trust-store.ts';
import { trustByLaunch } from '../../config/trusted-by-launch.ts';
import { plainName } from '../../permissions/name-rules.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { positiveInteger } from '../../util/text/setting-text.ts';
import { isTrustedByLaunch } from '../launch/apply-settings.ts';
import { noteIgnored, projectTrust, type TrustReport } from '../launch/project-trust.ts';
import {
  type ExtensionFolder,
  type ExtensionOptions,
  type Extensions,
  enabledPlugins,
  pluginsOf,
  type TrustedDirectories,
} from './extensions.ts';
import { isOurs, OURS_ALONE, parseCommand } from './parse-command.ts';

/**
 * Reads the extension files of a session, each folder once. A problem is logged with file and line, and does not affect
 * other files. Files of an untrusted project are only texts: what they would run, allow or select is left out and
 * logged.
 */
export async function loadExtensions(
  folders: readonly ExtensionFolder[],
  options: ExtensionOptions,
  trustedByLaunch: TrustedDirectories,
): Promise<Omit<Extensions, 'again'>> {
  const { configuration, env, log, directories } = options;
  const trusts = await trustsIn(folders, options, trustedByLaunch);
  const trust = reportOf(trusts);
  const notes = notesTo(log, trust);
  const { plugins, pluginErrors } = await pluginsOfSession(options, notes);
  const isTrusted = trusts.get(directories.cwd) === 'trusted';
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
    style: selectedStyle(configuration.settings.outputStyle, styles, log),
    plugins,
    pluginErrors,
    trust,
  };
}

/** Most sessions have no plugins, and so do not load the code of plugins. */
async function pluginsOfSession(
  options: ExtensionOptions,
  notes: FileNotes,
): Promise<Pick<Extensions, 'plugins' | 'pluginErrors'>> {
  const { config, configuration, namedPlugins = pluginsOf(config) } = options;
  if (namedPlugins.length === 0 && enabledPlugins(configuration.settings).length === 0) {
    return { plugins: [], pluginErrors: [] };
  }
  const { readPlugins } = await import('./load-plugins.ts');
  return readPlugins(options, notes);
}

/** Finds a prompt by its name, or by another name that no other prompt has. */
export function findPrompt(prompts: readonly PromptFile[], name: string): PromptFile | null {
  const exact = prompts.find((prompt) => prompt.name === name);
  if (exact) return exact;
  const [only, more] = prompts.filter(({ aliases }) => aliases.includes(name));
  return only !== undefined && more === undefined ? only : null;
}

/** The skills that a host has enabled by name; all if it has named none. */
export function enabledSkills(skills: readonly PromptFile[], only: readonly string[] | null): readonly PromptFile[] {
  if (only === null) return skills;
  return skills.filter(({ name, aliases }) => only.includes(name) || aliases.some((alias) => only.includes(alias)));
}

interface Read<T> {
  scope: ExtensionFolder['scope'];
  all: T[];
}

/** The trust in each directory whose files are read. */
async function trustsIn(
  folders: readonly ExtensionFolder[],
  { config, configuration, directories }: ExtensionOptions,
  trustedByLaunch: TrustedDirectories,
): Promise<Map<string, Trust>> {
  const roots = new Set(folders.flatMap(({ scope, root }) => (scope === 'project' ? root : [])));
  const trusts = new Map<string, Trust>();
  for (const root of roots) {
    if (root === directories.cwd) {
      trusts.set(root, await configuration.projectTrust());
      continue;
    }
    const mine = isTrustedByLaunch(config) ? (trustedByLaunch.get(root) ?? trustByLaunch(root)) : null;
    if (mine) trustedByLaunch.set(root, mine);
    trusts.set(root, projectTrust(mine, { ...directories, cwd: root }));
  }
  return trusts;
}

/** The state of the least trusted directory. */
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

/**
 * The order: the user's files, the project's, plugins, and last those that come with Heddle; skills before commands.
 */
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
  // The order of the reference.
  return [...all.filter(({ scope }) => scope === 'bundled'), ...all.filter(({ scope }) => scope !== 'bundled')];
}

/** Who can call it: users, the model alone, or (null) no one. */
function callable(prompt: PromptFile, notes: FileNotes): PromptFile | null {
  const { name, path, scope, mayRun, forUser, forModel } = prompt;
  const why = whyNotTyped(name);
  // A file replaces a built-in command of its name, except a file of an untrusted project.
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

/** The styles of an untrusted project are ignored: a style instructs the agent itself. */
function stylesOf(read: readonly Read<OutputStyle>[], plugins: readonly Plugin[], isTrusted: boolean): OutputStyle[] {
  const of = (scope: Read<unknown>['scope']) => read.flatMap((each) => (each.scope === scope ? each.all : []));
  const fromFiles = [...(isTrusted ? of('project') : []), ...of('user'), ...plugins.flatMap((plugin) => plugin.styles)];
  const all = unique([...fromFiles, ...bundledStyles()]);
  return [...all.filter(({ scope }) => scope === 'bundled'), ...all.filter(({ scope }) => scope !== 'bundled')];
}

/** An agent of a trusted project replaces the user's or the built-in agent of the same name. */
function agentsOf(
  read: readonly Read<AgentFile>[],
  plugins: readonly Plugin[],
  { isTrusted, notes }: { isTrusted: boolean; notes: FileNotes },
): AgentFile[] {
  const of = (scope: Read<unknown>['scope']) => read.flatMap((each) => (each.scope === scope ? each.all : []));
  const fromPlugins = plugins.flatMap((plugin) => plugin.agents);
  for (const scope of ['user', 'project'] as const) warnOfTwins(of(scope), notes);
  if (isTrusted) return unique([...of('project'), ...of('user'), ...fromPlugins]);
  const isOurs = ({ name }: AgentFile) => BUNDLED_AGENTS.some((ours) => plainName(ours.name) === plainName(name));
  for (const { path } of of('project').filter(isOurs)) notes.ignore(path, ['name']);
  return unique([...of('user'), ...of('project').filter((agent) => !isOurs(agent)), ...fromPlugins]);
}

/** Logs agents of one scope with the same name: only the first counts. */
function warnOfTwins(agents: readonly AgentFile[], notes: FileNotes): void {
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

function selectedStyle(wanted: string | undefined, styles: readonly OutputStyle[], log: Logger): OutputStyle | null {
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

/** Keeps the first of each name. */
function unique<T extends { name: string }>(all: readonly T[]): T[] {
  const seen = new Set<string>();
  return all.filter(({ name }) => {
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
