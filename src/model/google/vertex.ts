import { createMessagesModel } from '../anthropic/messages-elsewhere.ts';
import { type EndpointOptions, methodUrl } from '../http/endpoint.ts';
import type { Failure, Model } from '../model.ts';

export interface VertexOptions extends EndpointOptions {
  project: string;
  region: string;
}

/** Claude on Google Vertex AI. An `authToken` is sent as a bearer token. */
export function createVertexModel(options: VertexOptions): Model {
  const { project, region } = options;
  const place = `/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`;
  const base = methodUrl(options.baseUrl, `${place}/publishers/anthropic/models`, 'ANTHROPIC_VERTEX_BASE_URL');
  return createMessagesModel(options, {
    name: 'vertex',
    urlOf(model) {
      const url = new URL(base);
      const id = encodeURIComponent(vertexName(model)).replaceAll('%40', '@');
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
    explain: (failure, model) => explained(failure, vertexName(model), options),
  });
}

function vertexName(model: string): string {
  return model.replace(/^vertex\//i, '');
}

/** Betas that Vertex documents. */
const BETAS: ReadonlySet<string> = new Set(['context-1m-2025-08-07', 'interleaved-thinking-2025-05-14']);

function explained(failure: Failure, model: string, { project, region }: VertexOptions): Failure {
  const advice = adviceFor(failure);
  if (advice === null) return failure;
  const { body: _, ...rest } = failure;
  return { ...rest, message: `${failure.message.replace(/[.\s]*$/, '')}. ${advice}` };

  function adviceFor({ class: kind, status }: Failure): string | null {
    if (status === 401) return 'Sign in again: gcloud auth application-default login.';
    if (kind === 'authentication') return `Check that ${project} may use Vertex AI, and has enabled ${model}.`;
    if (kind !== 'model_not_found') return null;
    return `Check the model's name, CLOUD_ML_REGION (${region}), and that ${project} has enabled the model.`;
  }
}
