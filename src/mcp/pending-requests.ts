import type { JsonObject } from '../util/json.ts';
import { isRpcId, type RpcId } from '../wire/link/json-rpc.ts';

interface Waiting {
  resolve(response: JsonObject): void;
  reject(error: unknown): void;
}

/** The requests of one link that wait for their responses, each until it is answered, withdrawn, or the link is gone. */
export class PendingRequests {
  readonly #waiting = new Map<RpcId, Waiting>();

  /** Rejects with the reason of the signal when that aborts first. */
  wait(id: RpcId, signal: AbortSignal): Promise<JsonObject> {
    return new Promise<JsonObject>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => this.fail(id, signal.reason);
      const forget = () => {
        this.#waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, {
        resolve(response) {
          forget();
          resolve(response);
        },
        reject(error) {
          forget();
          reject(error);
        },
      });
    });
  }

  has(id: RpcId): boolean {
    return this.#waiting.has(id);
  }

  /** Settles the request of a response. A response that is no longer expected is ignored. */
  settle(response: JsonObject): void {
    if (isRpcId(response.id)) this.#waiting.get(response.id)?.resolve(response);
  }

  fail(id: RpcId, error: unknown): void {
    this.#waiting.get(id)?.reject(error);
  }

  failAll(error: unknown): void {
    for (const { reject } of [...this.#waiting.values()]) reject(error);
  }
}
