import { type CloudOptions, createMessagesModel } from '../anthropic/messages-elsewhere.ts';
import { withAdvice } from '../explain-failure.ts';
import { methodUrl } from '../http/endpoint.ts';
import type { Failure, Model } from '../model.ts';

export interface VertexOptions extends CloudOptions {
  project: string;
  region: string;
}

/** Claude on Google Vertex AI. An `authToken` is sent as a bearer token. */
export function createVertexModel(options: VertexOptions): Model {
  const { project, region, nameOf } = options;
  const named = (model: string) => nameOf?.(model) ?? vertexName(model);
  const place = `/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`;
  const base = methodUrl(options.baseUrl, `${place}/publishers/anthropic/models`, 'ANTHROPIC_VERTEX_BASE_URL');
  return createMessagesModel(options, {
    name: 'vertex',
    urlOf(model) {
      const url = new URL(base);
      const id = encodeURIComponent(named(model)).replaceAll('%40', '@');
      url.pathname = `${base.pathname}/${id}:streamRawPredict`;
      return url;
    },
    settings: ({ model: _, ...settings }) => ({ anthropic_version: 'vertex-2023-10-16', ...settings }),
    headers: ({ authToken }, betas) => ({
      ...(authToken && { authorization: `Bearer ${authToken}` }),
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    }),
    // Nothing is signed, but a token for all of Google's cloud follows no redirect either.
    sign: ({ headers }) => ({ ...headers }),
    betas: BETAS,
    explain: (failure, model) => withAdvice(failure, adviceFor(failure, named(model), options)),
  });
}

function vertexName(model: string): string {
  return model.replace(/^vertex\//i, '');
}

/** Betas that Vertex documents for some of its models. */
const BETAS: ReadonlySet<string> = new Set([
  'compact-2026-01-12',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'interleaved-thinking-2025-05-14',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);

function adviceFor({ class: kind, status }: Failure, model: string, { project, region }: VertexOptions): string | null {
  if (status === 401) return 'Sign in again: gcloud auth application-default login.';
  // Without a status there was no token to ask with; the message says what to set.
  if (kind === 'authentication' && status !== undefined) {
    return `Check that ${project} may use Vertex AI, and has enabled ${model}.`;
  }
  if (kind !== 'model_not_found') return null;
  return `Check the model's name, CLOUD_ML_REGION (${region}), and that ${project} has enabled the model.`;
}
