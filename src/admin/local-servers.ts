import { type AskOnce, createAskOnce } from '../model/http/ask-once.ts';
import { namedServer } from '../model/named-servers.ts';
import { isObject, stringField, tryParseJson } from '../util/json.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A server of models that answers on this machine. */
export interface LocalServerView {
  name: string;
  address: string;
  models: readonly string[];
}

/** Servers of this machine answer at once, or are not there. */
const TIMEOUT_MS = 300;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

/** The server of that name with its models; null where none answers, or where it is elsewhere. */
export async function localServer(name: string, env: Env): Promise<LocalServerView | null> {
  const address = namedServer(name, env)?.baseUrl;
  if (!address || !URL.canParse(address) || !LOOPBACK.test(new URL(address).hostname)) return null;
  const models = await modelsAt(address, createAskOnce({}));
  return models && { name, address, models };
}

async function modelsAt(address: string, ask: AskOnce): Promise<string[] | null> {
  try {
    const url = new URL(`${address.replace(/\/+$/, '')}/models`);
    const { status, text } = await ask({ url, method: 'GET', headers: { accept: 'application/json' } }, TIMEOUT_MS);
    const body = tryParseJson(text);
    if (status !== 200 || !isObject(body) || !Array.isArray(body.data)) return null;
    return body.data.flatMap((row) => stringField(row, 'id') ?? []);
  } catch {
    return null; // nobody is there
  }
}
