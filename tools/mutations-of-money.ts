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
]
