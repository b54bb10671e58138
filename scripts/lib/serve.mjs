/**
 * How the server is started from its sources. Bun reads the variable before it starts: without it, only 256 upstream requests run at a
 * time. A killed parent takes the server along, so none is left behind on the port.
 */
export function server(bun, { flags = [], args = [] } = {}) {
  return {
    program: bun,
    args: ['--no-orphans', ...flags, 'apps/server/src/main.ts', ...args],
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? '65336' },
  }
}
