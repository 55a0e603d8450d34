import { type InputOf, integer, objectInput, optional, string } from '../input-schema.ts';
import type { Tool } from '../tool.ts';
import { hostOfText } from './web-url.ts';

/** Finds the proxy for a URL; passed in, because the model clients use the same. */
export interface Proxies {
  /**
   * The proxy for requests to `url`, by the variables of `env`; null without one. Throws when its address is not a URL.
   */
  proxyFor(url: URL, env: Readonly<Record<string, string | undefined>>): URL | null;
  /** The header that the proxy expects, if its address has a user name. */
  proxyAuthorization(proxy: URL): string | undefined;
}

/** A page as the model reads it. */
export interface ReadPage {
  text: string;
  bytes: number;
  code: number;
  codeText: string;
  fetchedAt: number;
}

const input = objectInput({
  url: string('The http or https URL'),
  prompt: string('What to find out from the page'),
  offset: optional(integer('Character of the text to begin at', { minimum: 0 })),
});

export type WebFetchInput = InputOf<typeof input>;

/** Made once per session: it remembers pages for a while. */
export function createWebFetchTool(proxies: Proxies): Tool<WebFetchInput> {
  const pages = new Map<string, ReadPage>();
  return {
    name: 'WebFetch',
    description: `Fetches a public web page; a small model answers the prompt from the page alone.

- Ask precisely; ask for quotes where wording matters.
- A redirect to another host is reported: call again with the new URL.
- Not for local and private addresses or pages behind a login. Pages are remembered for 15 minutes.`,
    input,
    access({ url }) {
      const host = hostOfText(url);
      return { kind: 'other', ...(host !== undefined && { host }) };
    },
    isConcurrencySafe: () => true,
    async run(question, context) {
      const { webFetch } = await import('./fetch-page.ts');
      return webFetch(question, { ...proxies, pages }, context);
    },
  };
}
