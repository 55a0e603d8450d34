import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { errorCode } from '../util/error-code.ts';
import { installationChanged, isMissingModule, needRoom, whileScarce } from '../wire/part-errors.ts';

/**
 * The first file of the built command line (`dist/heddle.cjs`): loads the scripts of `dist/cli`, which
 * `scripts/lib/cli-scripts.mjs` has made of the modules. Not as modules, because V8 can keep the code of a script once it
 * is compiled, and that is a third of what a start costs.
 *
 * The code is kept beside the scripts: whoever can write there could change the command line itself, so it is trusted as
 * much as that. Where nothing can be written, every start compiles.
 */
const folder = join(__dirname, 'cli');
const keptFolder = join(folder, 'kept', `${process.versions.v8}-${process.arch}`);
/** Compiling less than this is cheaper than another file. */
const WORTH_KEEPING = 16 * 1024;
/** Kept code is behind its digest. */
const DIGEST_LENGTH = 32;

type ModuleBody = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  load: (id: string) => Promise<unknown>,
  importPackage: (name: string, isNeeded?: boolean) => Promise<unknown>,
  url: string,
  handOn: (exports: object, id: string, names: Record<string, string>) => void,
) => void;

/** The modules of a script, by name. */
const scripts = new Map<string, Record<string, ModuleBody>>();
const modules = new Map<string, { exports: object }>();
const unkept = new Map<string, Script>();

/** `#script/module`; anything else is of Node, or a package. A module that fails is forgotten, and tried again. */
function load(id: string): unknown {
  const [, script, name] = /^#(.*)\/(.*)$/.exec(id) ?? [];
  if (script === undefined || name === undefined) return requirePackage(id);
  const known = modules.get(id);
  if (known) return known.exports;
  const filename = join(folder, `${script}.js`);
  const body = openScript(script, filename)[name];
  if (!body) throw installationChanged(filename);
  const module = { exports: {} };
  modules.set(id, module);
  try {
    body(module.exports, load, module, loadLater, importPackage, pathToFileURL(filename).href, handOn);
  } catch (error) {
    modules.delete(id);
    throw error;
  }
  return module.exports;
}

/** The way to most modules is short: they are loaded. */
async function loadLater(id: string): Promise<unknown> {
  return modules.get(id)?.exports ?? whileScarce(() => load(id));
}

function requirePackage(name: string): unknown {
  try {
    return require(name);
  } catch (error) {
    needRoom(__filename); // without it, Node takes a package for one that is not there
    throw isMissingModule(error) ? installationChanged(name, error) : error;
  }
}

/** From here, because a script has no `import()` of its own. */
async function importPackage(name: string, isNeeded = false): Promise<unknown> {
  if (isBuiltin(name)) return import(name);
  await whileScarce(() => needRoom(__filename));
  try {
    return await import(name);
  } catch (error) {
    throw isNeeded && isMissingModule(error) ? installationChanged(name, error) : error;
  }
}

/** Lets a module have what another one has, under names of its own. */
function handOn(exports: object, id: string, names: Record<string, string>): void {
  const from = load(id) as Record<string, unknown>;
  for (const [name, there] of Object.entries(names)) Object.assign(exports, { [name]: from[there] });
}

function openScript(name: string, filename: string): Record<string, ModuleBody> {
  const open = scripts.get(name);
  if (open) return open;
  // ASCII, as the build makes sure.
  const source = orChanged(filename, () => readFileSync(filename, 'latin1'));
  const isWorthIt = source.length >= WORTH_KEEPING;
  const kept = `${name}-${tagOf(source)}`;
  const cachedData = isWorthIt ? keptCode(kept) : undefined;
  const script = orChanged(filename, () => new Script(source, { filename, ...(cachedData && { cachedData }) }));
  if (isWorthIt && (!cachedData || script.cachedDataRejected)) unkept.set(kept, script);
  const bodies = script.runInThisContext() as Record<string, ModuleBody>;
  scripts.set(name, bodies);
  return bodies;
}

/** A script has the name of what is in it: one that is gone, or cannot be understood, is the work of somebody else. */
function orChanged<T>(filename: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (error) {
    throw error instanceof SyntaxError || GONE.has(errorCode(error) ?? '')
      ? installationChanged(filename, error)
      : error;
  }
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ELOOP']);

/** A script begins with it, in a comment: the build makes it of all that the script says. */
function tagOf(source: string): string {
  return source.slice('/*'.length, source.indexOf('*/'));
}

/** V8 would run whatever it is given, and crash or do something else than the script says: what is damaged is no code. */
function keptCode(name: string): Buffer | undefined {
  try {
    const file = readFileSync(join(keptFolder, name));
    const code = file.subarray(DIGEST_LENGTH);
    return digest(code).equals(file.subarray(0, DIGEST_LENGTH)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function digest(code: Buffer): Buffer {
  // Not before it is needed: `heddle --version` has no kept code.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(code).digest();
}

/** At the end, when what a run needs is compiled. Flags of V8 change the code, and the next run will not have them. */
function keepCode(): void {
  if (unkept.size === 0 || process.execArgv.length > 0 || process.env.NODE_OPTIONS) return;
  try {
    mkdirSync(keptFolder, { recursive: true });
    for (const [name, script] of unkept) {
      const file = join(keptFolder, name);
      const code = script.createCachedData();
      writeFileSync(`${file}.${process.pid}`, Buffer.concat([digest(code), code]));
      renameSync(`${file}.${process.pid}`, file);
    }
  } catch {
    // A folder that cannot be written to: it works without.
  }
}

process.once('exit', keepCode);
load('#main/main');
