import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { StartupFailureReason } from '../wire/messages/result.ts';
import type { ControlBody, Peer } from '../wire/peer.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import type { Reception } from './reception.ts';

/** Whether what the first request brings belongs to the launch, so that nothing is opened before it. */
export function awaitsInitialize({ awaitInitialize, managedSettingsInInitialize }: RunConfig): boolean {
  return awaitInitialize === true || managedSettingsInInitialize === true;
}

/**
 * The launch with what the `initialize` request brings: plugins, as if each had a flag of its own, and managed settings.
 * Rejects when that request is not the first line, and where managed settings were announced that are not in it: a run
 * without the rules of its administrator is none.
 */
export async function withInitialize(launch: Launch, reception: Reception, peer: Peer): Promise<Launch> {
  const { config } = launch;
  const first = await Promise.race([reception.first, peer.done.then(() => null)]);
  const isManaged = config.managedSettingsInInitialize === true;
  if (first === null) {
    if (isManaged) throw notDelivered('the input ended before the initialize request');
    return launch; // a host that says nothing is answered by nothing
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
  const given = readPluginConfigs(plugins ?? []);
  if (given === null && config.managedSettingsInInitialize) throw notDelivered('initialize.plugins cannot be read');
  if (given === null) throw new HeddleError('invalid_option', `initialize.plugins: ${PLUGIN_SHAPE}`);
  const folders = (hasServers: boolean) => given.flatMap((each) => (each.hasServers === hasServers ? each.folder : []));
  return {
    pluginDir: [...(config.pluginDir ?? []), ...folders(true)],
    pluginDirNoMcp: [...(config.pluginDirNoMcp ?? []), ...folders(false)],
  };
}

const PLUGIN_SHAPE = "give a list of { type: 'local', path: '…' }";

/** Plugins as a request names them; null when that cannot be read. */
export function readPluginConfigs(given: unknown): { folder: string; hasServers: boolean }[] | null {
  if (!Array.isArray(given)) return null;
  const read = given.map((each: unknown) => {
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

/** `reason`: the word that hosts of the reference know for it. */
function startFailure(message: string, reason: StartupFailureReason): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { startupFailureReason: reason } });
}
