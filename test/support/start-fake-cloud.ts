import { type AnswerLike, type FakeApiRequest, type Script, startFakeApi } from '../../src/testing/index.ts';
import { afterTest } from './after-test.ts';
import { type CloudDialect, type FakeCloud, openFakeCloud } from './fake-clouds.ts';

/** A cloud in front of a fake Messages API: it checks requests, and encodes the answers of the same scripts. */
export async function startFakeCloud(
  script: Script<FakeApiRequest> | readonly AnswerLike[],
  dialect: CloudDialect,
): Promise<FakeCloud> {
  const api = await startFakeApi(script as Script<FakeApiRequest>);
  const { close, ...cloud } = await openFakeCloud(api.url, dialect);
  afterTest(() => Promise.all([api.close(), close()]));
  return cloud;
}
