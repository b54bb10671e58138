import type { DataOf, Endpoint, InputOf } from '@sluice/contract'
import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

interface QuerySpec<E extends Endpoint> {
  readonly input: InputOf<E>
  readonly isEnabled?: boolean
  /** How long an answer is as good as a new one. */
  readonly freshMs?: number
}

/** A row of the contract, read and kept. Its key is its path, so whatever changes a noun can say that its rows are stale. */
export function useRead<E extends Endpoint>(
  endpoint: E,
  { input, isEnabled = true, freshMs = 0 }: QuerySpec<E>,
): UseQueryResult<DataOf<E>> {
  return useQuery({
    queryKey: ['read', endpoint.path, input],
    queryFn: ({ signal }) => call(endpoint, input, { signal }),
    enabled: isEnabled,
    staleTime: freshMs,
  })
}

interface CallSpec<E extends Endpoint> {
  readonly onDone?: (data: DataOf<E>, input: InputOf<E>) => void | Promise<void>
  readonly timeoutMs?: number
}

/** A row of the contract that changes something. Failures are told by the one handler of all mutations. */
export function useCall<E extends Endpoint>(
  endpoint: E,
  { onDone, timeoutMs }: CallSpec<E> = {},
): UseMutationResult<DataOf<E>, Error, InputOf<E>> {
  return useMutation({
    mutationFn: (input: InputOf<E>) => call(endpoint, input, timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onDone === undefined ? {} : { onSuccess: onDone }),
  })
}
