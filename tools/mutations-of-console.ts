import type { Mutation } from './mutations.ts'

const source = 'apps/console/src'
const lib = `${source}/lib`
const features = `${source}/features`

/** A fault in one file of the console that breaks a line of its check list, noticed by the test beside the file. */
interface ConsoleFault extends Pick<Mutation, 'name' | 'text' | 'becomes'> {
  readonly check: string
  /** The file without its ending, which its test has too unless another is named. */
  readonly in: string
  readonly test?: string
}

const faults: readonly ConsoleFault[] = [
  {
    check: 'G2b',
    name: 'take whoever is stored for an administrator',
    in: `${lib}/session`,
    text: "role: typeof role === 'number' ? role : 0,",
    becomes: 'role: 10,',
  },
  {
    check: 'G7',
    name: 'show pages of administrators to everybody in the menu',
    in: `${source}/app/nav-items`,
    text: '(isAdmin || !isForAdmins) &&',
    becomes: '(isAdmin || isForAdmins !== null) &&',
  },
  {
    check: 'G7a',
    name: 'show the chat before its address is set',
    in: `${source}/app/nav-items`,
    text: ' && (hasChat || !needsChat)',
    becomes: ' && (hasChat || needsChat !== null)',
  },
  {
    check: 'E4',
    name: 'show that the site has no server as an error',
    in: `${lib}/api`,
    text: "if (status === 405) return { kind: 'info',",
    becomes: "if (status === 405) return { kind: 'error',",
  },
  {
    check: 'G18',
    name: 'abbreviate counts from a thousand',
    in: `${lib}/quota`,
    text: "{ from: 10_000, divisor: 1_000, suffix: 'k' }",
    becomes: "{ from: 1_000, divisor: 1_000, suffix: 'k' }",
  },
  {
    check: 'G18a',
    name: 'show small amounts as nothing',
    in: `${lib}/quota`,
    text: 'return signed(amount, size < 1 ? exact',
    becomes: 'return signed(amount, size < 0 ? exact',
  },
  {
    check: 'G19',
    name: 'cut names of fifteen characters',
    in: `${lib}/text`,
    text: 'characters.length > 15',
    becomes: 'characters.length >= 15',
  },
  {
    check: 'G22',
    name: 'forget what a full storage does not take',
    in: `${lib}/storage`,
    text: 'if (isKept === true) memory.delete(key)\n    else memory.set(key, value)',
    becomes: 'memory.delete(key)',
  },
  {
    check: 'G23a',
    name: 'leave out the neighbours of the present page',
    in: `${lib}/list-rows`,
    text: 'const wanted = [1, current - 1, current, current + 1, count]',
    becomes: 'const wanted = [1, current, count]',
  },
  {
    check: 'G25a',
    name: 'sort rows without a value before all others when the order is turned',
    in: `${source}/ui/table/use-sorted-rows`,
    test: `${source}/ui/table/table-parts.test.ts`,
    text: 'return Number(a.key === null) - Number(b.key === null)',
    becomes: 'return (desc ? -1 : 1) * (Number(a.key === null) - Number(b.key === null))',
  },
  {
    check: 'L6',
    name: 'ask GitHub for everything',
    in: `${lib}/oauth`,
    text: 'user:email',
    becomes: 'user',
  },
  {
    check: 'G2a',
    name: 'go to any address after a login',
    in: `${features}/login/after-login`,
    text: '/^\\/(?![/\\\\])/.test(from) && ',
    becomes: '',
  },
  {
    check: 'T4',
    name: 'copy links without the prefix of the key',
    in: `${features}/token/chat-links`,
    text: 'key: `sk-${key}`',
    becomes: 'key',
  },
  {
    check: 'TF1',
    name: 'give a new token ten times the quota',
    in: `${features}/token/token-values`,
    text: "remain_quota: '500000'",
    becomes: "remain_quota: '5000000'",
  },
  {
    check: 'TF2a',
    name: 'take an expiry that cannot be read for none',
    in: `${features}/token/token-values`,
    text: '(parseTime(expired_time) ?? Number.NaN)',
    becomes: '(parseTime(expired_time) ?? -1)',
  },
  {
    check: 'C5',
    name: 'show three seconds as slow',
    in: `${source}/crud/channel/response-time`,
    test: `${features}/channel/list-parts.test.ts`,
    text: '{ upToMs: 3_000,',
    becomes: '{ upToMs: 2_999,',
  },
  {
    check: 'C7',
    name: 'test the first model instead of the preferred one',
    in: `${features}/channel/test-model`,
    test: `${features}/channel/list-parts.test.ts`,
    text: 'return models.includes(preferredTestModel) ? preferredTestModel : (models[0]',
    becomes: 'return models.includes(preferredTestModel) ? (models[0] ?? preferredTestModel) : (models[0]',
  },
  {
    check: 'C8',
    name: 'send a priority of nothing as zero',
    in: `${features}/channel/whole-cell-value`,
    test: `${features}/channel/list-parts.test.ts`,
    text: '\\d{1,10}$/',
    becomes: '\\d{0,10}$/',
  },
  {
    check: 'C8a',
    name: 'send weights below zero',
    in: `${features}/channel/channel-values`,
    text: 'value !== undefined && value < 0 ? 0 : value',
    becomes: 'value',
  },
  {
    check: 'CF2',
    name: 'name the models before the key',
    in: `${features}/channel/channel-values`,
    text: "['name', 'key', 'models', 'model_mapping']",
    becomes: "['models', 'name', 'key', 'model_mapping']",
  },
  {
    check: 'CF4',
    name: 'send a composite key with a missing part',
    in: `${features}/channel/channel-values`,
    text: "return parts.includes('') ? '' : parts",
    becomes: 'return parts',
  },
  {
    check: 'CF7',
    name: 'add a pasted name twice',
    in: `${source}/ui/model-picker-options`,
    text: 'return splitNames(text).filter((name) => !value.includes(name) && (',
    becomes: 'return splitNames(text).filter((name) => (',
  },
  {
    check: 'RD3',
    name: 'create ten codes at first',
    in: `${features}/redemption/redemption-values`,
    text: "quota: '100000', count: '1', expired",
    becomes: "quota: '100000', count: '10', expired",
  },
  {
    check: 'UE2',
    name: 'send the balance without what the form showed',
    in: `${features}/user/user-values`,
    text: '{ quota, quota_was, form_id })',
    becomes: '{ quota, form_id })',
  },
  {
    check: 'LG1',
    name: 'ask for the log until now',
    in: `${features}/log/log-query`,
    test: `${features}/log/log-search.test.ts`,
    text: 'const endAheadSeconds = 3_600',
    becomes: 'const endAheadSeconds = 0',
  },
  {
    check: 'LG2',
    name: 'ask for the own log with a user',
    in: `${features}/log/log-query`,
    test: `${features}/log/log-search.test.ts`,
    text: "    token_name: token ?? '',\n",
    becomes: "    token_name: token ?? '',\n    username: '',\n",
  },
  {
    check: 'TU2',
    name: 'open the shop without the account',
    in: `${features}/topup/redeem-codes`,
    text: "  address.searchParams.set('user_id', String(buyer.id))\n",
    becomes: '',
  },
  {
    check: 'D1',
    name: 'let the last column be hidden',
    in: `${lib}/column-layout`,
    text: 'return layout.order.length - layout.hidden.length <= 1 ? layout : {',
    becomes: 'return layout.order.length < layout.hidden.length ? layout : {',
  },
  {
    check: 'D3',
    name: 'act on all selected rows at the same time',
    in: `${lib}/run-bulk`,
    text: 'const parallelMax = 5',
    becomes: 'const parallelMax = 500',
  },
  {
    check: 'D12a',
    name: 'keep drafts for ever',
    in: `${lib}/draft`,
    text: 'return nowMs - atMs < draftMs ? {',
    becomes: 'return nowMs - atMs < nowMs ? {',
  },
  {
    check: 'D10',
    name: 'show the recent commands of one account to all',
    in: `${source}/app/palette/recents`,
    text: 'from.readJson(keyOf(accountId))',
    becomes: 'from.readJson(keyOf(accountId > 0 ? 1 : 0))',
  },
  {
    check: 'B1',
    name: 'take letters side by side for scattered ones',
    in: `${lib}/fuzzy`,
    text: 'const afterAnother = 9',
    becomes: 'const afterAnother = 1',
  },
  {
    check: 'B43',
    name: 'serve the page without its design',
    in: 'apps/server/src/app',
    text: 'consoleFiles: consoleFiles?.inDesign(settings().Theme) ?? null,',
    becomes: 'consoleFiles,',
    test: 'apps/server/src/http/front-door.test.ts',
  },
  {
    check: 'I2',
    name: 'take the language of the browser before the stored one',
    in: `${lib}/t`,
    text: "const wanted = [typeof stored === 'string' ? stored : '', ...languages]",
    becomes: "const wanted = [...languages, typeof stored === 'string' ? stored : '']",
  },
  {
    check: 'B15',
    name: 'take any prefix of a subnet',
    in: `${lib}/subnet`,
    text: 'isIpv4(address) && bits <= 32',
    becomes: 'isIpv4(address) && bits <= 128',
  },
  {
    check: 'B29',
    name: 'forecast with the usage of one day',
    in: `${lib}/runway`,
    text: 'const rateDays = 7\n',
    becomes: 'const rateDays = 1\n',
  },
]

/** Faults of the console; each breaks a line of `apps/console/CHECKS.md`. */
export const mutationsOfConsole: readonly Mutation[] = faults.map(({ in: file, test, ...fault }) => ({
  ...fault,
  file: `${file}.ts`,
  tests: [test ?? `${file}.test.ts`],
}))
