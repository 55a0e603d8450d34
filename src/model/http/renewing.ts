import { isGroup } from '../each-event.ts';
import type { Failure, Model, ModelRequest, ModelYield } from '../model.ts';

/**
 * Asks once more with a new credential when a server refuses one that has expired. `renew` resolves with false where
 * there is nothing new to try.
 */
export function renewing(model: Model, renew: (failure: Failure) => Promise<boolean>): Model {
  return {
    provider: model.provider,
    stream: (request, signal) => streamRenewing(model, renew, request, signal),
    close: () => model.close?.(),
  };
}

async function* streamRenewing(
  model: Model,
  renew: (failure: Failure) => Promise<boolean>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  for (let attempt = 1; ; attempt++) {
    let refused: Failure | null = null;
    for await (const item of model.stream(request, signal)) {
      if (!isGroup(item) && item.type === 'failure' && isExpiry(item.failure)) refused = item.failure;
      else yield item;
    }
    if (!refused) return;
    if (attempt > 1 || signal.aborted || !(await renew(refused))) {
      yield { type: 'failure', failure: refused };
      return;
    }
  }
}

function isExpiry({ class: kind, status, message }: Failure): boolean {
  return kind === 'authentication' && (status === 401 || /expired|invalid.{0,20}token|could not get/i.test(message));
}
