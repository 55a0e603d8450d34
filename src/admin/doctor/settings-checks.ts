import { originOf } from '../../config/settings/merge.ts';
import { type FileScope, settingsPath } from '../../config/settings/scopes.ts';
import { nameOf } from '../../config/settings/settings.ts';
import { readSettingsFile } from '../../config/settings/settings-file.ts';
import { trustOf } from '../../config/trust-store.ts';
import { isTrustedByLaunch } from '../../host/launch/apply-settings.ts';
import { openConfiguration } from '../../host/launch/configuration.ts';
import { STARTS_WITHOUT } from '../../host/launch/load-settings.ts';
import { noteIgnored, type TrustReport } from '../../host/launch/project-trust.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import { FILE_SCOPES } from '../settings.ts';
import type { Check, DoctorContext } from './check.ts';

/**
 * Checks every settings file that a run would read, whether they are valid together, and which project settings apply.
 */
export async function gatherSettings(context: DoctorContext): Promise<Check[]> {
  const files = Object.entries(FILE_SCOPES).flatMap(([name, scope]) => fileCheck(name, scope, context));
  const checks = files.length > 0 ? files : [none(context)];
  if (files.some(({ status }) => status === 'problem')) return checks;
  return [...checks, ...(await togetherChecks(context))];
}

function none({ cwd }: DoctorContext): Check {
  return { id: 'settings', status: 'ok', summary: `no settings files for ${cwd}`, facts: {} };
}

/** Empty where there is no file. */
function fileCheck(name: string, scope: FileScope, { cwd, home, config }: DoctorContext): Check[] {
  const path = settingsPath(scope, { cwd, configHome: home });
  if (path === null) return [];
  const id = `settings.${name}`;
  try {
    const values = readSettingsFile(path);
    if (values === null) return [];
    const keys = Object.keys(values);
    const what = keys.length === 1 ? '1 setting' : `${keys.length} settings`;
    return [{ id, status: 'ok', summary: `${path}, ${what}`, facts: { path, keys } }];
  } catch (error) {
    const isBelieved = scope === 'userSettings' || isTrustedByLaunch(config) || trustOf(cwd, home) === 'trusted';
    const status = isBelieved ? 'problem' : 'warning';
    const next = `correct ${path}; ${isBelieved ? 'nothing starts before' : 'until then runs start without it'}`;
    return [{ id, status, summary: messageOf(error), next, facts: { path } }];
  }
}

/** Problems that only show when the files are merged: values of the wrong kind, misspelt keys, trust. */
async function togetherChecks({ cwd, home, config, engine }: DoctorContext): Promise<Check[]> {
  const notes: string[] = [];
  const log = (level: string, message: string) => {
    if (level === 'warn') notes.push(message);
  };
  try {
    const places = { cwd, configHome: home };
    const { loaded } = await openConfiguration(config, places, { ...engine.runtime, log });
    const helper = originOf(['apiKeyHelper'], loaded.layers);
    const facts = { notes, ...(helper && { apiKeyHelper: nameOf(helper) }) };
    const ignored: string[] = [];
    noteIgnored(loaded.trust, (_level, message) => ignored.push(message)); // the check of trust reports this
    const isReportedBefore = (note: string) => ignored.includes(note) || note.endsWith(STARTS_WITHOUT);
    const [first, ...others] = notes.filter((note) => !isReportedBefore(note));
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    const check: Check[] = first
      ? [{ id: 'settings', status: 'warning', summary: `${first}${more}`, next: 'heddle config list', facts }]
      : [];
    return [...check, trustCheck(loaded.trust, cwd)];
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    const next = 'correct the settings; nothing starts before';
    return [{ id: 'settings', status: 'problem', summary: messageOf(error), next, facts: {} }];
  }
}

function trustCheck({ state, ignored }: TrustReport, cwd: string): Check {
  const facts = { directory: cwd, trust: state, ignored: ignored.flatMap(({ keys }) => keys) };
  switch (state) {
    case 'none':
      return { id: 'trust', status: 'ok', summary: 'no settings of the project that would need trust', facts };
    case 'trusted': {
      const never = ignored.length === 0 ? '' : `; never from a project: ${facts.ignored.join(', ')}`;
      return { id: 'trust', status: never === '' ? 'ok' : 'warning', summary: `${cwd} is trusted${never}`, facts };
    }
    case 'changed':
    case 'untrusted': {
      const why = state === 'changed' ? 'has changed since it was trusted' : 'is not trusted';
      if (ignored.length === 0) {
        return { id: 'trust', status: 'ok', summary: `${cwd} ${why}; none of its settings needs it`, facts };
      }
      const summary = `${cwd} ${why}; ignored: ${facts.ignored.join(', ')}`;
      return { id: 'trust', status: 'warning', summary, next: 'heddle trust shows what would act, and asks', facts };
    }
    default:
      return state satisfies never;
  }
}
