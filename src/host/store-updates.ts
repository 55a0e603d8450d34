import { changeJsonFile } from '../config/json-file.ts';
import type { FileScope, SettingsPlaces } from '../config/scopes.ts';
import { isFileScope, type PlannedStore, planStore, type SettingTexts } from '../config/store-update.ts';
import { trustOf } from '../config/trust-store.ts';
import { directoryPath, type Policy } from '../permissions/policy.ts';
import { formatRule, parseRule, parseRules } from '../permissions/rules.ts';
import { NARROWING } from '../permissions/trust.ts';
import type { AppliedUpdate } from '../permissions/updates.ts';
import { messageOf } from '../util/message-of.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { changeProjectFile, type KeepTrust } from './project-changes.ts';
import { keptSource } from './rule-origin.ts';

export interface InForce {
  /** The files that the session reads. */
  scopes: readonly FileScope[];
  /** Whether the launch itself answers for the project's files. */
  isVouchedFor: boolean;
}

/** What has become of updates. */
export interface StoredUpdates {
  /** Those that act, in their order. */
  applied: AppliedUpdate[];
  /** Set when a file could not be written: `storage_failed`, and its facts name the files that were and were not. */
  failure?: HeddleError;
}

/**
 * Keeps updates in the files that they name, and tells how they apply. What is written to a file that the session does not
 * read, or does not believe, holds for the session all the same: it was granted, and would get lost with the next look at
 * the files.
 *
 * Every change is worked out before the first file is touched: when one of them cannot be made this throws
 * `invalid_settings`, and nothing has changed. Then each file is written at once, the user's first. Should that fail in the
 * middle, what was written stays and acts, because the next look at the files would find it; nothing else of the updates
 * does, and `failure` says so.
 */
export async function storeUpdates(
  updates: readonly PermissionUpdate[],
  places: SettingsPlaces,
  { scopes, isVouchedFor, policy, log }: InForce & { policy: Policy; log: Logger },
): Promise<StoredUpdates> {
  const texts = settingTexts(policy);
  const named = new Set(updates.map(({ destination }) => destination).filter(isFileScope));
  const plans = FILES.filter((scope) => named.has(scope)).flatMap(
    (scope) => planStore(scope, updates, places, texts) ?? [],
  );
  const { written, isTrusted, error } = await writeAll(plans, places, log);
  const lost = plans.filter((plan) => !written.includes(plan));
  const isStored = ({ destination }: PermissionUpdate) =>
    isFileScope(destination) && !lost.some(({ scope }) => scope === destination);
  const isBelieved = (update: PermissionUpdate) =>
    update.destination === 'userSettings' ||
    isVouchedFor ||
    isTrusted ||
    ('behavior' in update && NARROWING.has(update.behavior));
  const applied = (error === undefined ? updates : updates.filter(isStored)).map((update): AppliedUpdate => {
    const { destination } = update;
    if (!isFileScope(destination)) return { update, source: destination };
    const isInForce = scopes.includes(destination) && isBelieved(update);
    return { update, source: isInForce ? destination : keptSource(destination) };
  });
  return error === undefined ? { applied } : { applied, failure: failureOf(error, { written, lost }) };
}

/** In the order in which they are written. */
const FILES: readonly FileScope[] = ['userSettings', 'projectSettings', 'localSettings'];

interface Written {
  written: PlannedStore[];
  isTrusted: boolean;
  /** Why the one behind the last could not be written. */
  error?: unknown;
}

/** One after the other, until one fails. A project that was trusted stays so, also when only a part of it was written. */
async function writeAll(plans: readonly PlannedStore[], places: SettingsPlaces, log: Logger): Promise<Written> {
  const written: PlannedStore[] = [];
  let isTrusted: boolean | null = null;
  let error: unknown;
  for (const plan of plans) {
    try {
      const keepTrust = await write(plan, places);
      written.push(plan);
      isTrusted = keepTrust && (await isKept(keepTrust));
    } catch (failure) {
      error = failure;
      break;
    }
  }
  isTrusted ??= await isKept(async () => trustOf(places.cwd, places.configHome) === 'trusted');
  return { written, isTrusted, ...(error !== undefined && { error }) };

  async function isKept(keepTrust: KeepTrust): Promise<boolean> {
    try {
      return await keepTrust();
    } catch (failure) {
      log('warn', `Whether ${places.cwd} is trusted could not be noted: ${messageOf(failure)}`);
      return false;
    }
  }
}

/** Null for a file that is not the project's. */
async function write({ scope, path, change }: PlannedStore, places: SettingsPlaces): Promise<KeepTrust | null> {
  if (scope !== 'userSettings') return changeProjectFile(path, places, change);
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

/** The forms in which the permissions compare what settings say. */
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
      // What is no rule is left as it is: reading the file says so.
      return problems.length > 0 || rules.length === 0 ? [text] : rules.map(formatRule);
    },
    directory: (text) => directoryPath(text, policy),
  };
}
