import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { existingOrSame } from '../util/files/existing-path.ts';
import { isObject, isTexts, type JsonObject, stringField } from '../util/json.ts';
import { pluginError } from './plugin-error.ts';

/** Where a marketplace comes from, in the form of settings. Unknown fields are kept. */
export interface MarketplaceSource extends JsonObject {
  source: 'github' | 'git' | 'url' | 'npm' | 'directory' | 'file' | 'settings';
}

export interface WhereTyped {
  cwd: string;
  userHome: string;
}

/**
 * What a person means who names a marketplace: `owner/repo`, an address, a path. A reference follows `@` or `#`. Throws
 * `plugin_failed` for anything else.
 */
export function typedSource(text: string, { cwd, userHome }: WhereTyped): MarketplaceSource {
  if (text === '' || text.startsWith('-') || hasControls(text)) throw unusable(text);
  if (/^(\.{1,2}$|\.{0,2}\/|~\/)/.test(text)) return localSource(text, { cwd, userHome });
  const github = /^([A-Za-z0-9][\w.-]*\/[\w.-]+?)(?:\.git)?(?:[@#](.+))?$/.exec(text);
  if (github) return checkedSource({ source: 'github', repo: github[1], ...(github[2] && { ref: github[2] }) });
  if (text.startsWith('npm:')) {
    const [, name = '', version] = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(text) ?? [];
    return checkedSource({ source: 'npm', package: name, ...(version && { version }) });
  }
  const [address = '', ref] = text.split('#', 2);
  if (/^https?:/.test(address) && /\.json$/.test(address.split('?')[0] ?? '')) {
    return checkedSource({ source: 'url', url: address });
  }
  return checkedSource({ source: 'git', url: address, ...(ref && { ref }) });
}

function localSource(text: string, { cwd, userHome }: WhereTyped): MarketplaceSource {
  const path = existingOrSame(text.startsWith('~/') ? join(userHome, text.slice(2)) : resolve(cwd, text));
  if (!existsSync(path)) throw pluginError(`There is no ${path}`);
  return statSync(path).isDirectory() ? { source: 'directory', path } : { source: 'file', path };
}

/** A source of settings or of a file. Throws `plugin_failed` with what is wrong with it. */
export function checkedSource(value: unknown): MarketplaceSource {
  const kind = stringField(value, 'source');
  if (!isObject(value) || kind === undefined) throw unusable(JSON.stringify(value) ?? '');
  const text = (key: string) => {
    const found = stringField(value, key);
    if (found !== undefined && found !== '' && !hasControls(found) && !found.startsWith('-')) return found;
    throw pluginError(`A marketplace of the source ${kind} needs ${key}`);
  };
  if (value.ref !== undefined) checkRef(text('ref'));
  if (value.sparsePaths !== undefined && !isTexts(value.sparsePaths)) throw unusable('sparsePaths');
  switch (kind) {
    case 'github':
      checkRepo(text('repo'));
      break;
    case 'git':
      checkGitUrl(text('url'), { mayBeLocal: true });
      break;
    case 'url':
      checkHttps(text('url'));
      break;
    case 'npm':
      checkPackage(text('package'), stringField(value, 'version'));
      break;
    case 'directory':
    case 'file':
      text('path');
      break;
    case 'settings':
      text('name');
      break;
    default:
      throw pluginError(
        `There is no source '${kind}' for marketplaces: github, git, url, npm, directory, file, settings`,
      );
  }
  return { ...value, source: kind };
}

/** Protocols that git itself speaks. Anything else would start a program of that name, or be an option. */
const GIT_URL = /^(?:(?:https|ssh):\/\/(?:(?!-)[^@/\s]*@)?(?!-)[^\s]+|\w[\w.-]*@\w[\w.-]*:(?!-)[^\s]+)$/;
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;

/** `mayBeLocal`: a person typed it, or it stands in a file that a person pointed to. */
export function checkGitUrl(url: string, { mayBeLocal }: { mayBeLocal: boolean }): void {
  const isPlain = !url.startsWith('-') && !url.includes('::') && !hasControls(url);
  if (isPlain && (GIT_URL.test(url) || LOOPBACK.test(url))) return;
  if (isPlain && mayBeLocal && /^file:\/\/\/[^\s]+$/.test(url)) return;
  const local = url.startsWith('file:') ? ' A file:// address counts only where you type it yourself.' : '';
  throw pluginError(`${withoutPassword(url)} is no address for git: https://…, ssh://… or git@HOST:PATH.${local}`);
}

/** https; http only to this machine. */
export function checkHttps(url: string): void {
  if (URL.canParse(url) && !hasControls(url) && (url.startsWith('https://') || LOOPBACK.test(url))) return;
  throw pluginError(`${withoutPassword(url)} is no https address`);
}

export function checkRepo(repo: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,99}\/[A-Za-z0-9_.-]{1,100}$/.test(repo) && !repo.includes('..')) return;
  throw pluginError(`'${repo}' is no repository: OWNER/NAME`);
}

export function checkRef(ref: string): void {
  const isPlain =
    /^[\w][\w./@+-]{0,199}$/.test(ref) && !ref.includes('..') && !ref.includes('@{') && !ref.endsWith('.lock');
  if (!isPlain) throw pluginError(`'${ref}' is no branch, tag or commit`);
}

export function checkPackage(name: string, version: string | undefined): void {
  if (!/^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name) || name.startsWith('-')) {
    throw pluginError(`'${name}' is no package of npm`);
  }
  if (version !== undefined && !/^[\w^~<>=*.+-]{1,60}$/.test(version)) {
    throw pluginError(`'${version}' is no version of a package`);
  }
}

/** For messages: an address may contain a token. */
export function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/\s]+@/, '$1…@');
}

/** What is fetched. Another field, which has no effect, could name a place that people know. */
export function originOf(source: JsonObject): string {
  const kind = stringField(source, 'source') ?? '';
  return stringField(source, Object.hasOwn(ORIGINS, kind) ? (ORIGINS[kind] ?? '') : '') ?? '';
}

const ORIGINS: Readonly<Record<string, string>> = {
  ...{ github: 'repo', git: 'url', url: 'url', npm: 'package', directory: 'path', file: 'path', settings: 'name' },
  ...{ 'git-subdir': 'url', archive: 'url' },
};

/** A source for outputs: without passwords of its addresses, and without the values of its headers. */
export function shownSource(source: JsonObject): JsonObject {
  const shown = Object.entries(source).map(([key, value]): [string, unknown] => {
    if (typeof value === 'string') return [key, withoutPassword(value)];
    if (key !== 'headers' || !isObject(value)) return [key, value];
    return [key, Object.fromEntries(Object.keys(value).map((name) => [name, '…']))];
  });
  return Object.fromEntries(shown);
}

/** One line for people. */
export function sourceText(source: JsonObject): string {
  const text = (key: string) => stringField(source, key);
  const where = originOf(source);
  const ref = text('ref') ?? text('version');
  const registry = source.source === 'npm' ? text('registry') : undefined;
  const from = registry === undefined ? '' : ` from ${withoutPassword(registry)}`;
  return `${withoutPassword(where)}${ref === undefined ? '' : `@${ref}`}${from}`;
}

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return /[\u0000-\u0020\u007f]/.test(text.replace(/ /g, ''));
}

function unusable(text: string): Error {
  return pluginError(
    `'${text}' names no marketplace: owner/repo, https://…, git@HOST:PATH, file:///…, npm:PACKAGE, or a path that begins with ./`,
  );
}
