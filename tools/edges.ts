/** Things that only certain files may use, so that a reader knows where to look and a test what to replace. */
export interface Edge {
  readonly what: string
  /** Matched against code; with `in: 'strings'` against the start of string and template literals instead. */
  readonly pattern: RegExp
  readonly in: 'code' | 'strings'
  /** Files that the rule applies to, and those of them that may use the thing. Repository paths. */
  readonly within: RegExp
  readonly allowed: RegExp
  readonly why: string
}

const server = /^apps\/server\/src\//
const serverAndHttp1 = /^(?:apps\/server|packages\/http1)\/src\//

/** The parser of the language, and those that keep numbers as they are written, but know no limits. */
export const parsesJson = /\bJSON\.parse\b|\bparse(?:Exactly|Foreign)\(/

/** Files that may call them: one parser with the rules of bodies for each package, and readers of what only the server itself writes. */
export const jsonParsers: Readonly<Record<string, string>> = {
  'packages/contract/src/parse-json-text.ts': 'The parser of JSON in texts.',
  'packages/contract/src/openapi.ts': 'Copies schemas that it has serialized itself.',
  'apps/server/src/lib/parse-json.ts': 'The parser of bodies; their readers check the nesting.',
  'apps/server/src/relay/wire/same-events.ts': 'Decodes one JSON string, which cannot nest.',
  'apps/server/src/notify/notices.ts': 'The server writes the column.',
  'apps/server/src/api/channel/settings.ts': 'The server writes the column, from settings that the contract has checked.',
  'apps/server/src/relay/routing/channel-settings.ts': 'The server writes the column, from settings that the contract has checked.',
  'apps/server/src/api/option/stored-secrets.ts': 'The server seals the text.',
  'apps/server/src/relay/stored-responses/stored-items.ts': 'The server seals the text, from a body that was checked.',
  'apps/server/src/relay/stored-responses/stored-turns.ts': 'The server seals the text, from a body that was checked.',
  'apps/server/src/relay/ingress/minute-queries.ts': 'A function of the database writes the text.',
  'apps/server/src/ledger/postgres-ledger-store.ts': 'A function of the database writes the text.',
  'apps/server/src/ledger/set-aside.ts': 'The ledger writes the column.',
  'apps/server/src/db/scheduled-backups.ts': 'A child process of the server prints the text.',
}

const consoleSources = /^apps\/console\/src\//
const placeOfReads = /^apps\/console\/src\/lib\/reads\.ts$/

export const edges: readonly Edge[] = [
  {
    what: 'the environment',
    pattern: /\b(?:process|Bun)\.env\b/,
    in: 'code',
    within: /^(?:packages|apps)\//,
    allowed: /^apps\/server\/src\/env\.ts$|^apps\/console\/vite\.config\.ts$/,
    why: 'env.ts reads and checks every variable.',
  },
  {
    what: 'a request to another server',
    pattern: /(?<![\w.])(?:globalThis\.|window\.|Bun\.)?fetch\(/,
    in: 'code',
    within: /^(?:packages|apps)\/[^/]+\/src\//,
    allowed: /^apps\/console\/src\/lib\/api\.ts$/,
    why: 'The console has one place for errors of requests. The server has its own client: fetch knows neither checked addresses nor our rules for proxies.',
  },
  {
    what: 'a socket',
    pattern: /\bBun\.(?:connect|listen)\(/,
    in: 'code',
    within: serverAndHttp1,
    allowed: /^apps\/server\/src\/(?:relay\/upstream\/http1\/connection|healthcheck)\.ts$|^packages\/http1\/src\/http-server\.ts$/,
    why: 'All requests to vendors go through one client, which connects to checked addresses only.',
  },
  {
    what: 'a clock',
    pattern: /\bDate\.now\b|\bperformance\.now\b|\bnew Date\b|\bprocess\.hrtime\b|\bBun\.nanoseconds\b/,
    in: 'code',
    within: serverAndHttp1,
    allowed: /^apps\/server\/src\/lib\/clock\.ts$|^packages\/http1\/src\/time\.ts$/,
    why: 'Tests set the clock.',
  },
  {
    what: 'a key of what is read',
    pattern: /(?<![\w.])queryKey\s*[:,}]|\bmutationKey\b/,
    in: 'code',
    within: consoleSources,
    allowed: placeOfReads,
    why: 'reads.ts makes the key of every read of its endpoint, so that a change of a noun reaches all of its reads.',
  },
  {
    what: 'a change of what is read',
    pattern: /\b(?:(?:invalidate|refetch|remove|reset|cancel)Queries|set(?:Query|Queries)Data)\b/,
    in: 'code',
    within: consoleSources,
    allowed: placeOfReads,
    why: 'reads.ts says what a change makes stale, so that a change anywhere shows everywhere.',
  },
  {
    what: 'records of vendors',
    pattern: /^@sluice\/vendors\/list$/,
    in: 'strings',
    within: /^apps\/console\/src\//,
    allowed: /^apps\/console\/src\/lib\/vendors\.ts$/,
    why: "The console's build leaves out what it does not use of them, and vendors.ts has the type of what is left.",
  },
  {
    what: 'JSON.parse',
    pattern: parsesJson,
    in: 'code',
    within: /^(?:apps\/server|packages\/contract)\/src\//,
    allowed: new RegExp(`^(?:${Object.keys(jsonParsers).join('|')})$`),
    why: 'JSON from outside is parsed with a deepest nesting, also within a text.',
  },
  {
    what: 'SQL text',
    pattern: /^\s*(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|BEGIN|ALTER|DROP|WITH)\s+[^/\s]/,
    in: 'strings',
    within: server,
    allowed: /queries\.ts$|^apps\/server\/src\/db\//,
    why: 'All queries of a folder can be read in one file.',
  },
]

/** Differences between vendors are fields of their records. Files that may compare a type with a number nevertheless, and why. */
export const typeBranchesAllowed: Readonly<Record<string, string>> = {
  'apps/console/src/features/channel/type-rules.ts': 'What the form asks for and how is stated by type number in the specification.',
}

/**
 * Files that may name a vendor other than its own record: tests and the doubles that speak vendors' wires; the list of vendors, and the resellers of
 * OpenAI's API; vendors that sell models of others under their names, or serve at the clouds of others; what vendors bill beside tokens, and at which
 * hosts that is known; the addresses that channels of other products have; the prices and the exceptions of their check.
 */
export const vendorNamesAllowed =
  /\.test\.ts$|^apps\/server\/test\/vendors\/|^packages\/vendors\/(?:src\/(?:registry\/(?:(?:records|peer-channel-types|strict-hosts|strict-types|causable-usage)\.ts$|models\/prices\.)|vendors\/(?:resellers|alibaba|novita|google\/veo)\/|vendors\/openrouter\/video-models|protocols\/bodies\/)|test\/(?:price-anomalies|chat-dialects)\.ts$)/
