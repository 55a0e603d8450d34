import { basename } from 'node:path';
import type { Plugin } from '../config/extensions/plugins.ts';
import type { PromptFile } from '../config/extensions/prompt-file.ts';
import { shellCommands } from '../config/extensions/prompt-template.ts';
import { isObject, isTexts, type JsonObject } from '../util/json.ts';
import { shellWord } from '../util/text/shell-word.ts';
import { integrityOfFiles } from './integrity.ts';

/** What of a plugin runs something or allows it, each as a line for people; equal lines do the same. */
export interface Acts {
  hooks: string[];
  mcpServers: string[];
  lspServers: string[];
  /** Programs on the PATH of commands. */
  bin: string[];
  /** Commands that a skill or command runs when it is called. */
  shell: string[];
  /** What a skill, command or agent may do without a question. */
  allowedTools: string[];
  /** The hash of the files that the above may run; absent where nothing runs. */
  code?: string;
}

export const KINDS_OF_ACTS = ['hooks', 'mcpServers', 'lspServers', 'bin', 'shell', 'allowedTools'] as const;

/** `files`: the hash of each file of the plugin. */
export function actsOf(plugin: Plugin, files: ReadonlyMap<string, string>): Acts {
  const { prompts, agents } = plugin;
  const own =
    ({ name }: { name: string }) =>
    (line: string) =>
      `${name}: ${line}`;
  const acts: Acts = {
    hooks: [
      ...hookLines(plugin.hooks),
      ...[...prompts, ...agents].flatMap((each) => hookLines(each.hooks ?? null).map(own(each))),
    ],
    mcpServers: [
      ...serverLines(plugin.mcpServers),
      ...agents.flatMap((agent) => agentServers(agent.definition.mcpServers).map(own(agent))),
    ],
    lspServers: serverLines(plugin.lspServers),
    bin: [...plugin.programs],
    shell: prompts.flatMap((prompt) => shellIn(prompt).map(own(prompt))),
    allowedTools: [
      ...prompts.flatMap((prompt) => prompt.allowedTools.map(own(prompt))),
      ...agents.flatMap((agent) => {
        const mode = agent.definition.permissionMode;
        return mode === undefined ? [] : [own(agent)(`permissionMode ${mode}`)];
      }),
    ],
  };
  const runs = acts.hooks.length + acts.mcpServers.length + acts.lspServers.length + acts.bin.length;
  if (runs + acts.shell.length === 0) return acts;
  return { ...acts, code: integrityOfFiles(files, (path) => mayBeRun(path, acts)) };
}

export function isEmpty(acts: Acts): boolean {
  return KINDS_OF_ACTS.every((kind) => acts[kind].length === 0);
}

/** What of `next` was not there before. Null: nothing new acts. */
export function newActs(before: Acts, next: Acts): Acts | null {
  const fresh = byKind((kind) => next[kind].filter((line) => !before[kind].includes(line)));
  const isChanged = next.code !== undefined && next.code !== before.code;
  const acts: Acts = { ...fresh, ...(isChanged && { code: next.code }) };
  return isEmpty(acts) && !isChanged ? null : acts;
}

/** Files that a hook or a server may run: all but texts and pictures, and those, too, that one of `acts` names. */
export function mayBeRun(path: string, acts: Acts): boolean {
  const isText = /\.(md|txt|png|jpe?g|gif|svg|webp|ico)$/i.test(path) || /^(LICEN[CS]E|NOTICE|\.gitignore)$/.test(path);
  if (!isText) return true;
  const name = basename(path).toLowerCase();
  const lines = [acts.hooks, acts.mcpServers, acts.lspServers, acts.bin, acts.shell].flat();
  return lines.some((line) => line.toLowerCase().includes(name));
}

/** Data from a file. Null when it has another form. */
export function readActs(value: unknown): Acts | null {
  if (!isObject(value) || KINDS_OF_ACTS.some((kind) => !isTexts(value[kind] ?? []))) return null;
  const { code } = value;
  const lists = byKind((kind) => {
    const list = value[kind];
    return isTexts(list) ? list : [];
  });
  return { ...lists, ...(typeof code === 'string' && { code }) };
}

function byKind(lines: (kind: (typeof KINDS_OF_ACTS)[number]) => string[]): Acts {
  return {
    hooks: lines('hooks'),
    mcpServers: lines('mcpServers'),
    lspServers: lines('lspServers'),
    bin: lines('bin'),
    shell: lines('shell'),
    allowedTools: lines('allowedTools'),
  };
}

function hookLines(hooks: JsonObject | null): string[] {
  return Object.entries(hooks ?? {}).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : [groups]).flatMap((group) => {
      const entries = isObject(group) && Array.isArray(group.hooks) ? group.hooks : [group];
      const matcher =
        isObject(group) && typeof group.matcher === 'string' && group.matcher !== '' ? group.matcher : null;
      return entries.map((hook) => `${event}${matcher === null ? '' : ` (${matcher})`}: ${hookText(hook)}`);
    }),
  );
}

const PLAIN_HOOK: ReadonlySet<string> = new Set(['type', 'command', 'timeout']);

function hookText(hook: unknown): string {
  const isPlain = isObject(hook) && Object.keys(hook).every((key) => PLAIN_HOOK.has(key));
  return isPlain && typeof hook.command === 'string' ? hook.command : JSON.stringify(hook);
}

function serverLines(servers: JsonObject | null): string[] {
  return Object.entries(servers ?? {}).map(([name, server]) => `${name}: ${serverText(server)}`);
}

function serverText(server: unknown): string {
  if (!isObject(server) || typeof server.command !== 'string') return JSON.stringify(server) ?? '';
  const { command, args = [], type: _type, ...more } = server;
  if (!isTexts(args)) return JSON.stringify(server);
  const line = [command, ...args].map(shellWord).join(' ');
  return Object.keys(more).length === 0 ? line : `${line} ${JSON.stringify(more)}`;
}

function agentServers(servers: readonly (string | JsonObject)[] | undefined): string[] {
  // A name refers to a server that is configured elsewhere.
  return (servers ?? []).flatMap((server) => (typeof server === 'string' ? [] : serverLines(server)));
}

function shellIn({ body, mayRun }: PromptFile): string[] {
  return mayRun ? shellCommands(body) : [];
}
