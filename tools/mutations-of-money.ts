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
]
