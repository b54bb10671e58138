import type { Mutation } from './mutations.ts'

const server = 'apps/server/src'

/** Faults in what the management API takes and shows. */
export const mutationsOfApi: readonly Mutation[] = [
  {
    name: 'show a row of the log to other accounts',
    file: `${server}/api/log/handlers.ts`,
    text: 'await one(id, caller.id)',
    becomes: 'await one(id, null)',
    tests: [`${server}/api/log/log.test.ts`],
  },
  {
    name: 'let users reach the tasks of other accounts',
    file: `${server}/api/authorize.ts`,
    text: 'return actsAsAdmin(actor) ? null : actor.id',
    becomes: 'return actor.role > 0 ? null : actor.id',
    tests: [`${server}/api/task/task.test.ts`],
    check: 'B48a',
  },
  {
    name: 'compare the quota of a token form only with the value that it showed',
    file: `${server}/api/token/quota-edit.ts`,
    text: 'edit.remain_quota - edit.remain_quota_was - earlier',
    becomes: 'edit.remain_quota - edit.remain_quota_was',
    tests: [`${server}/api/token/token.test.ts`],
  },
  {
    name: 'compare the balance of an account form only with the value that it showed',
    file: `${server}/api/user/edit.ts`,
    text: 'target - quota_was - earlier',
    becomes: 'target - quota_was',
    tests: ['apps/server/test/family-console.test.ts'],
  },
  {
    name: 'drop members of a channel configuration',
    file: `${server}/api/channel/config.ts`,
    text: '{ ...stored, ...Object.fromEntries(known) }',
    becomes: 'stored',
    tests: ['apps/server/test/family-console.test.ts'],
  },
  {
    name: 'store prices that equal the built-in ones',
    file: `${server}/api/option/ratio-tables.ts`,
    text: 'value !== withoutOption(model, field, basis)',
    becomes: 'value >= 0',
    tests: [`${server}/api/option/option.test.ts`],
  },
  {
    name: 'allow any address in public texts',
    file: 'packages/contract/src/content.ts',
    text: 'form === undefined || form.test(',
    becomes: "form === undefined || value !== '' || form.test(",
    tests: [`${server}/api/option/content.test.ts`],
  },
  {
    name: 'write the audit event outside of its transaction',
    file: `${server}/api/audit.ts`,
    text: 'if (db === undefined) return await ledger.writeLog(row)',
    becomes: 'if (db === undefined || event.actor.id >= 0) return await ledger.writeLog(row)',
    tests: ['apps/server/test/audit.test.ts'],
  },
  {
    name: 'show rows of the log in English to every reader',
    file: `${server}/api/log/handlers.ts`,
    text: 'message === null ? content : codedMessageText(message, language)',
    becomes: 'content',
    tests: ['apps/server/test/audit.test.ts'],
  },
  {
    name: 'charge for a model that is free',
    file: `${server}/relay/pricing/prices.ts`,
    text: '? { ratio: 0, ...toolPricesIn(',
    becomes: '? { ratio: 1, ...toolPricesIn(',
    tests: [`${server}/api/channel/prices.test.ts`],
  },
  {
    name: 'show ordinary users which channel served them',
    file: `${server}/api/authorize.ts`,
    text: 'return actsAsAdmin(actor)\n',
    becomes: 'return actor.role > 0\n',
    tests: [`${server}/api/log/log.test.ts`],
  },
]
