import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ControlBody, Peer } from '../../wire/link/peer.ts';
import type { StartupFailureReason } from '../../wire/messages/result.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';

/** What came first over a connection: a request, or anything else. */
export type FirstLine = { request: ControlBody } | { request: null };

/** Whether the first request is part of the launch, so that the session is opened after it. */
export function awaitsInitialize({ awaitInitialize, managedSettingsInInitialize }: RunConfig): boolean {
  return awaitInitialize === true || managedSettingsInInitialize === true;
}

/**
 * Adds the plugins and the managed settings of the `initialize` request to the launch, as if each had a flag. Rejects when
 * that request is not the first line, and when announced managed settings are missing: a run must not start without the
 * rules of its administrator.
 */
export async function withInitialize(launch: Launch, firstLine: Promise<FirstLine>, peer: Peer): Promise<Launch> {
  const { config } = launch;
  const first = await Promise.race([firstLine, peer.done.then(() => null)]);
  const isManaged = config.managedSettingsInInitialize === true;
  if (first === null) {
    if (isManaged) throw notDelivered('the input ended before the initialize request');
    return launch; // a host that sends nothing gets no answer
  }
  const { request } = first;
  if (request?.subtype !== 'initialize') {
    if (isManaged) throw notDelivered('the first line is no initialize request');
    const problem = '--await-initialize: the first line on stdin must be the initialize request';
    throw startFailure(problem, 'initialize_not_first');
  }
  return {
    ...launch,
    config: { ...config, ...pluginFlags(config, request), ...(isManaged && managed(config, request)) },
  };
}

function pluginFlags(config: RunConfig, { plugins }: ControlBody): Partial<RunConfig> {
  const named = readPluginConfigs(plugins ?? []);
  if (named === null && config.managedSettingsInInitialize) throw notDelivered('initialize.plugins cannot be read');
  if (named === null) throw new HeddleError('invalid_option', `initialize.plugins: ${PLUGIN_SHAPE}`);
  const folders = (hasServers: boolean) => named.flatMap((each) => (each.hasServers === hasServers ? each.folder : []));
  return {
    pluginDir: [...(config.pluginDir ?? []), ...folders(true)],
    pluginDirNoMcp: [...(config.pluginDirNoMcp ?? []), ...folders(false)],
  };
}

const PLUGIN_SHAPE = "give a list of { type: 'local', path: '…' }";

/** The plugins that a request names; null when the list is invalid. */
export function readPluginConfigs(raw: unknown): { folder: string; hasServers: boolean }[] | null {
  if (!Array.isArray(raw)) return null;
  const read = raw.map((each: unknown) => {
    const folder = isObject(each) && each.type === 'local' ? stringField(each, 'path') : undefined;
    return folder ? { folder, hasServers: (each as JsonObject).skipMcpDiscovery !== true } : null;
  });
  return read.every((each) => each !== null) ? read : null;
}

function managed(config: RunConfig, { managedSettings }: ControlBody): Partial<RunConfig> {
  if (config.managedSettings !== undefined) throw notDelivered('--managed-settings was given, too');
  if (!isObject(managedSettings)) throw notDelivered('the request has no object managedSettings');
  return { managedSettings: JSON.stringify(managedSettings) };
}

function notDelivered(problem: string): HeddleError {
  return startFailure(`--managed-settings-in-initialize: ${problem}`, 'managed_settings_not_delivered');
}

/** `reason`: the word that hosts of the reference know. */
function startFailure(message: string, reason: StartupFailureReason): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { startupFailureReason: reason } });
}
