import { isObject } from '../../util/json.ts';
import type { HostHub } from './host-hub.ts';
import type { AttachPolicy } from './joinable-session.ts';
import type { HangupPolicy } from './unattended.ts';

/** The settings of `terminal` that decide who may join a session, and how long it continues without a terminal. */
export interface TerminalPolicies {
  readonly attach: AttachPolicy;
  readonly hangup: HangupPolicy;
}

/** A repository must not open the sessions of those who work in it, so its files do not count. */
const OF_PROJECT: ReadonlySet<unknown> = new Set(['projectSettings', 'localSettings']);

/** Asks the session, because settings may have changed since it began. Values that cannot be read are the defaults. */
export async function terminalPolicies(hub: Pick<HostHub, 'ask'>): Promise<TerminalPolicies> {
  const response = await hub.ask({ subtype: 'get_settings' });
  const report = isObject(response?.response) ? response.response : {};
  const sources = Array.isArray(report.sources) ? report.sources.filter(isObject) : [];
  const said = sources
    .filter(({ source }) => !OF_PROJECT.has(source))
    .flatMap(({ settings }) => (isObject(settings) && isObject(settings.terminal) ? [settings.terminal] : []));
  const first = <Value extends string>(key: string, values: readonly Value[]): Value | undefined =>
    values.find((value) => value === said.find((each) => each[key] !== undefined)?.[key]);
  return {
    attach: first('attach', ['ask', 'own', 'never']) ?? 'ask',
    hangup: first('onHangup', ['finish', 'detach', 'stop']) ?? 'finish',
  };
}
