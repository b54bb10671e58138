import { mayImportOfRelay } from './may-import-of-relay.ts'
import { mayImportOfVendors } from './may-import-of-vendors.ts'
import { contract, type Row, runtime } from './may-import-row.ts'

/** The records of vendors, without their dialects. */
const vendorRecords = [
  'vendors/registry/list.ts',
  'vendors/core/vendor.ts',
  'vendors/core/channel-config.ts',
  'vendors/registry/channel-facts.ts',
  'vendors/registry/key-shape.ts',
  'vendors/registry/strict-hosts.ts',
  'vendors/registry/models/prices.ts',
] as const
const react = ['react', 'react-dom', '@tanstack/', 'react-hook-form', '@hookform/', 'zod', 'lucide-react'] as const

/**
 * Which files may import which. Folders and files are named like `server/relay` (apps/server/src/relay) or `contract/index.ts`
 * (packages/contract/src/index.ts), packages as in an import. A row applies to everything below its folder that has no more specific row;
 * `*` is one folder of any name. A file may always import its own folder.
 */
export const mayImport: readonly Row[] = [
  { folder: 'contract', may: ['zod'], why: 'Schemas that server and console share; they run everywhere.' },
  {
    folder: 'http1',
    may: [...runtime],
    why: 'A server of HTTP/1.1 and WebSockets. It knows nothing of the product; clock and timeouts are passed in.',
  },
  ...mayImportOfVendors,

  {
    folder: 'server/lib',
    may: [
      ...contract,
      'vendors/core/exact-json.ts',
      'vendors/core/json-counter.ts',
      'vendors/core/json-text.ts',
      'http1',
      ...runtime,
      'ipaddr.js',
      'lru-cache',
      '@zxcvbn-ts/language-common',
    ],
    why: 'Of the contract it knows only error codes and texts, of the vendors how JSON is counted and parsed.',
  },
  { folder: 'server/db', may: ['server/lib', 'kysely', ...runtime], why: 'The store knows tables, not what they mean.' },
  {
    folder: 'server/ledger',
    may: [...contract, 'server/db', 'server/lib', 'kysely', 'pino', ...runtime],
    why: 'The ledger knows the store and the numbers of the contract, neither the relay nor the management API.',
  },
  ...mayImportOfRelay,
  { folder: 'server/api/authorize.ts', may: [...contract], why: 'Predicates over contract rows that say which account may act on which.' },
  {
    folder: 'server/api/change-queries.ts',
    may: [...contract, 'server/db', 'server/lib'],
    why: 'The history of options and channels, which the audit of their nouns writes.',
  },
  {
    folder: 'server/api/audit.ts',
    may: [...contract, 'server/api/change-queries.ts', 'server/ledger', 'server/db', 'server/lib'],
    why: 'Every noun records its audit events through it.',
  },
  { folder: 'server/api/assert-unchanged.ts', may: ['server/lib'], why: 'How every noun compares what a form showed with what is stored.' },
  {
    folder: 'server/api/access-queries.ts',
    may: ['server/db'],
    why: 'Sessions and access tokens of any account, which several nouns and the commands of the operator end.',
  },
  {
    folder: 'server/api/account-access.ts',
    may: [...contract, 'server/api/access-queries.ts', 'server/api/audit.ts', 'server/db', 'server/lib'],
    why: 'How every noun reads and ends the access that an account has given.',
  },
  {
    folder: 'server/api/check-username.ts',
    may: [...contract, 'server/api/authorize.ts', 'server/lib'],
    why: 'Which names owners and administrators may give to an account.',
  },
  {
    folder: 'server/api/export-file.ts',
    may: [...contract, 'server/lib', ...runtime],
    why: 'Files of lists, made in steps from rows that a noun reads.',
  },
  {
    folder: 'server/api/implement.ts',
    may: [...contract, 'server/db', 'server/lib'],
    why: 'Binds handlers to endpoints of the contract.',
  },
  {
    folder: 'server/api/need-scope.ts',
    may: [...contract, 'server/api/implement.ts', 'server/lib'],
    why: 'Parts of calls that need a further scope of a personal access token.',
  },
  {
    folder: 'server/api/*',
    may: [
      ...contract,
      ...vendorRecords,
      'vendors/core/join-url.ts',
      'server/ledger',
      'server/db',
      'server/lib',
      'server/api/access-queries.ts',
      'server/api/account-access.ts',
      'server/api/authorize.ts',
      'server/api/audit.ts',
      'server/api/change-queries.ts',
      'server/api/assert-unchanged.ts',
      'server/api/check-username.ts',
      'server/api/export-file.ts',
      'server/api/implement.ts',
      'server/api/need-scope.ts',
      'kysely',
      '@simplewebauthn/server',
      'reflect-metadata',
      'otpauth',
      'sanitize-html',
      'marked',
      ...runtime,
    ],
    why: 'A noun knows no other noun, neither relay nor framework; app.ts passes in what it needs of them.',
  },
  {
    folder: 'server/http',
    may: [...contract, 'contract/json-schema.ts', 'contract/openapi.ts', 'http1', 'server/lib', 'hono', ...runtime],
    why: 'The only folder that knows the framework; handlers are passed in.',
  },
  {
    folder: 'server/outside',
    may: [
      ...contract,
      'server/lib',
      'server/relay/upstream/http1',
      'server/relay/upstream/read-capped.ts',
      'nodemailer',
      'openid-client',
      ...runtime,
    ],
    why: 'Each external service is one small module that knows its protocol and no account.',
  },
  {
    folder: 'server/notify',
    may: [...contract, 'server/outside', 'server/db', 'server/ledger/set-aside-queries.ts', 'server/lib', 'kysely', 'pino', ...runtime],
    why: 'Sends messages to people in the background.',
  },
  {
    folder: 'server/telemetry',
    may: [
      'vendors/core/usage.ts',
      'http1/incoming-request.ts',
      'server/relay/model',
      'server/relay/routing/health.ts',
      'server/relay/routing/retry.ts',
      'server/lib',
      'pino',
      ...runtime,
    ],
    why: 'Counts and traces the relay’s spans. It changes no request.',
  },
  {
    folder: 'server/jobs',
    may: ['server/relay/operations/probe.ts', 'server/ledger', 'server/db', 'server/lib', 'pino', ...runtime],
    why: 'Scheduled work calls the same functions as requests do.',
  },
  {
    folder: 'server/nodes',
    may: ['server/db', 'server/lib', 'kysely', 'pino', ...runtime],
    why: 'What the nodes of one installation must agree on. It knows rows and times, not what they mean.',
  },
  {
    folder: 'server/import',
    may: [
      ...contract,
      ...vendorRecords,
      'vendors/registry/peer-channel-types.ts',
      'server/admin/open-seal.ts',
      'server/api/option/secret-hosts.ts',
      'server/api/option/settings.ts',
      'server/api/channel/settings.ts',
      'server/ledger',
      'server/db',
      'server/lib',
      'server/env.ts',
      'server/log.ts',
      'kysely',
      ...runtime,
    ],
    why: 'Reads the database of another gateway, and writes through the functions that everything else uses.',
  },
  { folder: 'server/embedded-console.ts', may: [], why: 'The build replaces its content.' },
  {
    folder: 'server/env.ts',
    may: [
      'contract/index.ts',
      'server/environment',
      'server/lib',
      'server/relay/model/limits.ts',
      'server/relay/model/file-place.ts',
      'node:os',
    ],
    why: 'Reads and checks environment variables.',
  },
  {
    folder: 'server/environment',
    may: ['contract/index.ts', 'server/lib', 'server/relay/model/file-place.ts', ...runtime],
    why: 'The parts of env.ts that are long enough for files of their own.',
  },
  {
    folder: 'server/log.ts',
    may: ['server/lib', 'server/output.ts', 'server/repeated-failures.ts', 'pino', ...runtime],
    why: 'The only place that knows the logger.',
  },
  { folder: 'server/output.ts', may: ['server/lib', ...runtime], why: 'Writes to standard output without waiting for its reader.' },
  { folder: 'server/repeated-failures.ts', may: ['server/lib'], why: 'Sums up lines of the log, whoever writes them.' },
  { folder: 'server/healthcheck.ts', may: ['server/lib', ...runtime], why: 'Asks a running server, as a command.' },
  {
    folder: 'server/admin',
    may: [
      ...contract,
      'server/api/access-queries.ts',
      'server/api/audit.ts',
      'server/api/account/setup-link.ts',
      'server/api/account/setup-queries.ts',
      'server/api/option/settings.ts',
      'server/ledger',
      'server/db',
      'server/lib',
      'server/env.ts',
      'kysely',
      ...runtime,
    ],
    why: 'Commands of the operator, which use the store and the options while a server runs or not.',
  },
  {
    folder: 'server/doctor',
    may: [
      'contract/index.ts',
      'http1/http-server.ts',
      'server/admin/open-seal.ts',
      'server/admin/unreadable-values.ts',
      'server/api/channel',
      'server/api/option/settings.ts',
      'server/db',
      'server/env.ts',
      'server/healthcheck.ts',
      'server/lib',
      'server/outside',
      'server/relay/upstream',
      ...runtime,
    ],
    why: 'The checks of the start, and what a start cannot check, as a command.',
  },
  {
    folder: 'server/commands.ts',
    may: [
      'server/doctor/run-doctor.ts',
      'server/admin/run-admin.ts',
      'server/env.ts',
      'server/environment/env-file.ts',
      'server/healthcheck.ts',
      'server/db/explain-store.ts',
      'server/db/migrate-store.ts',
      'server/db/open-beside.ts',
      'server/db/run-back-up.ts',
      'server/db/serve-reads.ts',
      'server/db/store-place.ts',
      'server/import/arguments.ts',
      'server/import/run-import.ts',
      'server/ledger/verify.ts',
      'server/lib/app-error.ts',
      'server/lib/data-folder.ts',
      'server/lib/inside-executable.ts',
      'contract/index.ts',
      ...runtime,
    ],
    why: 'Commands of the executable other than the server.',
  },
  {
    folder: 'server/main.ts',
    may: [
      'server/app.ts',
      'server/commands.ts',
      'server/embedded-console.ts',
      'server/env.ts',
      'server/lib/at-most.ts',
      'server/lib/data-folder.ts',
      'server/lib/own-addresses.ts',
      'server/lib/signals.ts',
      'server/log.ts',
      'server/output.ts',
      'server/telemetry/worker-metrics.ts',
      'server/http/console-files.ts',
      'server/lib/clock.ts',
      'server/watchdog/create-watchdog.ts',
      'server/workers.ts',
      ...runtime,
    ],
    why: 'Reads the environment, starts, stops.',
  },
  {
    folder: 'server/watchdog',
    may: ['server/lib', ...runtime],
    why: 'Its thread stays small, and needs nothing of the main thread to end the process.',
  },
  {
    folder: 'server/workers.ts',
    may: [
      'http1/http-server.ts',
      'server/db/node.ts',
      'server/env.ts',
      'server/lib',
      'server/telemetry/worker-metrics.ts',
      'pino',
      ...runtime,
    ],
    why: 'Starts several processes of the server and serves nobody itself.',
  },
  {
    folder: 'server/app.ts',
    may: ['contract', 'vendors', 'http1', 'server', 'kysely', 'pino', ...runtime],
    why: 'It constructs all parts, so it may import all; only main.ts and the test harness import it.',
  },
  {
    folder: 'server/app-accounts.ts',
    may: [...contract, 'server'],
    why: 'The part of app.ts that constructs the accounts; only app.ts imports it.',
  },
  {
    folder: 'server/app-around.ts',
    may: ['server', 'pino'],
    why: 'The part of app.ts that constructs what speaks to services outside; only app.ts imports it.',
  },
  {
    folder: 'server/app-first-start.ts',
    may: ['server', 'pino'],
    why: 'The part of app.ts that makes the first account; only app.ts imports it.',
  },
  {
    folder: 'server/app-jobs.ts',
    may: [...contract, 'server', 'pino'],
    why: 'The part of app.ts that starts what runs at intervals; only app.ts imports it.',
  },

  {
    folder: 'console/lib',
    may: [...contract, 'contract/schemas.ts', 'vendors/registry/list.ts', 'vendors/core/vendor.ts', '@simplewebauthn/browser', ...react],
    why: 'Hooks, formatting and the facts of vendors, no components of a page.',
  },
  {
    folder: 'console/ui',
    may: [
      'console/lib',
      'contract/content.ts',
      'contract/page-address.ts',
      'contract/parse-url.ts',
      'vendors/core/vendor.ts',
      '@base-ui/react',
      'marked',
      'dompurify',
      'uqr',
      ...react,
    ],
    why: 'Components know no data, only which HTML is harmless; only they import the component library.',
  },
  {
    folder: 'console/crud',
    may: ['console/ui', 'console/lib', ...contract, ...react],
    why: 'Lists and forms over endpoints of any noun. It knows calls, not which noun they are about.',
  },
  {
    folder: 'console/features/*',
    may: ['console/crud', 'console/ui', 'console/lib', ...contract, ...vendorRecords, ...react],
    why: 'A feature knows no other feature.',
  },
  {
    folder: 'console/app',
    may: ['console/features', 'console/ui', 'console/lib', ...contract, ...react],
    why: 'Routes, guards and the shell around the features.',
  },
]

/** The row that applies to a file, and the folder that the row matched; `null`: there is none. */
export function rowFor(file: string, rows: readonly Row[] = mayImport): { readonly row: Row; readonly own: string } | null {
  const matches = rows.flatMap((row) => {
    const own = matchFolder(row.folder, file)
    return own === null ? [] : [{ row, own }]
  })
  return matches.sort((a, b) => segments(b.row.folder) - segments(a.row.folder))[0] ?? null
}

/** Whether the row allows an import, or it stays in the file's own folder. */
export function isAllowed({ row, own }: { readonly row: Row; readonly own: string }, to: string): boolean {
  return [own, ...row.may].some((entry) => to === entry || to.startsWith(/[:/]$/.test(entry) ? entry : `${entry}/`))
}

function segments(folder: string): number {
  return folder.split('/').length
}

function matchFolder(folder: string, file: string): string | null {
  const pattern = folder.replaceAll('.', '\\.').replace('*', '[^/.]+')
  return new RegExp(`^(${pattern})(?:/|$)`).exec(file)?.[1] ?? null
}
