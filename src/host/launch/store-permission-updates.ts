import { changeJsonFile } from '../../config/json-file.ts';
import type { FileScope, SettingsDirectories } from '../../config/settings/scopes.ts';
import { isFileScope, type PlannedStore, planStore, type SettingTexts } from '../../config/settings/store-update.ts';
import { trustOf } from '../../config/trust-store.ts';
import { NARROWING } from '../../permissions/narrow-untrusted.ts';
import { directoryPath, type Policy } from '../../permissions/policy.ts';
import { savedSource } from '../../permissions/rule-origin.ts';
import { formatRule, parseRule, parseRules } from '../../permissions/rules.ts';
import type { AppliedUpdate } from '../../permissions/updates.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';
import { changeProjectFile, type RenewTrust } from './change-project-file.ts';

export interface InForce {
  /** The files that the session reads. */
  scopes: readonly FileScope[];
  /** Whether the launch itself vouches for the project's files. */
  isTrustedByLaunch: boolean;
}

/** The result of permission updates. */
export interface StoredUpdates {
  /** The updates that apply, in their order. */
  applied: AppliedUpdate[];
  /**
   * Set when a file could not be written: `storage_failed`. Its facts name the files that were and were not written.
   */
  failure?: HeddleError;
}

/**
 * Saves updates in the files that they name, and returns how they apply.
 * - An update in a file that the session does not read, or does not trust, applies to the session as well: the user has
 *   granted it.
 * - Every change is prepared before the first file is touched. When one is impossible this throws `invalid_settings`,
 *   and nothing has changed.
 * - The files are written one by one, the user's first. When that fails in the middle, the written updates apply,
 *   because the next reading of the files would find them; the others do not, and `failure` says so.
 */
export async function storeUpdates(
  updates: readonly PermissionUpdate[],
  directories: SettingsDirectories,
  { scopes, isTrustedByLaunch, policy, log }: InForce & { policy: Policy; log: Logger },
): Promise<StoredUpdates> {
  const texts = settingTexts(policy);
  const named = new Set(updates.map(({ destination }) => destination).filter(isFileScope));
  const plans = FILES.filter((scope) => named.has(scope)).flatMap(
    (scope) => planStore(scope, updates, directories, texts) ?? [],
  );
  const { written, isTrusted, error } = await writeAll(plans, directories, log);
  const lost = plans.filter((plan) => !written.includes(plan));
  const isStored = ({ destination }: PermissionUpdate) =>
    isFileScope(destination) && !lost.some(({ scope }) => scope === destination);
  const isBelieved = (update: PermissionUpdate) =>
    update.destination === 'userSettings' ||
    isTrustedByLaunch ||
    isTrusted ||
    ('behavior' in update && NARROWING.has(update.behavior));
  const applied = (error === undefined ? updates : updates.filter(isStored)).map((update): AppliedUpdate => {
    const { destination } = update;
    if (!isFileScope(destination)) return { update, source: destination };
    const isInForce = scopes.includes(destination) && isBelieved(update);
    return { update, source: isInForce ? destination : savedSource(destination) };
  });
  return error === undefined ? { applied } : { applied, failure: failureOf(error, { written, lost }) };
}

/** In the order in which they are written. */
const FILES: readonly FileScope[] = ['userSettings', 'projectSettings', 'localSettings'];

interface Written {
  written: PlannedStore[];
  isTrusted: boolean;
  /** Why the file after the last written one could not be written. */
  error?: unknown;
}

/**
 * Writes one file after the other, until one fails. A trusted project stays trusted, even if only some were written.
 */
async function writeAll(
  plans: readonly PlannedStore[],
  directories: SettingsDirectories,
  log: Logger,
): Promise<Written> {
  const written: PlannedStore[] = [];
  let isTrusted: boolean | null = null;
  let error: unknown;
  for (const plan of plans) {
    try {
      const keepTrust = await write(plan, directories);
      written.push(plan);
      isTrusted = keepTrust && (await isSaved(keepTrust));
    } catch (failure) {
      error = failure;
      break;
    }
  }
  isTrusted ??= await isSaved(async () => trustOf(directories.cwd, directories.configHome) === 'trusted');
  return { written, isTrusted, ...(error !== undefined && { error }) };

  async function isSaved(keepTrust: RenewTrust): Promise<boolean> {
    try {
      return await keepTrust();
    } catch (failure) {
      log('warn', `Whether ${directories.cwd} is trusted could not be noted: ${messageOf(failure)}`);
      return false;
    }
  }
}

/** Resolves with null for a file that is not the project's. */
async function write(
  { scope, path, change }: PlannedStore,
  directories: SettingsDirectories,
): Promise<RenewTrust | null> {
  if (scope !== 'userSettings') return changeProjectFile(path, directories, change);
  await changeJsonFile(path, change);
  return null;
}

function failureOf(cause: unknown, { written, lost }: Record<'written' | 'lost', PlannedStore[]>): HeddleError {
  const stored = written.map(({ path }) => path);
  const notStored = lost.map(({ path }) => path);
  const rest = `Not stored: ${notStored.join(', ')}.`;
  const said = stored.length === 0 ? rest : `Stored, and in force: ${stored.join(', ')}. ${rest}`;
  return new HeddleError('storage_failed', `${messageOf(cause)}. ${said}`, { cause, facts: { stored, notStored } });
}

/** The forms in which permissions compare values of settings. */
function settingTexts(policy: Policy): SettingTexts {
  const canonical = (text: string) => {
    const parsed = parseRule(text);
    return 'rule' in parsed ? formatRule(parsed.rule) : text;
  };
  return {
    ofRule: ({ toolName, ruleContent }) =>
      canonical(formatRule({ toolName, ...(ruleContent !== undefined && { ruleContent }) })),
    rulesIn(text) {
      const { rules, problems } = parseRules(text);
      // An invalid rule stays unchanged: reading the file reports it.
      return problems.length > 0 || rules.length === 0 ? [text] : rules.map(formatRule);
    },
    directory: (text) => directoryPath(text, policy),
  };
}
