import type { Mutation } from './mutations.ts'

const option = 'apps/server/src/api/option'
const setting = 'apps/console/src/features/setting'

/** Faults in the settings of administrators. */
export const mutationsOfSettings: readonly Mutation[] = [
  {
    name: 'send test mails without counting them',
    file: `${option}/handlers.ts`,
    text: '      await deps.countMail(to)\n',
    becomes: '',
    tests: [`${option}/settings-calls.test.ts`],
  },
  {
    name: 'name the first change of an option instead of the last',
    file: `${option}/last-changes.ts`,
    text: 'if (!changes.has(key)) changes.set(',
    becomes: 'changes.set(',
    tests: [`${option}/settings-calls.test.ts`],
  },
  {
    name: 'preview HTML without sanitizing it',
    file: 'apps/server/src/api/status/render-worker.ts',
    text: "kind === 'html' ? publicHtml(text)",
    becomes: "kind === 'html' ? { html: text, frames: [] }",
    tests: [`${option}/settings-calls.test.ts`],
  },
  {
    name: 'convert prices in yuan at a fixed rate',
    file: 'packages/vendors/src/registry/models/prices.ts',
    text: 'input / yuanPerDollar / dollarsPerRatio',
    becomes: 'input / 7 / dollarsPerRatio',
    tests: [`${option}/option.test.ts`],
  },
  {
    name: 'read the list of releases at every check',
    file: 'apps/server/src/outside/releases.ts',
    text: 'if (last === null || Math.abs(now - last.readAt) >= freshSeconds) last =',
    becomes: 'last =',
    tests: [`${option}/settings-calls.test.ts`],
  },
  {
    name: 'save secrets that were not typed',
    check: 'S8',
    file: `${setting}/option-values.ts`,
    text: "if (secret) return draft !== ''",
    becomes: 'if (secret) return true',
    tests: [`${setting}/option-values.test.ts`],
  },
  {
    name: 'change the price of output together with the price of input',
    check: 'B16',
    file: `${setting}/ratio-rows.ts`,
    text: '(completion !== null && { completion: kept(completion) }),',
    becomes: '(completion !== null && {}),',
    tests: [`${setting}/ratio-rows.test.ts`],
  },
]
