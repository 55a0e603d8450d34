import { type CloudOptions, createMessagesModel } from '../anthropic/messages-elsewhere.ts';
import { withAdvice } from '../explain-failure.ts';
import { methodUrl } from '../http/endpoint.ts';
import type { Failure, Model } from '../model.ts';
import { geographyOf } from '../provider-names.ts';
import { createFrameStreamReader } from './bedrock-stream.ts';
import { signed } from './sigv4.ts';

export interface BedrockOptions extends CloudOptions {
  region: string;
}

/**
 * Claude on Amazon Bedrock. An `authToken` is sent as a bearer key; `signingKeys` sign each request. Throws
 * `invalid_option` for an address that is not a URL.
 */
export function createBedrockModel(options: BedrockOptions): Model {
  const { region, runtime, nameOf } = options;
  const named = (model: string) => nameOf?.(model) ?? bedrockName(model);
  const base = methodUrl(options.baseUrl, '/model', 'ANTHROPIC_BEDROCK_BASE_URL');
  return createMessagesModel(options, {
    name: 'bedrock',
    urlOf(model) {
      const url = new URL(base);
      // A colon stays as it is, as the reference sends it; a slash of an ARN must not part the path.
      const id = encodeURIComponent(named(model)).replaceAll('%3A', ':');
      url.pathname = `${base.pathname}/${id}/invoke-with-response-stream`;
      return url;
    },
    settings({ model: _, stream: __, ...settings }, betas) {
      const version = { anthropic_version: 'bedrock-2023-05-31' };
      return { ...version, ...settings, ...(betas.length > 0 && { anthropic_beta: betas }) };
    },
    headers: ({ authToken }) => ({
      accept: 'application/vnd.amazon.eventstream',
      ...(authToken && { authorization: `Bearer ${authToken}` }),
    }),
    sign: (request, { signingKeys: keys }) =>
      keys ? signed(request, { keys, region, service: 'bedrock', now: runtime.clock.now() }) : { ...request.headers },
    betas: BETAS,
    reader: createFrameStreamReader,
    explain: (failure, model) => withAdvice(failure, adviceFor(failure, named(model), region)),
  });
}

/** The model's name on Bedrock. */
function bedrockName(model: string): string {
  return model.replace(/^bedrock\//i, '');
}

/** Betas that Bedrock documents for some of its models; it refuses a request with any other. */
const BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dev-full-thinking-2025-05-14',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
]);

function adviceFor({ class: kind, status, message }: Failure, model: string, region: string): string | null {
  if (/expired/i.test(message)) return 'Sign in to AWS again (aws sso login), or set awsAuthRefresh in your settings.';
  if (/on-demand throughput/i.test(message))
    return `Use an inference profile, such as ${geographyOf(region)}.${model}.`;
  // Without a status there were no keys to ask with; the message says what to set.
  if (kind === 'authentication' && status !== undefined) {
    return `Check AWS_BEARER_TOKEN_BEDROCK or the AWS keys, and the access to ${model} in ${region}.`;
  }
  if (kind === 'model_not_found' || (status === 400 && /model identifier is invalid/i.test(message))) {
    return `Check the model's name and AWS_REGION (${region}), where names of Anthropic's models begin with ${geographyOf(region)}.`;
  }
  return null;
}
