import { type ChatParameter, chatParameters, type Feature, features } from '../packages/vendors/src/core/feature.ts'
import type { Vendor } from '../packages/vendors/src/core/vendor.ts'
import { vendors } from '../packages/vendors/src/registry/list.ts'
import { featureOf, type State, searchOf } from './vendor-features.ts'
import { type ParameterState, parameterOf } from './vendor-parameters.ts'

const sorted: readonly Vendor[] = vendors.toSorted((one, other) => one.type - other.type)
const isLacking = (state: State | ParameterState): boolean => state !== 'passed on' && state !== 'translated'

/** The name of the link to the page about a feature in a vendor's documentation. */
function referenceOf({ type, docs, undocumented }: Vendor, feature: Feature | ChatParameter): string {
  if (docs === undefined) return undocumented?.why ?? 'nothing published'
  if (docs.pages?.[feature] !== undefined) return `docs ${type} ${feature}`
  return docs.chat !== undefined && isOfChats(feature) ? `docs ${type} chat` : `docs ${type}`
}

const isOfChats = (feature: Feature | ChatParameter): boolean => [...ofChats, ...chatParameters].some((one) => one === feature)

/** The links of a vendor, each as it is written at the end of the page. */
function linksOf(vendor: Vendor): readonly string[] {
  const { type, docs } = vendor
  if (docs === undefined) return []
  const own = features.flatMap((feature) => {
    const page = docs.pages?.[feature]
    return page === undefined || !isLacking(featureOf(vendor, feature)) ? [] : [`[docs ${type} ${feature}]: ${page}`]
  })
  const ofParameters = chatParameters.flatMap((parameter) => {
    const page = docs.pages?.[parameter]
    const state = parameterOf(vendor, parameter)
    return page === undefined || state === null || !isLacking(state) ? [] : [`[docs ${type} ${parameter}]: ${page}`]
  })
  const chat = docs.chat === undefined ? [] : [`[docs ${type} chat]: ${docs.chat}`]
  const read = docs.citedBy !== undefined ? ` "as ${docs.citedBy} cites it"` : docs.read === undefined ? '' : ` "read ${docs.read}"`
  return [`[docs ${type}]: ${docs.page}${read}`, ...chat, ...own, ...ofParameters]
}

const ofChats = features.slice(0, features.indexOf('embeddings'))
const others = features.slice(features.indexOf('embeddings'))

type Column = readonly [name: Feature | ChatParameter, state: State | ParameterState]

function cellOf(vendor: Vendor, [name, state]: Column): string {
  return isLacking(state) ? `[${state}${whyNoPage(vendor)}][${referenceOf(vendor, name)}]` : state
}

/** What a cell says where no page of the vendor can be cited. */
function whyNoPage({ undocumented }: Vendor): string {
  if (undocumented === undefined) return ''
  return undocumented.why === 'own server' ? ': own server' : `: nothing published, looked for ${undocumented.lookedFor}`
}

const featuresOf =
  (columns: readonly Feature[]) =>
  (vendor: Vendor): readonly Column[] =>
    columns.map((feature) => [feature, featureOf(vendor, feature)])

/** A vendor without chats has no columns here. */
function parametersOf(vendor: Vendor): readonly Column[] {
  return chatParameters.flatMap((parameter) => {
    const state = parameterOf(vendor, parameter)
    return state === null ? [] : [[parameter, state] as const]
  })
}

