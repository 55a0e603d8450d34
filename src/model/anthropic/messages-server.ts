import { type EndpointOptions, methodUrl } from '../http/endpoint.ts';
import type { Failure, Model } from '../model.ts';
import { createMessagesModel } from './messages-elsewhere.ts';

export interface MessagesServerOptions extends EndpointOptions {
  /** The provider's name, which is also what stands before the names of its models. */
  name: string;
  /** The setting or variable with its address, for texts about it. */
  addressFrom: string;
  /** What to check when the server knows no such model. */
  modelAdvice: string;
}

/** A server that speaks the Messages API under `/v1/messages`: Microsoft Foundry, gateways, local servers. */
export function createMessagesServer(options: MessagesServerOptions): Model {
  const { name, addressFrom, modelAdvice } = options;
  const url = methodUrl(options.baseUrl, '/v1/messages', addressFrom);
  const prefix = new RegExp(`^${name}/`, 'i');
  return createMessagesModel(options, {
    name,
    urlOf: () => url,
    settings: ({ model, ...settings }) => ({ model: String(model).replace(prefix, ''), ...settings }),
    headers: ({ apiKey, authToken }, betas) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey && { 'x-api-key': apiKey }),
      ...(authToken && { authorization: `Bearer ${authToken}` }),
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    }),
    explain: (failure) => explained(failure, modelAdvice),
  });
}

function explained(failure: Failure, modelAdvice: string): Failure {
  if (failure.class !== 'model_not_found') return failure;
  const { body: _, ...rest } = failure;
  return { ...rest, message: `${failure.message.replace(/[.\s]*$/, '')}. ${modelAdvice}` };
}
