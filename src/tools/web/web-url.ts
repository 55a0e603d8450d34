import { hostNameOf } from '../../util/host-name.ts';
import { ToolError } from '../tool.ts';

/** The address that a model wrote, or a redirect named. Throws a ToolError for what must not be fetched. */
export function parseWebUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new ToolError(`This is no valid URL: ${text.slice(0, 200)}`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(`Only http and https URLs can be fetched, not ${url.protocol}`);
  }
  // Refused: the secret would be in logs, or the part before the @ is meant to look like the host.
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(`A URL with a user name or password is not fetched. Its host would be ${url.hostname}.`);
  }
  return url;
}

/** The host that fetching `text` would reach, in the form of `hostNameOf`; undefined when `text` names no host. */
export function hostOfText(text: string): string | undefined {
  return URL.canParse(text) ? hostNameOf(new URL(text)) : undefined;
}
