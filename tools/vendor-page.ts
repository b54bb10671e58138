import { type Feature, features } from '../packages/vendors/src/feature.ts'
import { vendors } from '../packages/vendors/src/list.ts'
import type { Vendor } from '../packages/vendors/src/vendor.ts'
import { featureOf, type State, searchOf } from './vendor-features.ts'

const sorted: readonly Vendor[] = vendors.toSorted((one, other) => one.type - other.type)
const isLacking = (state: State): boolean => state === 'refused' || state === 'not offered'

/** The name of the link to the page about a feature in a vendor's documentation. */
function referenceOf({ type, docs }: Vendor, feature: Feature): string {
  if (docs === undefined) return 'no page'
  return docs.pages?.[feature] === undefined ? `docs ${type}` : `docs ${type} ${feature}`
}

/** The links of a vendor, each as it is written at the end of the page. */
function linksOf(vendor: Vendor): readonly string[] {
  const { type, docs } = vendor
  if (docs === undefined) return []
  const own = features.flatMap((feature) => {
    const page = docs.pages?.[feature]
    return page === undefined || !isLacking(featureOf(vendor, feature)) ? [] : [`[docs ${type} ${feature}]: ${page}`]
  })
  return [`[docs ${type}]: ${docs.page}`, ...own]
}

function cellOf(vendor: Vendor, feature: Feature): string {
  const state = featureOf(vendor, feature)
  return isLacking(state) ? `[${state}][${referenceOf(vendor, feature)}]` : state
}

function table(columns: readonly Feature[]): string {
  const heads = ['Type', 'Vendor', ...columns.map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`)]
  const rows = sorted.map((vendor) => [String(vendor.type), vendor.name, ...columns.map((feature) => cellOf(vendor, feature))])
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Vendors without a page that have a cell that needs one. */
export const vendorsWithoutPage = (): readonly number[] =>
  sorted
    .filter((vendor) => vendor.docs === undefined && features.some((name) => isLacking(featureOf(vendor, name))))
    .map(({ type }) => type)

/** The types of the vendors that make this of a search of the web. */
const searching = (state: State): string =>
  sorted
    .filter((vendor) => searchOf(vendor) === state)
    .map(({ type, name }) => `${name} (${type})`)
    .join(', ')

const ofChats = features.slice(0, features.indexOf('embeddings'))
const others = features.slice(features.indexOf('embeddings'))

/** `docs/vendors.md`. */
export function vendorPage(): string {
  const links = sorted.flatMap(linksOf)
  return `# What each vendor has

\`npm run docs\` writes this page from the records of the vendors, from the requests that are built for an example of each feature, and from the
suite that runs against every protocol (\`apps/server/test/vendors\`). It is about the interface that a new channel uses; types 15, 18, 23 and 30
have another one for keys or addresses of older kinds.

| Word | Meaning |
|---|---|
| passed on | Works as in OpenAI's API: it is sent as it is, and the answer is read. Which models accept it is told in the vendor's documentation. |
| translated | Works: it is sent in the vendor's own form, and the answer comes in OpenAI's. |
| refused | The vendor's documentation has no such feature in a chat, or has it in a form that is not translated. The client gets an error. |
| not offered | The vendor's documentation has no such feature. Calls get an error; a level of reasoning is left out. |

The last two lead to the vendor's documentation, to the page about the feature where it has one. A request that uses a refused feature goes to
another channel of the model if the vendor of that one has it; if none has, the client gets a 400 that names the parameter, and nothing is
sent. Where the models of a vendor differ, the first word counts that is true of any, in the
order translated, passed on, refused, not offered.

\`parallel_tool_calls: false\`, and functions in the old form, get one call in an answer from every vendor: where its interface has no switch
(types 16, 24, 30, 35 and 42, the models of AWS that are not Claude, and the older interface of 23), the first call of an answer is kept; answers of the
older interfaces of 15 and 18 have no more. \`strict\` of a function is sent where the interface has a form for it. It is left out, with the
schema sent as it is, at the older interfaces of 15, 18 and 23, which have none, and for the models of AWS that the vendor does not list for
["Structured outputs"](https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html), such as Nova and Llama.

## Chats

${table(ofChats)}

## Other calls

${table(others)}

Videos, songs, and the pictures of Flux are [tasks](tasks.md). Other pictures that a vendor makes only as a task, to be asked about until they are done, are
not served: at Alibaba those of wanx and of wan before 2.6. Such a model can be named in a channel, but its calls get the vendor's error.

## Web search

A chat asks for a search by \`web_search_options\`, or by the tool \`web_search\` in \`tools\`; responses have the tool. What it costs is told in
[Billing](billing.md#how-a-price-is-calculated).

- Translated, with the sources as annotations where the vendor names them (Alibaba does not): ${searching('translated')}.
- Refused by name: ${searching('refused')}.
- All others get it as it is, if their form has a place for it; a vendor that does not know it answers with an error, or without a search.

## No page

OpenAI Max (type 6, once at openaimax.com) and AI.LS (type 9, once at ai.ls) never published an interface of their own. Programs of 2026 name their
addresses only in tables, so nobody can tell whether they still answer; they are called as OpenAI is, like the other resellers of its API, of which no page tells
whether they have songs. A proxy (type 43) and a server of your own
(type 8) have what the server behind them has.

[no page]: #no-page
${links.join('\n')}
`
}
