import { explainServer, withAdvice } from '../explain-failure.ts';
import { methodUrl } from '../http/endpoint.ts';
import type { Failure, Model } from '../model.ts';
import { type CloudOptions, createMessagesModel } from './messages-elsewhere.ts';

export interface MessagesServerOptions extends CloudOptions {
  /** The provider's name, which is also what stands before the names of its models. */
  name: string;
  /** The setting or variable with its address, for texts about it. */
  addressFrom: string;
  /** The variable with the key, for texts about it. */
  keyFrom?: string;
  /** What to check when the server knows no such model. */
  modelAdvice: string;
}

/** A server that speaks the Messages API under `/v1/messages`: Microsoft Foundry, gateways, local servers. */
export function createMessagesServer(options: MessagesServerOptions): Model {
  const { name, addressFrom, nameOf } = options;
  const url = methodUrl(options.baseUrl, '/v1/messages', addressFrom);
  const prefix = new RegExp(`^${name}/`, 'i');
  return createMessagesModel(options, {
    name,
    urlOf: () => url,
    settings: ({ model, ...settings }) => ({
      model: nameOf?.(String(model)) ?? String(model).replace(prefix, ''),
      ...settings,
    }),
    headers: ({ apiKey, authToken }, betas) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(authToken && { authorization: `Bearer ${authToken}` }),
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    }),
    explain: (failure) => explained(failure, options),
  });
}

function explained(failure: Failure, { modelAdvice, keyFrom, addressFrom }: MessagesServerOptions): Failure {
  if (failure.class === 'model_not_found') return withAdvice(failure, modelAdvice);
  return explainServer(failure, { keyFrom, addressFrom }) ?? failure;
}
