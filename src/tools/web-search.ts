import { arrayOf, type InputOf, objectInput, optional, string } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  query: string('What to search for'),
  allowed_domains: optional(arrayOf(string(''), 'Only results from these domains')),
  blocked_domains: optional(arrayOf(string(''), 'No results from these domains')),
});

export type WebSearchInput = InputOf<typeof input>;

/** Only where the provider of the session's model can search. */
export const webSearchTool: Tool<WebSearchInput> = {
  name: 'WebSearch',
  description: `Searches the web and returns what was found, with links.

- For what is newer than the model's knowledge, or has to be looked up. To read one of the pages use WebFetch.
- Give allowed_domains or blocked_domains, not both. Name the sources in the answer to the user.`,
  input,
  access: () => ({ kind: 'other' }),
  isConcurrencySafe: () => true,
  async run(search, context) {
    const { webSearch } = await import('./web-search-run.ts');
    return webSearch(search, context);
  },
};
