import type { Mutation } from './mutations.ts'

const relay = 'apps/server/src/relay'
const media = `${relay}/kinds/media.test.ts`

/** The same for single kinds of calls, and what vendors, clocks and channels may get wrong in them. */
export const mutationsOfKinds: readonly Mutation[] = [
  {
    name: 'draw a picture twice where it may have been drawn',
    file: `${relay}/kinds/images.ts`,
    text: 'const drawing = { isRepeatable: false,',
    becomes: 'const drawing = { isRepeatable: true,',
    tests: [media],
    only: 'made again',
  },
  {
    name: 'reckon with any number of pictures',
    file: `${relay}/kinds/images.ts`,
    text: "images: countIn(body, 'n', picturesMax) ?? 1,",
    becomes: "images: Number(body['n'] ?? 1),",
    tests: [media],
    only: 'refused',
  },
  {
    name: 'send the end of a sound before it is paid',
    file: `${relay}/plain-answers.ts`,
    text: 'Buffer.concat([last, raw.subarray(0, -1)])',
    becomes: 'raw',
    tests: [media],
    only: 'speech on its way',
  },
  {
    name: 'end a sound that was cut off as if it were whole',
    file: `${relay}/plain-answers.ts`,
    text: '    error: () => null,',
    becomes: '    error: () => nothing,',
    tests: [media],
    only: 'cuts off',
  },
  {
    name: 'let any type through as sound',
    file: `${relay}/attempt.ts`,
    text: "rules.plain?.get(type) ?? 'json'",
    becomes: "rules.plain?.get(type) ?? 'bytes'",
    tests: [media],
    only: 'a page',
  },
  {
    name: 'believe totals that shrink',
    file: 'packages/vendors/src/no-usage.ts',
    text: 'return isGrown && !known.isSuspect ? now : nonsense',
    becomes: 'return isGrown || !known.isSuspect ? now : nonsense',
    tests: [`${relay}/billing.test.ts`],
    only: 'F19',
  },
  {
    name: 'let a raw proxy be silent for ever',
    file: `${relay}/raw-proxy.ts`,
    text: "silence = deadlines.start(waits.idleMs, () => end('late'))",
    becomes: 'deadlines.cancel(silence)',
    tests: [`${relay}/raw-proxy-faults.test.ts`],
  },
  {
    name: 'leave a token expired by a clock that was ahead',
    file: `${relay}/callers.ts`,
    text: 'if (record.status !== tokenStatus.expired || isOver(record)) return await refuse(record)',
    becomes: 'if (record.status !== tokenStatus.enabled || isOver(record)) return await refuse(record)',
    tests: ['apps/server/test/clock-jumps.test.ts'],
    only: 'run out',
  },
  {
    name: 'take any answer for one to our handshake',
    file: `${relay}/http1/web-socket.ts`,
    text: "if (status === 101 && response.header('sec-websocket-accept') === acceptOf(key))",
    becomes: "if (status === 101 && response.header('sec-websocket-accept') !== acceptOf(key))",
    tests: [`${relay}/realtime-vendors.test.ts`],
    only: 'handshake',
  },
  {
    name: 'remember a lack that a chat has not shown',
    file: `${relay}/lacking.ts`,
    text: 'if (again.isOk) lacking.found(channel, other)',
    becomes: 'lacking.found(channel, other)',
    tests: [`${relay}/lacking.test.ts`],
  },
]
