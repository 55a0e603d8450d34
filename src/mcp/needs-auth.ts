/** The user has to sign in before the server answers. */
export class McpNeedsAuth extends Error {
  override readonly name = 'McpNeedsAuth';
}

/** The sign-in does not cover this one request: others are still answered. */
export class McpNeedsScope extends McpNeedsAuth {}
