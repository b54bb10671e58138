import { contract, type Row, runtime } from './may-import-row.ts'

/** The lowest floor, which every folder above it may import. */
const model = 'server/relay/model'

/** The folders of the relay in the order in which a request passes them. Each imports only from the floors below its own. */
export const mayImportOfRelay: readonly Row[] = [
  {
    folder: 'server/relay',
    may: [...contract, 'vendors', 'http1', 'server/ledger', 'server/lib', 'server/db/connect.ts', 'pino', ...runtime],
    why: 'Handles requests with the folders below it. It knows neither the management API nor the framework.',
  },
  {
    folder: 'server/relay/model',
    may: [...contract, 'vendors', 'http1', 'server/ledger'],
    why: 'The types that the folders of the relay share. No behaviour.',
  },
  {
    folder: 'server/relay/storage',
    may: [...contract, model, 'server/db', 'kysely'],
    why: 'What accounts store and may store, and what a token may see of it.',
  },
  {
    folder: 'server/relay/wire',
    may: [...contract, 'vendors', 'http1/byte-queue.ts', model, 'server/lib'],
    why: 'Bytes of answers, from vendors and to clients: frames, events, errors, and removing secrets from them.',
  },
  {
    folder: 'server/relay/pricing',
    may: [
      ...contract,
      'vendors',
      model,
      'server/ledger/price.ts',
      'server/lib',
      'pino',
      'gpt-tokenizer',
      'music-metadata',
      'image-dimensions',
      ...runtime,
    ],
    why: 'Prices and counts. It knows no balance.',
  },
  {
    folder: 'server/relay/ingress',
    may: [
      ...contract,
      'vendors',
      'http1',
      model,
      'server/relay/wire',
      'server/relay/pricing',
      'server/ledger',
      'server/lib',
      'server/db/connect.ts',
      ...runtime,
    ],
    why: 'Identifies the caller and reads the request. It knows neither channels nor balances.',
  },
  {
    folder: 'server/relay/ingress/token-queries.ts',
    may: [...contract, 'server/db', 'server/lib', 'kysely'],
    why: 'Queries about tokens and their accounts.',
  },
  {
    folder: 'server/relay/ingress/minute-queries.ts',
    may: ['server/db', 'kysely'],
    why: 'What nodes ask and tell of the last minute of a token.',
  },
  {
    folder: 'server/relay/ingress/place-queries.ts',
    may: ['server/db', 'kysely'],
    why: 'What nodes ask of the places of a token.',
  },
  {
    folder: 'server/relay/routing',
    may: [...contract, 'vendors', model, 'server/relay/wire', 'server/lib', 'server/db/connect.ts', 'pino', ...runtime],
    why: 'Chooses the channel of each attempt and records failures. It sends nothing.',
  },
  { folder: 'server/relay/routing/channel-queries.ts', may: ['server/db', 'kysely'], why: 'Queries about channels.' },
  {
    folder: 'server/relay/upstream',
    may: [...contract, 'vendors', 'http1', model, 'server/relay/wire', 'server/lib', ...runtime],
    why: 'One attempt at one channel, and the connections that it uses. It chooses nothing and charges nothing.',
  },
  {
    folder: 'server/relay/billing',
    may: [...contract, 'vendors', model, 'server/relay/wire', 'server/relay/pricing', 'server/ledger', 'server/lib'],
    why: 'Reserves, charges and writes the log row of a request. It knows no channel beyond its record.',
  },
  {
    folder: 'server/relay/response',
    may: [
      ...contract,
      'vendors',
      'http1',
      model,
      'server/relay/wire',
      'server/relay/pricing',
      'server/relay/routing',
      'server/relay/upstream',
      'server/relay/billing',
      'server/ledger',
      'server/lib',
      ...runtime,
    ],
    why: 'Tries channels until one answers, and relays its answer to the client.',
  },
  ...(
    [
      ['realtime', 'Sessions of messages in both directions.'],
      ['stored-responses', 'Answers that later requests refer to.'],
      ['tasks', 'Work that takes minutes: ordered, followed, paid.'],
      ['extra-routes', 'Routes that are no calls of a model.'],
      ['operations', 'What the server asks channels for by itself: tests of channels, balances, lists of models.'],
    ] as const
  ).map(([folder, why]) => ({
    folder: `server/relay/${folder}`,
    may: [
      ...contract,
      'vendors',
      'http1',
      model,
      'server/relay/wire',
      'server/relay/storage',
      'server/relay/pricing',
      'server/relay/ingress',
      'server/relay/routing',
      'server/relay/upstream',
      'server/relay/billing',
      'server/relay/response',
      'server/ledger',
      'server/lib',
      'server/db/connect.ts',
      'pino',
      ...runtime,
    ],
    why,
  })),
  {
    folder: 'server/relay/stored-responses/response-queries.ts',
    may: ['server/db', model, 'server/relay/storage', 'kysely'],
    why: 'Queries about stored responses.',
  },
  {
    folder: 'server/relay/stored-responses/content-queries.ts',
    may: ['server/db', 'kysely'],
    why: 'Queries about the oldest content of stored responses.',
  },
  {
    folder: 'server/relay/tasks/task-queries.ts',
    may: ['server/db', model, 'server/relay/storage', 'server/relay/tasks/task-page-queries.ts', 'kysely'],
    why: 'Queries about tasks.',
  },
  {
    folder: 'server/relay/tasks/task-page-queries.ts',
    may: ['server/db', model, 'server/relay/storage', 'kysely'],
    why: 'Queries about the tasks of some models.',
  },
  { folder: 'server/relay/tasks/idempotency-key-queries.ts', may: ['server/db', 'kysely'], why: 'Queries about the names of orders.' },
  {
    folder: 'server/relay/tasks/character-queries.ts',
    may: ['server/db', model, 'server/relay/storage', 'kysely'],
    why: 'Queries about the characters of videos.',
  },
  { folder: 'server/relay/tasks/task-file-queries.ts', may: ['server/db', 'kysely'], why: 'Queries about copies of results.' },
  { folder: 'server/relay/extra-routes/amount-queries.ts', may: ['server/db'], why: 'Queries about balances.' },
]
