/** A deliberate fault in the code, which the named tests must notice. */
export interface Mutation {
  /** Describes the fault. */
  readonly name: string
  readonly file: string
  /** Occurs in the file exactly once. */
  readonly text: string
  readonly becomes: string
  /** Test files, at least one of which must fail. */
  readonly tests: readonly string[]
  /** Runs only tests whose names match; missing = every test of the files. */
  readonly only?: string
  /** The line of the console's check list, `apps/console/CHECKS.md`, that it breaks. */
  readonly check?: string
}

const server = 'apps/server/src'
const relay = `${server}/relay`
const faults = 'apps/server/test/upstream-faults.test.ts'
const clients = 'apps/server/test/client-faults.test.ts'
const ends = 'apps/server/test/honest-ends.test.ts'
const canaries = 'apps/server/test/canaries.test.ts'
const relayTests = `${relay}/relay.test.ts`

export const mutations: readonly Mutation[] = [
  {
    name: 'reserve without checking the balance',
    file: `${server}/ledger/quota-rules.ts`,
    text: 'if (user.balance - user.held < amount) return',
    becomes: 'if (user.balance < 0 && amount < 0) return',
    tests: [relayTests, `${server}/ledger/ledger.test.ts`],
  },
  {
    name: 'ignore quota that is already reserved',
    file: `${server}/ledger/quota-rules.ts`,
    text: 'if (user.balance - user.held < amount) return',
    becomes: 'if (user.balance < amount) return',
    tests: [`${server}/ledger/ledger.test.ts`],
  },
  {
    name: 'settle a hold twice',
    file: `${server}/ledger/accounts.ts`,
    text: '    holds.delete(requestId)\n',
    becomes: '',
    tests: [`${server}/ledger/ledger.test.ts`, relayTests],
  },
  {
    name: 'drop the unique key of the ledger',
    file: `${server}/db/migrations/001-start.ts`,
    text: "createIndex('ledger_once').on('ledger').columns(['ref', 'kind']).unique()",
    becomes: "createIndex('ledger_once').on('ledger').columns(['ref', 'kind'])",
    tests: [`${server}/ledger/ledger.test.ts`, `${server}/api/redemption/redemption.test.ts`],
  },
  {
    name: 'credit a code that is used',
    file: `${server}/api/redemption/queries.ts`,
    text: "    .where('key_lookup', '=', keyLookup)\n    .where('status', '=', redemptionStatus.unused)\n",
    becomes: "    .where('key_lookup', '=', keyLookup)\n",
    tests: [`${server}/api/redemption/redemption.test.ts`],
  },
  {
    name: 'round prices to the nearest unit',
    file: `${server}/ledger/price.ts`,
    text: '(total + scale - 1n) / scale',
    becomes: '(total + scale / 2n) / scale',
    tests: [`${server}/ledger/price.test.ts`],
  },
  {
    name: 'keep the hold of a request that failed',
    file: `${relay}/response/begin-response.ts`,
    text: 'else await releaseUnserved(deps.billing, charge, { error, isClientGone: call.isClientGone })',
    becomes: '',
    tests: [faults],
    only: 'where no other channel is left',
  },
  {
    name: 'treat a broken stream as complete',
    file: `${relay}/response/stream-body.ts`,
    text: '    if (!isComplete) this.#ending ??= endings.cut\n',
    becomes: '',
    tests: [ends],
  },
  {
    name: 'end a failed stream like a complete one',
    file: `${relay}/response/stream-body.ts`,
    text: 'const errorBytes = response.view.error(clientError(errorFor(ending), requestId))',
    becomes:
      "const errorBytes = Buffer.concat([response.view.error(clientError(errorFor(ending), requestId)) ?? Buffer.of(), Buffer.from('data: [DONE]\\n\\n')])",
    tests: [ends, faults],
  },
  {
    name: 'let a stream continue without quota',
    file: `${relay}/response/stream-body.ts`,
    text: 'if (!this.#options.budget.spend(text)) this.#countExactly(textFrom)',
    becomes: 'this.#options.budget.spend(text)',
    tests: [relayTests],
    only: 'balance does not have the next part',
  },
  {
    name: 'let a model write more than the request allows',
    file: `${relay}/billing/output-budget.ts`,
    text: "    if (tokens > this.#allowed) return 'too_long'\n",
    becomes: '',
    tests: [faults],
    only: 'does not stop',
  },
  {
    name: 'keep the request to the vendor running when the client has left',
    file: `${relay}/response/stream-body.ts`,
    text: 'if (isComplete) response.source.close()\n    else response.source.abort()',
    becomes: 'if (isComplete) response.source.close()',
    tests: [clients],
    only: 'in the middle of a stream',
  },
  {
    name: 'send no keep-alive comments',
    file: `${relay}/response/stream-body.ts`,
    text: 'if (beat !== null && !this.#hasSent && !this.#isFull) this.#out?.write(beat)',
    becomes: '',
    tests: [faults],
    only: 'keep-alive comments meanwhile',
  },
  {
    name: 'wait for ever for the next event of a stream',
    file: `${relay}/upstream/open-stream.ts`,
    text: '      this.fail(new StreamIdle(options.idleMs))\n',
    becomes: '',
    tests: [faults],
    only: 'keep-alive comments meanwhile',
  },
  {
    name: 'buffer without a bound for a slow client',
    file: `${relay}/response/stream-body.ts`,
    text: '    this.#options.response.source.pause()\n',
    becomes: '',
    tests: [clients],
    only: 'takes nothing',
  },
  {
    name: 'leave the connection open after the end of a response',
    file: `${relay}/upstream/open-stream.ts`,
    text: '    this.#moveIdle(endMs)\n',
    becomes: '    this.#options.deadlines.cancel(this.#idle)\n',
    tests: [faults],
    only: 'a response is over',
  },
  {
    name: 'read lines of any length',
    file: `${relay}/wire/sse.ts`,
    text: 'bytes.length - eventEnd.lineStart > this.#lineMax || ',
    becomes: '',
    tests: [`${relay}/wire/sse.test.ts`, faults],
    only: 'line',
  },
  {
    name: 'treat a CRLF as two line ends',
    file: `${relay}/wire/sse.ts`,
    text: 'this.#endedInReturn = chunk[chunk.length - 1] === carriageReturn',
    becomes: 'this.#endedInReturn = false',
    tests: [`${relay}/wire/sse.test.ts`],
  },
  {
    name: 'decompress bodies to any size',
    file: `${relay}/upstream/http1/decode-body.ts`,
    text: 'if (isTooLarge) decoder.destroy(new UnpackedTooLarge())',
    becomes: 'if (isTooLarge && decoder.destroyed) decoder.destroy(new UnpackedTooLarge())',
    tests: [faults],
    only: 'decompresses to too much',
  },
  {
    name: 'not report an abort to code that waits for the rest of the response',
    file: `${relay}/upstream/http1/client.ts`,
    text: '    this.#failed(new Error(reason))\n',
    becomes: '    this.#responded.reject(new Error(reason))\n',
    tests: [faults],
    only: 'half an answer',
  },
  {
    name: 'wait for ever for the first byte',
    file: `${relay}/upstream/attempt.ts`,
    text: "deps.deadlines.start(timeouts.firstByteMs + messagesMs(outgoing), () => abort('timed_out'))",
    becomes: 'deps.deadlines.start(timeouts.firstByteMs, () => {})',
    tests: [faults],
    only: 'a silent vendor',
  },
  {
    name: 'ask another channel although the client has left',
    file: `${server}/lib/running.ts`,
    text: '() => client.aborted || isCut',
    becomes: '() => isCut && !client',
    tests: [clients],
    only: 'F28',
  },
  {
    name: 'buffer log lines without a bound if nobody reads them',
    file: `${server}/output.ts`,
    text: 'if (dropped > 0 || lineCharacters + line.length > waitingMax) {',
    becomes: 'if (line.length < 0) {',
    tests: [`${server}/log.test.ts`],
  },
  {
    name: 'treat a redirect as a response',
    file: `${relay}/upstream/read-response.ts`,
    text: 'if (response.status >= 300 && response.status < 400) {',
    becomes: 'if (response.status >= 300 && response.status < 300) {',
    tests: [faults],
    only: 'F24',
  },
  {
    name: 'report a refusal of the channel’s key as one of the client’s',
    file: `${relay}/routing/retry.ts`,
    text: "disables: true, code: 'channel_auth_failed' },\n  no_quota",
    becomes: "disables: true, code: 'token_invalid' },\n  no_quota",
    tests: [faults],
    only: 'F23',
  },
  {
    name: 'ignore Retry-After',
    file: `${relay}/upstream/retry-after.ts`,
    text: 'return Number.isFinite(seconds) && seconds >= 0 ? Math.min(secondsMax, Math.ceil(seconds)) : null',
    becomes: 'return Number.isFinite(seconds) && seconds < 0 ? 0 : null',
    tests: [faults],
    only: 'F20',
  },
  {
    name: 'accept negative counts',
    file: 'packages/vendors/src/core/usage-count.ts',
    text: 'Number.isSafeInteger(value) && value >= 0 && ',
    becomes: 'Number.isSafeInteger(value) && ',
    tests: [faults, 'packages/vendors/src/protocols/openai'],
    only: 'F19|count',
  },
  {
    name: 'show the client the key of the channel',
    file: `${relay}/wire/without-secrets.ts`,
    text: "replaceAll(secret, '***')",
    becomes: "replaceAll('***', secret)",
    tests: [canaries],
  },
  {
    name: 'show the key in the middle of a stream',
    file: `${relay}/response/stream-body.ts`,
    text: 'failure: this.#options.clean(failure) }',
    becomes: 'failure }',
    tests: [canaries],
  },
  {
    name: 'count a pause of our own process as silence of the vendor',
    file: `${server}/lib/deadlines.ts`,
    text: '    if (hasWaited) return\n',
    becomes: '',
    tests: [`${server}/lib/deadlines.test.ts`],
  },
  {
    name: 'try another channel while the server stops',
    file: `${relay}/response/begin-response.ts`,
    text: '      deps.running.assertAccepting()\n',
    becomes: '',
    tests: ['apps/server/test/shutdown.test.ts'],
  },
  {
    name: 'not end waiting requests when the server stops',
    file: `${relay}/response/begin-response.ts`,
    text: "deps.running.begin(() => call.cancel?.('shut_down'))",
    becomes: 'deps.running.begin()',
    tests: ['apps/server/test/shutdown.test.ts'],
  },
  {
    name: 'trust the address that a client claims',
    file: `${server}/http/client-address.ts`,
    text: 'if (trustedProxies.length === 0 || forwardedFor === null) return address',
    becomes: "if (forwardedFor === null) return address\n  if (trustedProxies.length === 0) return forwardedFor.split(',')[0] ?? address",
    tests: [`${server}/http/client-address.test.ts`],
  },
  {
    name: 'let a page of another site use the cookie',
    file: `${server}/http/csrf.ts`,
    text: "if (site !== null && (site !== 'none' || hasSideEffect)) return true",
    becomes: 'if (site !== null) return false',
    tests: [`${server}/http/csrf.test.ts`, 'apps/server/test/cross-site.test.ts'],
  },
  {
    name: 'show secret options',
    file: `${server}/api/option/settings.ts`,
    text: '.filter((key) => !options[key].secret)',
    becomes: '.filter((key) => key.length > 0)',
    tests: ['apps/server/test/secrets.test.ts', `${server}/api/option/option.test.ts`],
  },
  {
    name: 'serve banned accounts',
    file: `${relay}/ingress/callers.ts`,
    text: "if (!record.userIsEnabled) throw new AppError('user_banned')",
    becomes: '',
    tests: [clients],
    only: 'F53',
  },
  {
    name: 'accept a token from any address',
    file: `${relay}/ingress/callers.ts`,
    text: 'if (record.subnets.length > 0 && !isInSubnets(sender.address(), record.subnets)) throw',
    becomes: 'if (record.subnets.length > 9_999 && !isInSubnets(sender.address(), record.subnets)) throw',
    tests: [relayTests],
    only: 'subnet',
  },
]
