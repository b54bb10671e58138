import type { Db } from '../db/connect.ts'
import type { Seal } from '../lib/seal.ts'
import { text, whole } from './cells.ts'
import { listTokenOrigins } from './queries.ts'
import type { Source } from './source.ts'

/**
 * The name of a source in the records of imported rows. A database that moved is recognized by its keys; one at the same place without
 * any of the known keys counts as another. `problem` says what the operator must decide.
 */
export async function nameSource(
  source: Source,
  { db, seal, requestedName }: { readonly db: Db; readonly seal: Seal; readonly requestedName: string | null },
): Promise<{ readonly name: string } | { readonly problem: string }> {
  if (requestedName !== null) return { name: requestedName }
  const origins = new Map((await listTokenOrigins(db)).map((row) => [row.key_lookup, row]))
  if (origins.size === 0) return { name: source.label }
  const votes = new Map<string, number>()
  for await (const page of source.pages('tokens', ['id', 'key'])) {
    for (const row of page) {
      const origin = origins.get(seal.lookup(text(row['key']), 'token'))
      if (origin !== undefined && origin.source_id === whole()(row['id'])) votes.set(origin.source, (votes.get(origin.source) ?? 0) + 1)
    }
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a)
  if (best !== undefined) return { name: best[0] }
  const isKnown = [...origins.values()].some((origin) => origin.source === source.label)
  if (!isKnown) return { name: source.label }
  return {
    problem: `${source.label} was imported before, but this database holds none of the keys that came then. Give it a name with --name.`,
  }
}
