/** Without it, Bun itself reads `.env` and files with similar names of the working folder. The server reads the one that it names. */
const noEnvFile = '--no-env-file'
const main = 'apps/server/src/main.ts'

/** Bun's arguments for a command of the server. */
export const fromSources = [noEnvFile, main]

/**
 * The command that starts the server, from its sources unless another module is named. Bun reads the variable at its start: without it, it
 * runs only 256 requests to vendors at a time. The server ends if its parent is killed, so that it does not keep the port.
 */
export function server(bun, { module = main, flags = [], args = [] } = {}) {
  return {
    program: bun,
    args: ['--no-orphans', noEnvFile, ...flags, module, ...args],
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? '65336' },
  }
}
