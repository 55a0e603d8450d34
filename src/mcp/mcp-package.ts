/**
 * The parts of the official MCP package that Heddle uses. Always imported late: only remote servers need it, it loads
 * half of zod, and the build puts it into a separate file (`scripts/lib/command-line.mjs`) next to the bundle of the
 * command line.
 */
export {
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  parseErrorResponse,
  refreshAuthorization,
  registerClient,
  selectClientAuthMethod,
  startAuthorization,
} from '@modelcontextprotocol/sdk/client/auth.js';
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export {
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
export { OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js';
export { checkResourceAllowed, resourceUrlFromServerUrl } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
