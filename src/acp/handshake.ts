import { type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import type { AcpAgent, AgentOptions } from './acp-agent.ts';
import { type ClientFeatures, clientFeatures } from './client-features.ts';
import { EXTENSIONS } from './extensions.ts';
import { AcpError, type RequestContext, type RpcHandlers } from './rpc-link.ts';

/** The version of the protocol that is spoken. */
const PROTOCOL = 1;

/** Answers `initialize`. The code for all else is loaded with the first request that needs it. */
export class Handshake implements RpcHandlers {
  readonly #options: AgentOptions;
  #features: ClientFeatures = clientFeatures(undefined);
  #agent: Promise<AcpAgent> | null = null;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  async request(method: string, params: JsonObject, context: RequestContext): Promise<JsonObject> {
    if (method === 'initialize') return this.#initialize(params);
    const agent = await this.#loaded();
    return agent.request(method, params, context);
  }

  notified(method: string, params: JsonObject): void {
    if (method !== 'session/cancel' || stringField(params, 'sessionId') === undefined) return;
    this.#loaded().then(
      (agent) => agent.notified(method, params),
      () => {}, // its requests tell why it cannot be loaded
    );
  }

  /** Ends all sessions: the editor is gone. */
  async end(): Promise<void> {
    const agent = await this.#agent?.catch(() => null);
    await agent?.end();
  }

  /** A client that speaks another version gets ours, and decides whether it continues. */
  async #initialize({ protocolVersion, clientCapabilities }: JsonObject): Promise<JsonObject> {
    if (!Number.isInteger(protocolVersion)) {
      const data = { error_code: 'invalid_request' };
      throw new AcpError(RPC_ERRORS.invalidParams, 'protocolVersion must be a whole number', data);
    }
    this.#features = clientFeatures(clientCapabilities);
    (await this.#agent)?.meet(this.#features);
    return answerTo(this.#features);
  }

  #loaded(): Promise<AcpAgent> {
    this.#agent ??= this.#load();
    return this.#agent;
  }

  async #load(): Promise<AcpAgent> {
    const { AcpAgent } = await import('./acp-agent.ts');
    const agent = new AcpAgent(this.#options);
    agent.meet(this.#features);
    return agent;
  }
}

function answerTo({ terminalLogin }: ClientFeatures): JsonObject {
  const login = {
    ...{ id: 'api-key', name: 'API key' },
    description: 'Stores an API key in the config home: heddle auth login',
  };
  return {
    protocolVersion: PROTOCOL,
    agentInfo: { name: 'heddle', title: 'Heddle', version: HEDDLE_VERSION },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        ...{ list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
        ...{ fork: {}, title: {}, archive: {} },
      },
      auth: { logout: {} },
      _meta: { heddle: { methods: [...EXTENSIONS.keys()], prompt: ['parentUuid', 'steer'] } },
    },
    authMethods: [terminalLogin ? { ...login, type: 'terminal', args: ['auth', 'login'] } : login],
  };
}
