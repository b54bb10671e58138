import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isForOtherAccount, toastError } from '../lib/api.ts'
import { isMessageKey, t } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'

/** The only place that reports failed calls. A read may set its own text, or none because its page shows the failure. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { meta }) => {
        const failure = meta?.['failure']
        if (failure === 'silent' || isForOtherAccount(error)) return
        if (typeof failure === 'string' && isMessageKey(failure)) showToast('error', t(failure))
        else toastError(error)
      },
    }),
    mutationCache: new MutationCache({ onError: toastError }),
    // A refused call is not retried, because the response would be the same. Shown data stays until the user reloads it.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
  })
}
