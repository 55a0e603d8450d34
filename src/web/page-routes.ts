import { type Route, route } from '../server/http/route.ts';
import type { PageFiles } from './page-files.ts';

/** Scripts and styles only from the server itself, nothing from elsewhere, and no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The three files of the page: all that is answered without a token, and the same for everybody. */
export function pageRoutes({ html, script, style }: PageFiles): Route[] {
  const file = (path: string, text: string, type: string): Route =>
    route({
      ...{ method: 'GET', path, scope: 'none', errors: [] },
      summary: `A part of the page: ${path}`,
      answers: { 200: { description: 'The file', type } },
      handle: async () => ({ text, type: `${type}; charset=utf-8`, headers: HEADERS }),
    });
  return [
    file('/', html, 'text/html'),
    file('/assets/page.js', script, 'text/javascript'),
    file('/assets/page.css', style, 'text/css'),
  ];
}
