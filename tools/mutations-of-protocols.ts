import type { Mutation } from './mutations.ts'

const relay = 'apps/server/src/relay'
const vendors = 'packages/vendors/src'
const byChat = `${relay}/ingress/kinds/messages-by-chat.test.ts`
const native = `${relay}/ingress/kinds/messages-native.test.ts`

/** Faults in what clients of other protocols than OpenAI's ask and get. */
export const mutationsOfProtocols: readonly Mutation[] = [
  {
    name: 'send errors of another protocol in OpenAI’s form',
    file: `${relay}/create-relay.ts`,
    text: 'const protocol = protocolOf(path, request.headers)',
    becomes: "const protocol = protocolOf('/', request.headers)",
    tests: [`${relay}/wire/protocols/protocols.test.ts`],
  },
  {
    name: 'open a block of a message before the one before is complete',
    file: `${vendors}/protocols/messages/blocks.ts`,
    text: "return kind !== 'tool' || counter.isClosed",
    becomes: 'return counter.isClosed || true',
    tests: [byChat],
    only: 'mixed',
  },
  {
    name: 'send Claude the reasoning of another vendor',
    file: `${vendors}/protocols/shared/gateway-marks.ts`,
    text: "return proof !== '' && !proof.startsWith(ownMark)",
    becomes: "return proof !== ''",
    tests: [native],
    only: 'signed reasoning',
  },
  {
    name: 'give another vendor the reasoning of Claude',
    file: `${vendors}/protocols/shared/gateway-marks.ts`,
    text: 'if (!proof.startsWith(ownMark) || proof === ownMark) return null',
    becomes: 'if (!proof.startsWith(ownMark)) return block',
    tests: [`${vendors}/protocols/shared/gateway-marks.test.ts`],
  },
  {
    name: 'forget what Google’s clients carry for another vendor',
    file: `${vendors}/protocols/generate/response.ts`,
    text: 'if (Object.keys(carried).length === 0) return parts',
    becomes: 'if (Object.keys(carried).length >= 0) return parts',
    tests: ['apps/server/test/vendors/round-trips.test.ts'],
    only: 'comes back to',
  },
  {
    name: 'believe a schema that was put into the prompt, in every other protocol than chats',
    file: `${vendors}/registry/request/build-request.ts`,
    text: "upstreamKind === 'chat' ? findSchemaInPrompt(",
    becomes: "kind === 'chat' ? findSchemaInPrompt(",
    tests: ['apps/server/src/relay/ingress/kinds/schema-in-prompt.test.ts'],
    only: 'that the response breaks',
  },
  {
    name: 'send OpenAI’s vendors marks of the cache that they refuse',
    file: `${vendors}/protocols/shared/supports-extra.ts`,
    text: '|| extras?.includes(extra) === true',
    becomes: '|| extras !== null',
    tests: [byChat],
    only: 'everything that a chat can hold',
  },
  {
    name: 'pass any header of the client on',
    file: `${relay}/ingress/read-request.ts`,
    text: '    if (!headerForm.test(value)) throw',
    becomes: '    if (headerForm.test(name) === false) throw',
    tests: [native],
    only: 'no client sends',
  },
  {
    name: 'let a stranger count tokens',
    file: `${relay}/extra-routes/count-tokens.ts`,
    text: '      needModel(caller, params.model)\n',
    becomes: '',
    tests: [`${relay}/extra-routes/anthropic-routes.test.ts`],
    only: 'its models only',
  },
  {
    name: 'wait for the end of the connection after the terminator of a chat that another kind is made of',
    file: `${vendors}/protocols/openai/dialect.ts`,
    text: "return { chunks: [], text: '', failure: null, isLast: true }",
    becomes: "return { chunks: [], text: '', failure: null }",
    tests: ['apps/server/test/protocol-faults.test.ts'],
    only: 'stays open',
  },
  {
    name: 'name to clients of Google what is refused by the names of a chat',
    file: `${vendors}/protocols/generate/by-chat.ts`,
    text: '    fieldNames,\n',
    becomes: '',
    tests: ['apps/server/test/vendors/protocol-page.test.ts'],
    only: 'as clients of .* write them',
  },
  {
    name: 'give another vendor the tools that Claude Code keeps back',
    file: `${vendors}/protocols/messages/tool-changes.ts`,
    text: "filter(([, tool]) => tool['defer_loading'] !== true)",
    becomes: 'filter(() => true)',
    tests: ['apps/server/test/vendors/client-requests.test.ts'],
    only: 'Claude Code',
  },
  {
    name: 'show a search for tools as the call of a function',
    file: `${vendors}/protocols/responses/response-events.ts`,
    text: "    if (searches && name === searchName) return 'search'\n",
    becomes: '',
    tests: ['apps/server/test/vendors/client-requests.test.ts'],
    only: 'searches for tools itself',
  },
  {
    name: 'send a response that is to be stored to a vendor that stores none',
    file: `${vendors}/protocols/responses/native-vendor.ts`,
    text: 'if (store !== false || nativeOnly(body) !== null',
    becomes: 'if (store === null || nativeOnly(body) !== null',
    tests: [`${relay}/ingress/kinds/messages-compatible.test.ts`],
    only: 'that is to be stored',
  },
]
