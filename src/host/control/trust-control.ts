import { setTrust } from '../../config/trust-store.ts';
import { stringField } from '../../util/json.ts';
import type { ProjectTrustReport } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { viewTrust } from '../launch/view-trust.ts';
import { reloadExtensions } from '../session/reload-extensions.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/**
 * `trust_project`: what of the project's files would act with trust, in full. With a decision it is stored, as by `heddle
 * trust`, for exactly the files that the digest is of; settings, skills and agents act from the next turn on.
 */
export async function trustProject(context: ControlContext, request: ControlBody): Promise<ProjectTrustReport> {
  const { decision } = request;
  if (decision === undefined) return report(context);
  if (decision !== 'trust' && decision !== 'distrust') throw invalidRequest('decision', "'trust' or 'distrust'");
  const { main, services } = context;
  const { cwd, configHome } = services.configuration.directories;
  if (configHome === null) {
    throw new ControlError('There is no config home that could store the decision', 'not_supported');
  }
  const { hash } = viewTrust(cwd, configHome);
  if (decision === 'trust' && stringField(request, 'digest') !== hash) {
    const reason = 'The files of the project are others than those of request.digest: show them again, and ask';
    throw new ControlError(reason, 'invalid_settings');
  }
  await setTrust(cwd, configHome, { isTrusted: decision === 'trust', now: services.runtime.clock.now(), hash });
  await reloadExtensions(main);
  return report(context);
}

function report({ services }: ControlContext): ProjectTrustReport {
  const { cwd, configHome } = services.configuration.directories;
  const { trust, hash, files } = viewTrust(cwd, configHome);
  return {
    state: trust,
    digest: hash,
    files: files.map(({ file, needsTrust, never }) => ({ file, needs_trust: needsTrust, never })),
  };
}
