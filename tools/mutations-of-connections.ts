import type { Mutation } from './mutations.ts'

const server = 'apps/server/src'
const relay = `${server}/relay`
const tests = 'apps/server/test'

/** Faults in connections to vendors and their addresses, in limits of memory, and in the shutdown of the server. */
export const mutationsOfConnections: readonly Mutation[] = [
  {
    name: 'parse all of a long read in one turn of the event loop',
    file: `${relay}/upstream/http1/slices.ts`,
    text: '(this.#isPaused || !this.#takeTurn())) break',
    becomes: 'this.#isPaused) break',
    tests: [`${relay}/upstream/http1/slices.test.ts`],
  },
  {
    name: 'skip interim responses without end',
    file: `${relay}/upstream/http1/response-parser.ts`,
    text: 'this.#interimBytes += waiting - rest.length',
    becomes: 'this.#interimBytes += 0',
    tests: [`${relay}/upstream/http1/response-parser.test.ts`],
  },
  {
    name: 'reuse a connection immediately',
    file: `apps/server/src/relay/upstream/http1/connection-pool.ts`,
    text: '    settling = fresh\n',
    becomes:
      '    settling = newSettling()\n    for (const [way, resters] of fresh.connections) for (const resting of resters) put(idle, way, resting)\n',
    tests: [`apps/server/src/relay/upstream/http1/client.test.ts`],
    only: 'not used again before',
  },
  {
    name: 'leave the socket open when a handshake is given up',
    file: `apps/server/src/relay/upstream/http1/connection.ts`,
    text: '      reject(error)\n      link.destroy()\n',
    becomes: '      reject(error)\n',
    tests: [`apps/server/src/relay/upstream/http1/client.test.ts`],
    only: 'TLS handshake',
  },
  {
    name: 'respond to every ping of a vendor that reads nothing',
    file: `apps/server/src/relay/upstream/http1/web-socket.ts`,
    text: 'if (outbox.waitingBytes > 0) lastPing = data',
    becomes: 'if (outbox.waitingBytes < 0) lastPing = data',
    tests: [`apps/server/src/relay/upstream/http1/web-socket.test.ts`],
  },
  {
    name: 'keep the request in memory until the response ends',
    file: `apps/server/src/relay/upstream/http1/client.ts`,
    text: '    this.#head = head\n    this.#request = null\n',
    becomes: '    this.#head = head\n',
    tests: [`${tests}/stream-memory.test.ts`],
    only: 'prompts',
  },
  {
    name: 'let a request reach this server twice',
    file: `${relay}/upstream/hops.ts`,
    text: 'if (passed.includes(own) || passed.length >= hopsMax)',
    becomes: 'if (passed.length >= hopsMax)',
    tests: [`${relay}/upstream/hops.test.ts`],
  },
  {
    name: 'recognize this server by loopback addresses only',
    file: `${server}/lib/egress.ts`,
    text: "ip.range() === 'loopback' || own.has(ip.toNormalizedString())",
    becomes: "ip.range() === 'loopback'",
    tests: [`${server}/lib/egress.test.ts`],
  },
  {
    name: 'query a token once for each waiting request',
    file: `${relay}/ingress/callers.ts`,
    text: 'return await reads.run(key, () => read(key))',
    becomes: 'return await read(key)',
    tests: [`${relay}/ingress/callers.test.ts`],
  },
  {
    name: 'not count a request as running before its body has arrived',
    file: `${relay}/create-relay.ts`,
    text: 'const done = running.begin(() => body?.cancel())',
    becomes: 'const done = (): void => {}',
    tests: [`${tests}/shutdown.test.ts`],
    only: 'bodies',
  },
  {
    name: 'forget an account whose charge is not committed',
    file: `${server}/ledger/create-ledger.ts`,
    text: 'const unpin = accounts.keep(userId, tokenId)',
    becomes: 'const unpin = nothing',
    tests: [`${server}/ledger/simulation.test.ts`],
  },
  {
    name: 'forget an account between reading it and reserving',
    file: `${server}/ledger/accounts.ts`,
    text: '        unpin = keep(userId, tokenId)',
    becomes: '        unpin = nothing',
    tests: [`${server}/ledger/simulation.test.ts`],
  },
]
