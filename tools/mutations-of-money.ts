import type { Mutation } from './mutations.ts'

/** The same for what is charged: what vendors count, what their tools cost, how long a sound is, and what a session has used. */
export const mutationsOfMoney: readonly Mutation[] = [
  {
    name: 'leave out reasoning that is counted beside the output',
    file: 'packages/vendors/src/openai/usage.ts',
    text: '+ completionTokens + reasoning ? reasoning : 0',
    becomes: '+ completionTokens + reasoning ? 0 : 0',
    tests: ['packages/vendors/src/openai/usage.test.ts'],
  },
  {
    name: 'believe a header that tells of less sound than its bytes hold',
    file: 'apps/server/src/relay/sound-length.ts',
    text: 'Math.max(told, held, ',
    becomes: 'Math.max(told, ',
    tests: ['apps/server/src/relay/sound-length.test.ts'],
  },
  {
    name: 'believe the first frames of an MP3',
    file: 'apps/server/src/relay/sound-length.ts',
    text: '> told * tolerance ?',
    becomes: '> told * 1e9 ?',
    tests: ['apps/server/src/relay/sound-length.test.ts'],
  },
  {
    name: 'draw pictures for nothing',
    file: 'apps/server/src/relay/bill.ts',
    text: 'amount: quotaForAll([charge, ...tools])',
    becomes: 'amount: quotaForAll([charge])',
    tests: ['apps/server/src/relay/billing.test.ts'],
    only: 'tools of a vendor',
  },
  {
    name: 'forget what tools did where the stream ends early',
    file: 'apps/server/src/relay/stream-views.ts',
    text: 'usage: this.#usage ?? this.#parts, tail',
    becomes: 'usage: this.#usage, tail',
    tests: ['apps/server/src/relay/billing.test.ts'],
    only: 'tools of a vendor',
  },
  {
    name: 'charge no answer of a session that is still running',
    file: 'apps/server/src/relay/session-meter.ts',
    text: 'return this.#running === 0 ? told :',
    becomes: 'return this.#running < 99 ? told :',
    tests: ['apps/server/src/relay/session-meter.test.ts'],
  },
  {
    name: 'reserve nothing while a session runs',
    file: 'apps/server/src/relay/realtime-session.ts',
    text: 'if (more <= 0) return true',
    becomes: 'if (more <= 1e12) return true',
    tests: ['apps/server/src/relay/realtime.test.ts'],
    only: 'only listens|more than the account has',
  },
  {
    name: 'take what a person says for nothing',
    file: 'packages/vendors/src/openai/realtime-events.ts',
    text: "if (head !== undefined) return { kind: 'sound', bytes:",
    becomes: "if (head !== undefined) return { kind: 'sound', bytes: 0 *",
    tests: ['packages/vendors/src/openai/realtime-events.test.ts'],
  },
]
