import { connect, type NetConnectOpts } from 'node:net'

/**
 * Opens a connection and closes it at once. Does not throw.
 * @param timeoutMs longest wait, in milliseconds
 * @returns the code or the message of what went wrong; `null`: a connection was taken
 */
export async function dial(server: NetConnectOpts, timeoutMs: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const socket = connect(server)
  const timer = setTimeout(resolve, timeoutMs, 'no response in time')
  socket.once('connect', () => resolve(null)).once('error', (error) => resolve(dialFailure(error)))
  const problem = await promise
  clearTimeout(timer)
  socket.destroy()
  return problem
}

/** The code of an error of the system, or else its message. */
export const dialFailure = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.message) : String(error)
