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

/** What is told of the vendors of which no page was found. */
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

/** The types of the vendors that make this of a search of the web. */
const searching = (state: State): string =>
  sorted
    .filter((vendor) => searchOf(vendor) === state)
    .map((vendor) => {
      const { type, name, docs } = vendor
      return docs === undefined ? `${name} (${type})` : `[${name} (${type})][docs ${type}${docs.chat === undefined ? '' : ' chat'}]`
    })
    .join(', ')

const azure = `A channel of Azure OpenAI (type 3) has the version of the dated interface as its further setting; \`2024-03-01-preview\` if it names none. If that is \`v1\`, or the address ends in
\`/openai/v1\`, it calls the interface without versions. What a dated version is too old for goes there, too: responses (\`/openai/v1/responses\` before \`2025-03-01-preview\`,
\`/openai/responses?api-version=...\` from then on), realtime sessions before \`2024-10-01-preview\`, and, at Azure's own hosts, chats with models whose name tells that they reason
before \`2024-12-01-preview\`. So a channel that names no version has them all.`

/** The sections that cells without a page lead to. */
function withoutPages(): string {
  return `## Own server

${ownServers()} call a server of the operator's own, so no vendor's page tells what they have: they have what that server has. A cell says what OpenAI's interface, in which they
are called, has no form for, and what a raw proxy is not asked.

## Nothing published

Of these, no page that lists all calls was found. They are called as OpenAI is, like the other resellers of its API, and get every call that its interface has.

${unpublished()}`
}

const schemasOfClaude = `The schema of an answer, and of a \`strict\` function, has limits at Claude (["Structured outputs"](https://platform.claude.com/docs/en/build-with-claude/structured-outputs)).
Bounds of numbers, lengths and lists, and formats that it does not know, are sent in the descriptions, as the vendor's own libraries do, and are not
checked here. A schema with free names (\`additionalProperties\` with a schema, \`type: object\` without \`properties\`, \`patternProperties\`) or with
items that are told one by one (\`prefixItems\`) is told in words, and the answer checked; such a function is sent without \`strict\`. Schemas of Anthropic's clients are \`strict\` at OpenAI if
they require all properties, close all objects and have no keyword that OpenAI refuses; otherwise they are sent without it. The log shows what became words.`

/** `docs/vendors.md`. */
export function vendorPage(): string {
  const links = sorted.flatMap(linksOf)
  return `# What each vendor has

\`npm run docs\` writes this page from the records of the vendors, from the requests that are built for an example of each feature, and from the
suite that runs against every protocol (\`apps/server/test/vendors\`). It is about the interface that a new channel uses; types 15, 18, 23 and 30
have another one for keys or addresses of older kinds. Of type 18, the tables of other kinds are about keys of three parts, which alone have them.

| Word | Meaning |
|---|---|
| passed on | Works as in OpenAI's API: it is sent as it is, and the answer is read. Which models accept it is told in the vendor's documentation. |
| translated | Works: it is sent in the vendor's own form, and the answer comes in OpenAI's. |
| refused | The vendor's documentation has no such feature in a chat, or has it in a form that is not translated. The client gets an error. |
| not offered | The vendor's documentation has no such feature. Calls get an error; a level of reasoning is left out. |

The last two lead to the vendor's documentation: to the page about the feature where it has one, else to its reference with all parameters of a chat, or with all calls, in which
the feature is missing. A request that uses a refused feature goes to
another channel of the model if the vendor of that one has it; if none has, the client gets a 400 that names the parameter, and nothing is
sent. Where the models of a vendor differ, the first word counts that is true of any, in the
order translated, passed on, refused, not offered.

\`parallel_tool_calls: false\`, and functions in the old form, get one call in an answer from every vendor: where its interface has no switch
(types 16, 24, 27, 30, 35 and 42, the models of AWS that are not Claude, and the older interface of 23), the first call of an answer is kept; answers of the
older interfaces of 15 and 18 have no more. \`strict\` of a function is sent where the interface has a form for it. It is left out, with the
schema sent as it is, at the older interfaces of 15, 18 and 23, which have none, and for the models of AWS that the vendor does not list for
["Structured outputs"](https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html), such as Nova and Llama.

${schemasOfClaude}

OpenAI's models from GPT-5.4 on call functions in a chat only while they do not reason. A chat that has functions and does not turn reasoning off is sent to them as a
response that is not stored, and its answer comes as that of a chat ([why](../decisions/2026-11-25-chats-as-responses.md)). There, stop words, several answers, log
probabilities and a search of the web are refused by name. What the model thought before a call comes encrypted in \`extra_content\` of the call: a client that sends it back
with the call lets the model go on from there. A server that has no responses, as other servers at a channel of type 1 may, gets the chat itself.

${azure}

## Chats

${table(ofChats, featuresOf(ofChats))}

## Parameters of chats

| Word | Meaning |
|---|---|
| passed on | It is sent as it is. |
| translated | The vendor gets it in its own form or in words, or the gateway carries it out: it keeps the first of several calls, removes a stop word, puts the pictures of a result behind it, fetches a picture. |
| refused | The vendor has no such parameter, its present models refuse it, or its answer has a form that is not translated; and the answer would be another one without it. The client gets an error, or another channel is tried, as above. |
| left out | The vendor has no such parameter, and without it the answer is one that could have come with it, too: a seed and penalties tune what is likely, and \`strict\` only makes sure of what the schema asks for anyway. |

Several answers are never made of several requests ([why](../decisions/2026-11-22-legacy-parameters.md)). A forced tool is one that \`tool_choice\` names. JSON is \`response_format: json_object\`; what becomes of schemas is in the table above. A schema
that is only told in words (types 16, 18, 19, 26, 27, 31, 34 and 36, the models of AWS that have no form for it, and schemas that Claude does not take) is checked here: an answer that does
not fit goes to the next channel, and ends as an error if there is none. If the check would take too long, the answer is passed on unchecked. Clients of Anthropic's and Google's protocols find their parameters in
[docs/protocols.md](protocols.md#feature-support).

${table(chatParameters, parametersOf)}

## Other calls

${table(others, featuresOf(others))}

Batches are ordered by Anthropic's calls ([batches of messages](protocols.md#message-batches)); translated are those of vendors that answer a file of chats, refused are other forms. Videos, songs, and pictures that a vendor makes only as a task (Flux, Novita, and Alibaba's wan before 2.6) are [tasks](tasks.md). Alibaba's older models that
change pictures as tasks, such as \`wan2.5-i2i-preview\`, are not served: such a model can be named in a channel, but its calls get the vendor's error. The embeddings, pictures and speech of iFlytek (type 18) are signed, so they work with a key \`APPID|APISecret|APIKey\`, and are refused with the password of its interface for chats.

## Web search

A chat asks for a search by \`web_search_options\`, or by the tool \`web_search\` in \`tools\`; responses have the tool. What it costs is told in
[Billing](billing.md#how-a-price-is-calculated).

- Translated, with the sources as annotations where the vendor names them (Alibaba does not): ${searching('translated')}.
- Refused by name: ${searching('refused')}.
- All others get it as it is, if their form has a place for it; a vendor that does not know it answers with an error, or without a search.

${withoutPages()}

[own server]: #own-server
[nothing published]: #nothing-published
${links.join('\n')}
`
}
