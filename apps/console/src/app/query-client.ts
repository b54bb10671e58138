import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { toastError } from '../lib/api.ts'
import { isMessageKey, t } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'

/** The one place that tells of failed calls. A read may have a text of its own for it, or stay silent because the page says it. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { meta }) => {
        const failure = meta?.['failure']
        if (failure === 'silent') return
        if (typeof failure === 'string' && isMessageKey(failure)) showToast('error', t(failure))
        else toastError(error)
      },
    }),
    mutationCache: new MutationCache({ onError: toastError }),
    // A refusal is an answer: asking again changes nothing. What is on screen stays until somebody asks for news.
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
  })
}
