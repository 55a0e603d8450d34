import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { ConnectionError, type ErrorCode, HeddleError } from '../../wire/errors.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';

const TIMEOUT_MS = 30_000;

/** A session of the server, and the number behind which its lines are new. */
export interface ServerSession {
  id: string;
  after: number;
}

/** Requests to a server. Rejects with the server's own errors, and with a ConnectionError when it is not reached. */
export class ServerCalls {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async call(method: string, path: string, body?: JsonObject): Promise<JsonObject> {
    let response: Response;
    try {
      response = await fetch(`${this.#url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const why = messageOf(error instanceof Error && error.cause ? error.cause : error);
      throw new ConnectionError(`The server ${this.#url} cannot be reached: ${why}`, { cause: error });
    }
    const answer = tryParseJson(await response.text());
    if (!response.ok) throw refusalIn(answer, response.status);
    return isObject(answer) ? answer : {};
  }

  /** Opens the session that the launch asks for. */
  async open(launch: Launch): Promise<ServerSession> {
    const { resume, continue: isContinued, sessionId, ...config } = sendable(launch);
    if (resume === undefined && !isContinued) {
      const workspace = launch.cwd === undefined ? {} : { workspace: { kind: 'directory', path: launch.cwd } };
      const id = sessionId === undefined ? {} : { id: sessionId };
      const made = await this.call('POST', '/v1/sessions', { ...id, ...workspace, config: { ...config } });
      return { id: stringField(made, 'id') ?? '', after: 0 };
    }
    const id = typeof resume === 'string' ? resume : await this.#newest();
    const path = `/v1/sessions/${encodeURIComponent(id)}`;
    const found = await this.call('PATCH', path, { config: { ...config } });
    return { id, after: typeof found.newest_seq === 'number' ? found.newest_seq : 0 };
  }

  /** Joins a session that is there, with its last lines. */
  async join(id: string, history: number): Promise<ServerSession & { cwd: string }> {
    const found = await this.call('GET', `/v1/sessions/${encodeURIComponent(id)}`);
    const newest = typeof found.newest_seq === 'number' ? found.newest_seq : 0;
    const oldest = typeof found.oldest_seq === 'number' ? found.oldest_seq : 1;
    const cwd = stringField(found.workspace, 'path') ?? '';
    return { id, after: Math.max(oldest - 1, newest - history), cwd };
  }

  async #newest(): Promise<string> {
    const { sessions } = await this.call('GET', '/v1/sessions?limit=1');
    const id = Array.isArray(sessions) ? stringField(sessions[0], 'id') : undefined;
    if (id !== undefined) return id;
    throw new HeddleError(
      'session_not_found',
      'The server has no session to continue: send a prompt without --continue',
    );
  }
}

/** What says how lines travel: over a socket they need no flags. */
const OF_THE_LINE = [
  'outputFormat',
  'inputFormat',
  'verbose',
  'print',
  'permissionPromptTool',
  'noProgress',
  'noHistory',
];

/**
 * The configuration as the server gets it. What it does not permit it refuses itself; what cannot travel is refused here.
 */
function sendable({ config, env }: Launch): RunConfig {
  if (env !== undefined) throw local('env', 'the server has its own environment');
  if (config.forkSession) throw local('forkSession', 'fork the session on the server');
  const asksHost = config.permissionPromptTool === 'stdio';
  const { settingSources, ...rest } = config;
  const sent = Object.fromEntries(Object.entries(rest).filter(([key]) => !OF_THE_LINE.includes(key)));
  return {
    ...{ includePartialMessages: false, replayUserMessages: false },
    ...(!asksHost && { permissionPrompts: 'none' }),
    ...sent,
    ...(settingSources !== undefined && settingSources.length > 0 && { settingSources }),
  };
}

function local(option: string, why: string): HeddleError {
  return new HeddleError('invalid_option', `options.${option} cannot be used with a server: ${why}`, {
    facts: { option },
  });
}

/** The error that a server has answered. */
export function refusalIn(answer: unknown, status: number): HeddleError {
  const error = isObject(answer) ? answer.error : undefined;
  const code = stringField(error, 'code') as ErrorCode | undefined;
  const message = stringField(error, 'message') ?? `The server has answered with HTTP ${status}`;
  const facts = isObject(error) && isObject(error.facts) ? error.facts : {};
  return new HeddleError(code ?? 'connection_failed', message, { facts: { ...facts, status } });
}
