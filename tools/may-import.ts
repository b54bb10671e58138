import { mayImportOfRelay } from './may-import-of-relay.ts'
import { contract, type Row, runtime } from './may-import-row.ts'

/** What vendors are, without how they speak. */
const vendorRecords = ['vendors/list.ts', 'vendors/vendor.ts', 'vendors/prices.ts'] as const
const react = ['react', 'react-dom', '@tanstack/', 'react-hook-form', '@hookform/', 'zod', 'lucide-react'] as const

/**
 * Who may import whom. Names are folders and files as `server/relay` (apps/server/src/relay) or `contract/index.ts`
 * (packages/contract/src/index.ts); packages stand as they are written in an import. A row holds for everything below its folder that no
 * longer row names; `*` is one folder of any name. A file may always import its own folder.
 */
export const mayImport: readonly Row[] = [
  { folder: 'contract', may: ['zod'], why: 'The wire is data that server and console share; it runs everywhere.' },
  {
    folder: 'http1',
    may: [...runtime],
    why: 'A server of HTTP/1.1 and WebSockets. It knows nothing of the product; clock and timeouts come in.',
  },
  { folder: 'vendors', may: [], why: 'Records and pure functions. Hashes, ids and times come in as arguments.' },

  {
    folder: 'server/lib',
    may: [...contract, 'http1', ...runtime, 'ipaddr.js', 'lru-cache'],
    why: 'Of the contract it knows error codes and texts; no other word of the domain.',
  },
  { folder: 'server/db', may: ['server/lib', 'kysely', ...runtime], why: 'The store knows tables, not what they mean.' },
  {
    folder: 'server/ledger',
    may: [...contract, 'server/db', 'server/lib', 'kysely', 'pino', ...runtime],
    why: 'Money knows the store and the numbers of the wire, neither relay nor management calls.',
  },
  ...mayImportOfRelay,
  { folder: 'server/api/authorize.ts', may: [...contract], why: 'Who may act on whom: predicates over contract rows.' },
  {
    folder: 'server/api/audit.ts',
    may: [...contract, 'server/ledger', 'server/db', 'server/lib'],
    why: 'Every noun tells the log what was done, in one form.',
  },
  {
    folder: 'server/api/implement.ts',
    may: [...contract, 'server/db', 'server/lib'],
    why: 'Ties functions to rows of the contract.',
  },
  {
    folder: 'server/api/*',
    may: [
      ...contract,
      ...vendorRecords,
      'server/ledger',
      'server/db',
      'server/lib',
      'server/api/authorize.ts',
      'server/api/audit.ts',
      'server/api/implement.ts',
      'kysely',
      'sanitize-html',
      'marked',
      ...runtime,
    ],
    why: 'A noun knows no other noun, no relay and no framework; what it needs of them is passed in by app.ts.',
  },
  {
    folder: 'server/http',
    may: [...contract, 'contract/json-schema.ts', 'contract/openapi.ts', 'http1', 'server/lib', 'hono', ...runtime],
    why: 'The only folder that knows the framework; handlers come in as values.',
  },
  {
    folder: 'server/outside',
    may: [...contract, 'server/lib', 'server/relay/upstream/http1', 'server/relay/upstream/read-capped.ts', 'nodemailer', ...runtime],
    why: 'Each service outside is one small module that knows its protocol and no account.',
  },
  {
    folder: 'server/notify',
    may: [...contract, 'server/outside', 'server/db', 'server/lib', 'kysely', 'pino', ...runtime],
    why: 'Messages to people: what they say, to whom, and that nothing waits for them.',
  },
  {
    folder: 'server/telemetry',
    may: [
      'vendors/dialect.ts',
      'http1/received.ts',
      'server/relay/model',
      'server/relay/routing/health.ts',
      'server/relay/routing/retry.ts',
      'server/lib',
      'pino',
      ...runtime,
    ],
    why: 'Counts and traces what the relay tells; it knows what a request is and touches none.',
  },
  {
    folder: 'server/jobs',
    may: ['server/relay/operations/probe.ts', 'server/ledger', 'server/db', 'server/lib', 'pino', ...runtime],
    why: 'Work by the clock uses the same doors as a request.',
  },
  {
    folder: 'server/import',
    may: [
      ...contract,
      ...vendorRecords,
      'vendors/peer-types.ts',
      'server/admin/open-seal.ts',
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
    why: 'Reads the database of another gateway and writes through the doors that everything else writes through.',
  },
  { folder: 'server/embedded-console.ts', may: [], why: 'The seam that the build fills in.' },
  {
    folder: 'server/env.ts',
    may: ['contract/index.ts', 'server/lib', 'server/relay/model/limits.ts'],
    why: 'Reads variables into values.',
  },
  { folder: 'server/log.ts', may: ['server/lib', 'pino', ...runtime], why: 'The only place that knows the logger.' },
  {
    folder: 'server/admin',
    may: [...contract, 'server/api/option/settings.ts', 'server/db', 'server/lib', 'server/env.ts', 'kysely', ...runtime],
    why: 'What an operator does at the machine, through the store and the options, beside a server or instead of it.',
  },
  {
    folder: 'server/commands.ts',
    may: [
      'server/admin/run-admin.ts',
      'server/env.ts',
      'server/db/migrate-store.ts',
      'server/db/open-beside.ts',
      'server/db/serve-reads.ts',
      'server/db/store-place.ts',
      'server/import/run-import.ts',
      'server/ledger/verify.ts',
      'server/lib/inside-executable.ts',
      ...runtime,
    ],
    why: 'What the executable can do beside serving.',
  },
  {
    folder: 'server/main.ts',
    may: [
      'server/app.ts',
      'server/commands.ts',
      'server/embedded-console.ts',
      'server/env.ts',
      'server/log.ts',
      'server/http/console-files.ts',
      ...runtime,
    ],
    why: 'Reads the environment, starts, stops.',
  },
  {
    folder: 'server/app.ts',
    may: ['contract', 'vendors', 'http1', 'server', 'kysely', 'pino', ...runtime],
    why: 'The only place that constructs, so it sees everything; only main.ts and the test harness import it.',
  },
  {
    folder: 'server/app-accounts.ts',
    may: [...contract, 'server'],
    why: 'The part of app.ts that puts the accounts together; only app.ts imports it.',
  },

  { folder: 'console/lib', may: [...contract, ...react], why: 'Hooks and formatting, no components of a page.' },
  {
    folder: 'console/ui',
    may: ['console/lib', 'contract/content.ts', '@base-ui/react', 'marked', 'dompurify', ...react],
    why: 'Owned components know no data of ours, only which HTML is harmless; the component library is imported here only.',
  },
  {
    folder: 'console/features/*',
    may: ['console/ui', 'console/lib', ...contract, ...vendorRecords, ...react],
    why: 'A feature knows no other feature.',
  },
  {
    folder: 'console/app',
    may: ['console/features', 'console/ui', 'console/lib', ...contract, ...react],
    why: 'Routes, guards and the shell around the features.',
  },
]

/** The row that holds for a file, and the folder that it matched: its own. `null`: no row names it. */
export function rowFor(file: string, rows: readonly Row[] = mayImport): { readonly row: Row; readonly own: string } | null {
  const found = rows.flatMap((row) => {
    const own = matchFolder(row.folder, file)
    return own === null ? [] : [{ row, own }]
  })
  return found.sort((a, b) => segments(b.row.folder) - segments(a.row.folder))[0] ?? null
}

/** Whether an import stands in the row, or stays in the file's own folder. */
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
