import { catalogue, channel } from '@sluice/contract'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api.ts'
import { prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { storage } from '../../lib/storage.ts'

/** How long these lists stay fresh: only a new version or an administrator changes them. */
const freshMs = 60_000

const relatedQuery = queryOptions({
  ...readOptions(catalogue.models, {}, { freshMs }),
  queryFn: async ({ signal }) => {
    const byType = await call(catalogue.models, {}, { signal })
    storage.writeJson('channel_models', byType)
    return byType
  },
})

const allQuery = readOptions(channel.models, {}, { freshMs })

export function startCatalogue(client: QueryClient): void {
  prefetch(client, relatedQuery)
  prefetch(client, allQuery)
}

/** The models of each channel type, from the server or from the last visit; an unknown type has none. */
export function useRelatedModels(): (type: number) => readonly string[] {
  const { data } = useQuery({ ...relatedQuery, placeholderData: storedModels })
  return useMemo(() => (type) => data?.[String(type)] ?? [], [data])
}

function storedModels(): Record<string, string[]> {
  const stored = storage.readJson('channel_models')
  if (typeof stored !== 'object' || stored === null) return {}
  return Object.fromEntries(
    Object.entries(stored).flatMap(([type, names]: readonly [string, unknown]) =>
      Array.isArray(names) ? [[type, names.filter((name) => typeof name === 'string')]] : [],
    ),
  )
}

const none: readonly string[] = []

/** Every model name that the server knows. */
export function useAllModels(): readonly string[] {
  const { data } = useQuery(allQuery)
  return useMemo(() => (data === undefined ? none : [...new Set(data.map(({ id }) => id))]), [data])
}
