/** Who may import whom. The first row whose folder a file lies in holds; imports within the same row are always allowed. */
export interface Row {
  readonly folder: string
  /** Folders of the repository, or names of packages; a name covers everything below it. */
  readonly may: readonly string[]
  readonly why: string
}

const server = 'apps/server/src'
const consoleApp = 'apps/console/src'

export const rows: readonly Row[] = [
  { folder: 'packages/contract/src', may: ['zod'], why: 'the wire depends on nothing of ours' },
  { folder: 'packages/vendors/src', may: [], why: 'vendors are data and pure functions' },

  {
    folder: `${server}/lib`,
    may: ['@sluice/contract', 'node:', 'ipaddr.js'],
    why: 'lib knows error codes and texts, and no other word of the domain',
  },
  { folder: `${server}/db`, may: [`${server}/lib`, 'kysely', 'bun:sqlite', 'node:'], why: 'the store knows rows, not rules' },
  {
    folder: `${server}/ledger`,
    may: [`${server}/db`, `${server}/lib`, '@sluice/contract', 'kysely', 'bun:sqlite', 'pino'],
    why: 'money knows neither the relay nor the management API',
  },
  {
    folder: `${server}/relay`,
    may: [`${server}/ledger`, `${server}/db`, `${server}/lib`, '@sluice/vendors', '@sluice/contract', 'gpt-tokenizer', 'pino', 'node:'],
    why: 'the relay knows neither the management API nor the framework; settings arrive as a function',
  },
  {
    folder: `${server}/api`,
    may: [
      `${server}/ledger`,
      `${server}/db`,
      `${server}/lib`,
      '@sluice/vendors/list',
      '@sluice/contract',
      'kysely',
      'sanitize-html',
      'node:',
    ],
    why: 'handlers know vendor records but no dialect, and neither relay nor framework',
  },
  {
    folder: `${server}/http`,
    may: [`${server}/lib`, '@sluice/contract', 'hono', 'bun', 'node:'],
    why: 'the front door gets its handlers as values',
  },
  { folder: `${server}/jobs`, may: [`${server}/ledger`, `${server}/db`, `${server}/lib`, 'pino'], why: 'jobs are told what to run' },
  {
    folder: server,
    may: [server, '@sluice/contract', '@sluice/vendors', 'pino', 'node:', 'bun'],
    why: 'the files at the top put the parts together',
  },

  {
    folder: `${consoleApp}/lib`,
    may: ['@sluice/contract', 'react', '@tanstack/react-query', '@tanstack/react-router'],
    why: 'lib holds what every page needs',
  },
  {
    folder: `${consoleApp}/ui`,
    may: [
      `${consoleApp}/lib`,
      'react',
      'react-dom',
      '@base-ui/react',
      '@tanstack/react-table',
      '@tanstack/react-virtual',
      'lucide-react',
      'react-hook-form',
    ],
    why: 'components know no noun of the product; only here the component library is imported',
  },
  {
    folder: `${consoleApp}/features`,
    may: [
      `${consoleApp}/ui`,
      `${consoleApp}/lib`,
      '@sluice/contract',
      '@sluice/vendors/list',
      'react',
      '@tanstack',
      'react-hook-form',
      '@hookform/resolvers',
      'zod',
      'lucide-react',
      'marked',
      'dompurify',
    ],
    why: 'a feature knows no other feature',
  },
  {
    folder: `${consoleApp}/app`,
    may: [
      `${consoleApp}/features`,
      `${consoleApp}/ui`,
      `${consoleApp}/lib`,
      '@sluice/contract',
      'react',
      'react-dom',
      '@tanstack',
      'lucide-react',
      'dompurify',
      'marked',
    ],
    why: 'the frame puts the pages together',
  },
]

/** Folders whose subfolders may not know each other. */
export const islands: readonly string[] = [`${server}/api`, `${consoleApp}/features`]

/** Things that stand in exactly one kind of place. */
export interface Edge {
  readonly what: string
  readonly pattern: RegExp
  readonly within: string
  readonly allowed: RegExp
}

export const edges: readonly Edge[] = [
  { what: 'process.env', pattern: /\bprocess\.env\b/, within: server, allowed: /src\/env\.ts$/ },
  { what: 'a clock', pattern: /\bDate\.now\(|\bnew Date\(|\bperformance\.now\(/, within: server, allowed: /src\/lib\/clock\.ts$/ },
  { what: 'fetch', pattern: /(?<![\w.])fetch\(/, within: 'apps', allowed: /relay\/upstream\.ts$|console\/src\/lib\/api\.ts$/ },
  {
    what: 'SQL text',
    pattern: /['"`]\s*(SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|BEGIN)\b/,
    within: server,
    allowed: /queries\.ts$|src\/db\//,
  },
  { what: 'the framework', pattern: /from 'hono/, within: server, allowed: /src\/http\// },
]