const headOf = (name: string): string => (name === 'json' ? 'JSON' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`)

function table(columns: ReadonlyArray<Feature | ChatParameter>, of: (vendor: Vendor) => readonly Column[]): string {
  const heads = ['Type', 'Vendor', ...columns.map(headOf)]
  const rows = sorted.flatMap((vendor) => {
    const cells = of(vendor)
    return cells.length === 0 ? [] : [[String(vendor.type), vendor.name, ...cells.map((column) => cellOf(vendor, column))]]
  })
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The vendors of which no page was found. */
function unpublished(): string {
  const items = sorted.flatMap(({ type, name, undocumented }) =>
    undocumented?.why === 'nothing published'
      ? [`- ${name} (type ${type}): ${undocumented.note} Looked for on ${undocumented.lookedFor}.`]
      : [],
  )
  return items.join('\n')
}

const ownServers = (): string =>
  sorted
    .filter(({ undocumented }) => undocumented?.why === 'own server')
    .map(({ type, name }) => `${name} (type ${type})`)
    .join(' and ')

/** The types of the vendors that treat a web search this way. */
const searching = (state: State): string =>
  sorted
    .filter((vendor) => searchOf(vendor) === state)
    .map((vendor) => {
      const { type, name, docs } = vendor
      return docs === undefined ? `${name} (${type})` : `[${name} (${type})][docs ${type}${docs.chat === undefined ? '' : ' chat'}]`
    })
    .join(', ')

const azure = `The API version of an Azure OpenAI channel (type 3) is its additional setting; the default is \`2024-03-01-preview\`. With \`v1\`, or with a base URL that ends in
\`/openai/v1\`, the channel calls the unversioned API. Requests that a dated version does not support also go there: responses (\`/openai/v1/responses\` before \`2025-03-01-preview\`,
\`/openai/responses?api-version=...\` from then on), realtime sessions before \`2024-10-01-preview\`, and, at Azure's own hosts, chats with reasoning models (recognized by name)
before \`2024-12-01-preview\`. A channel without a version therefore supports all of them.`

/** The sections that cells without a page lead to. */
function withoutPages(): string {
  return `## Own server

${ownServers()} call the operator's own server, so there is no vendor documentation: they support what that server supports. A cell states what OpenAI's API, which is used to call
them, cannot express, and what a raw proxy is not used for.

## Nothing published

No page that lists all endpoints was found for these vendors. They are called like OpenAI, as other resellers of its API are, and receive every request that its API has.

${unpublished()}`
}

const schemasOfClaude = `Claude supports a subset of JSON Schema for structured output and \`strict\` functions (["Structured outputs"](https://platform.claude.com/docs/en/build-with-claude/structured-outputs)).
Limits on numbers, lengths and lists, and formats that it does not know, are moved into the descriptions, as the vendor's own libraries do, and are not
validated here. A schema with arbitrary property names (\`additionalProperties\` with a schema, \`type: object\` without \`properties\`, \`patternProperties\`) or with
\`prefixItems\` is put into the prompt and the output is validated; such a function is sent without \`strict\`. Schemas of Anthropic's clients are \`strict\` at OpenAI if
they require all properties, close all objects and have no keyword that OpenAI rejects; otherwise they are sent without it. The log shows which schemas went into the prompt.`

/** `docs/vendors.md`. */
export function vendorPage(): string {
  const links = sorted.flatMap(linksOf)
  return `# What each vendor supports

\`npm run docs\` generates this page from the vendors' records, from the upstream requests that are built for an example of each feature, and from the
test suite that runs against every protocol (\`apps/server/test/vendors\`). It describes the API that a new channel uses; types 15, 18, 23 and 30
use another one for keys or base URLs of older kinds. For type 18, the tables of other endpoints apply to three-part keys only.

| Word | Meaning |
|---|---|
| passed on | Works as in OpenAI's API: the parameter is sent unchanged and the response is read. The vendor's documentation says which models accept it. |
| translated | Works: the parameter is sent in the vendor's own format, and the response is returned in OpenAI's. |
| refused | The vendor's documentation has no such feature in a chat, or has it in a form that is not translated. The client gets an error. |
| not offered | The vendor's documentation has no such feature. Requests get an error; a reasoning level is left out. |

The last two link to the vendor's documentation: to the page about the feature if there is one, otherwise to the reference of all chat parameters, or of all endpoints, in which
the feature is missing. A request that uses a refused feature goes to
another channel of the model whose vendor supports it; if there is none, the client gets a 400 that names the parameter, and nothing is
sent. Where a vendor's models differ, the table shows the first word that is true of any of them, in the
order translated, passed on, refused, not offered.

\`parallel_tool_calls: false\`, and functions in the old form, result in at most one call per output from every vendor: where its API has no switch
(types 16, 24, 27, 30, 35 and 42, models of AWS other than Claude, and the older API of 23), the first call is kept; the
older APIs of 15 and 18 never return more. \`strict\` of a function is sent where the API has a form for it. It is left out, with the
schema sent unchanged, at the older APIs of 15, 18 and 23, which have none, and for the models of AWS that the vendor does not list for
["Structured outputs"](https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html), such as Nova and Llama.

${schemasOfClaude}

OpenAI's models from GPT-5.4 on call functions in a chat only while they do not reason. A chat that has functions and does not turn reasoning off is sent to them as a
response that is not stored, and its output is returned as that of a chat ([why](../decisions/2026-11-25-chats-as-responses.md)). In this case, stop sequences, several choices, log
probabilities and web search are refused by name. The model's reasoning before a call is returned encrypted in \`extra_content\` of the call: a client that sends it back
with the call lets the model continue from there. A server without the Responses API, as servers behind a channel of type 1 may be, gets the chat itself.

${azure}

## Chats

${table(ofChats, featuresOf(ofChats))}

## Parameters of chats

| Word | Meaning |
|---|---|
| passed on | It is sent unchanged. |
| translated | The vendor gets it in its own format or in the prompt, or the gateway implements it: it keeps the first of several calls, removes a stop sequence, places the images of a tool result after it, downloads an image. |
| refused | The vendor has no such parameter, its current models reject it, or its response has a form that is not translated, and the output would differ without it. The client gets an error, or another channel is tried, as above. |
| left out | The vendor has no such parameter, and the output without it is one that was possible with it: a seed and penalties only change probabilities, and \`strict\` only enforces what the schema asks for anyway. |

Several choices are never assembled from several requests ([why](../decisions/2026-11-22-legacy-parameters.md)). A forced tool is one that \`tool_choice\` names. JSON is \`response_format: json_object\`; the table above covers schemas. Output
for a schema in the prompt (types 16, 18, 19, 26, 27, 31, 34 and 36, the models of AWS without a form for it, and schemas that Claude does not accept) is validated here: output that does
not match is retried on the next channel, and ends as an error if there is none. If validation would take too long, the output is returned unchecked. The parameters of Anthropic's and Google's protocols are listed in
[docs/protocols.md](protocols.md#feature-support).

${table(chatParameters, parametersOf)}

## Other endpoints

${table(others, featuresOf(others))}

Batches are created through Anthropic's API ([message batches](protocols.md#message-batches)); those of vendors that process a file of chats are translated, other forms are refused. Videos, songs, and images that a vendor generates only as a task (Flux, Novita, and Alibaba's wan before 2.6) are [tasks](tasks.md). Alibaba's older models that
edit images as tasks, such as \`wan2.5-i2i-preview\`, are not supported: a channel can list such a model, but its requests get the vendor's error. Embeddings, images and speech of iFlytek (type 18) are signed, so they need a key \`APPID|APISecret|APIKey\`, and are refused with the password of its chat API.

## Web search

A chat requests a search with \`web_search_options\`, or with the tool \`web_search\` in \`tools\`; responses have the tool. For its price, see
[Billing](billing.md#how-a-price-is-calculated).

- Translated, with the sources as annotations where the vendor returns them (Alibaba does not): ${searching('translated')}.
- Refused by name: ${searching('refused')}.
- All others get it unchanged, if their format has a place for it; a vendor that does not know it returns an error, or searches nothing.

${withoutPages()}

[own server]: #own-server
[nothing published]: #nothing-published
${links.join('\n')}
`
}
