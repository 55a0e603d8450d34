// The least that answers `initialize` of the Agent Client Protocol: a line of JSON in, a line of JSON out.
const { createInterface } = require('node:readline');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize' ? { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } : {};
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
