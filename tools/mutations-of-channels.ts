import type { Mutation } from './mutations.ts'

const relay = 'apps/server/src/relay'
const canaries = 'apps/server/test/canaries.test.ts'

/** Faults in how channels are chosen, charged with failures and disabled. */
export const mutationsOfChannels: readonly Mutation[] = [
  {
    name: "let one token's failures open the circuit of a model for all",
    file: `${relay}/routing/model-health.ts`,
    text: '  if (token.counted >= countedOfTokenMax) return false\n',
    becomes: '',
    tests: [`${relay}/routing/channel-health.test.ts`],
    only: 'mistakes|whatever bad clients do',
  },
  {
    name: 'count a repeated request as another failure',
    file: `${relay}/routing/model-health.ts`,
    text: '  if (request !== null && counted.has(request)) return false\n',
    becomes: '',
    tests: [`${relay}/routing/channel-health.test.ts`],
    only: 'again and again',
  },
  {
    name: 'open the circuit of chats for failures of embeddings',
    file: `${relay}/routing/routing.ts`,
    text: 'return { kind, model: mapping.get(model) ?? model, tokenId }',
    becomes: 'return { kind: kind.slice(0, 0), model: mapping.get(model) ?? model, tokenId }',
    tests: [`${relay}/routing/channel-health.test.ts`],
    only: 'still makes embeddings',
  },
  {
    name: 'let failing clients use up all probes',
    file: `${relay}/routing/model-health.ts`,
    text: '(admitsAsLast(shared, nowMs) || admitsTrial(model, tokenId, nowMs))',
    becomes: 'admitsAsLast(shared, nowMs)',
    tests: [`${relay}/routing/channel-health.test.ts`],
    only: 'each token once a second|whatever bad clients do',
  },
  {
    name: 'let the only channel recover slowly',
    file: `${relay}/routing/circuit.ts`,
    text: 'ejections, sinceMs, probe, coolUntilMs } = circuit\n  return { state, inRow: 0, seen, lastGoodMs: nowMs, isDead: false,',
    becomes: 'isDead, ejections, sinceMs, probe, coolUntilMs } = circuit\n  return { state, inRow: 0, seen, lastGoodMs: nowMs, isDead,',
    tests: [`${relay}/routing/circuit.test.ts`],
    only: 'first good answer',
  },
  {
    name: 'disable a channel because of an error page of a firewall',
    file: 'packages/vendors/src/failure-parts.ts',
    text: "  403: 'forbidden',",
    becomes: "  403: 'bad_key',",
    tests: [`${relay}/routing/key-refusals.test.ts`, 'packages/vendors/src/openai/dialect.test.ts'],
  },
  {
    name: 'give servers that queue requests no longer timeout',
    file: `${relay}/upstream/timeouts.ts`,
    text: 'timeouts?.idleMs ?? ',
    becomes: '',
    tests: [`${relay}/upstream/timeouts.test.ts`],
    only: 'queues',
  },
  {
    name: 'send the stack trace of a vendor to clients',
    file: `${relay}/routing/retry.ts`,
    text: 'detail: withoutTraces(failure.message)',
    becomes: 'detail: failure.message',
    tests: [`${relay}/upstream/timeouts.test.ts`],
    only: '5xx',
  },
  {
    name: 'remove short words from texts as if they were secrets',
    file: `${relay}/wire/without-secrets.ts`,
    text: 'part.length >= secretCharsMin',
    becomes: 'part.length >= 1',
    tests: [`${relay}/wire/without-secrets.test.ts`],
  },
  {
    name: 'hide from administrators why an attempt failed',
    file: `${relay}/billing/failed-attempts.ts`,
    text: 'if (failures.length === 0) return detail',
    becomes: 'if (failures.length >= 0) return detail',
    tests: [`${relay}/billing/failed-attempts.test.ts`],
    only: 'row of a failed call',
  },
  {
    name: 'show the key in the log of failed attempts',
    file: `${relay}/billing/failed-attempts.ts`,
    text: 'message: clean(seen.message).slice(0, messageMax)',
    becomes: 'message: seen.message.slice(0, messageMax)',
    tests: [canaries],
  },
  {
    name: 'test all channels at every run of the timer, whatever the option says',
    file: 'apps/server/src/api/channel/timed-tests.ts',
    text: 'everyMs > 0 && passedMs >= everyMs',
    becomes: 'passedMs >= 0',
    tests: ['apps/server/src/api/channel/timed-tests.test.ts'],
  },
  {
    name: 'forget when all channels were tested last',
    file: 'apps/server/src/api/channel/timed-tests.ts',
    text: '    lastMs = clock.monotonicMs()\n    await',
    becomes: '    await',
    tests: ['apps/server/src/api/channel/timed-tests.test.ts'],
  },
]
