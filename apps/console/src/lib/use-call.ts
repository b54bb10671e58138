import type { DataOf, Endpoint, InputOf } from '@sluice/contract'
import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { call, isLost, isRefused } from './api.ts'
import { isOlderThanPage } from './preload.ts'
import { captureInFlight, markChanged, readOptions } from './reads.ts'

interface QuerySpec<E extends Endpoint> {
  readonly input: InputOf<E>
  readonly isEnabled?: boolean
  /** How long a response is not requested again. */
  readonly freshMs?: number
  /** The page's `preload` has started it: it is not sent again for a response that came before the page rendered. */
  readonly isPreloaded?: boolean
  /** No toast: the page shows the failure, or does without the data. */
  readonly isSilent?: boolean
}

/** Reads a row of the contract and caches it. */
export function useRead<E extends Endpoint>(
  endpoint: E,
  { input, isEnabled = true, freshMs = 0, isPreloaded = false, isSilent = false }: QuerySpec<E>,
): UseQueryResult<DataOf<E>> {
  return useQuery({
    ...readOptions(endpoint, input, { freshMs }),
    enabled: isEnabled,
    ...(isPreloaded && { refetchOnMount: isOlderThanPage }),
    ...(isSilent && { meta: { failure: 'silent' } }),
  })
}

interface CallSpec<E extends Endpoint> {
  readonly onDone?: (data: DataOf<E>, input: InputOf<E>) => void | Promise<void>
  /** Called when the server refuses it: what the page shows may be out of date. */
  readonly onRefused?: () => void
  readonly timeoutMs?: number
}

/**
 * A row of the contract that changes something, and makes old data stale. The handler of all mutations reports failures.
 * `mutate` does nothing while its last call runs, so a form that is sent twice makes one row. `mutateAsync` sends every call.
 */
export function useCall<E extends Endpoint>(
  endpoint: E,
  { onDone, onRefused, timeoutMs }: CallSpec<E> = {},
): UseMutationResult<DataOf<E>, Error, InputOf<E>> {
  const client = useQueryClient()
  // State of the page would come too late: it changes only when the page renders again.
  const isRunning = useRef(false)
  const mutation = useMutation({
    mutationFn: (input: InputOf<E>) => call(endpoint, input, timeoutMs === undefined ? {} : { timeoutMs }),
    onSuccess: async (data, input) => {
      const inFlight = captureInFlight(client)
      await onDone?.(data, input)
      markChanged(client, endpoint, inFlight)
    },
    onError: (error) => {
      // It may have been carried out, so what is shown is read again.
      if (isLost(error)) markChanged(client, endpoint)
      if (isRefused(error)) onRefused?.()
    },
    onSettled: () => {
      isRunning.current = false
    },
  })
  const { mutate } = mutation
  const mutateAlone = useCallback<typeof mutate>(
    (...args) => {
      if (isRunning.current) return
      isRunning.current = true
      mutate(...args)
    },
    [mutate],
  )
  return { ...mutation, mutate: mutateAlone }
}
