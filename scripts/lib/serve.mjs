/**
 * The command that starts the server, from its sources unless another module is named. Bun reads the variable at its start: without it, it
 * runs only 256 requests to vendors at a time. The server ends if its parent is killed, so that it does not keep the port.
 */
export function server(bun, { module = 'apps/server/src/main.ts', flags = [], args = [] } = {}) {
  return {
    program: bun,
    args: ['--no-orphans', ...flags, module, ...args],
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? '65336' },
  }
}
